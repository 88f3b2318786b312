// Analysis: loop-level functions that copy a tensor, with another shape or partially.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Returns true when `func` provably copies its first buffer to its last in row-major element order. False does not
/// imply the opposite.
bool has_reshape_pattern(const PrimFunc& func);

/// Returns true when `func` copies each element of its first buffer to the same indices of its last, which may be
/// smaller.
bool copies_front(const PrimFunc& func);

}  // namespace sunmao
