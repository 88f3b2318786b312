// Loop-level functions that copy a tensor: into another shape, or the front part of it.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Whether `func` copies its first buffer to its last, element by element in their order. Yes is always so; no means
/// that it could not be shown.
bool has_reshape_pattern(const PrimFunc& func);

/// Whether `func` copies its first buffer to its last, each element to the same indices; the last may be smaller.
bool copies_front(const PrimFunc& func);

}  // namespace sunmao
