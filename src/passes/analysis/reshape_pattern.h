// Loop-level functions that only give a tensor another shape.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Whether `func` copies its first buffer to its last, element by element in their order. Yes is always so; no means
/// that it could not be shown.
bool has_reshape_pattern(const PrimFunc& func);

}  // namespace sunmao
