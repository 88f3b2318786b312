// Analysis: loop-level functions that copy a tensor, with another shape or partially.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Returns true when `func` provably copies its first buffer to its last in row-major element order. False does not
/// imply the opposite.
bool has_reshape_pattern(const PrimFunc& func);

/// Returns true when all that `func` does is to set elements of its last buffer to the elements of its first buffer at
/// provably the same indices. The shapes may differ.
bool copies_front(const PrimFunc& func);

}  // namespace sunmao
