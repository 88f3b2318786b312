// Kernels that only move elements, which a consumer can read where they lie.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// True when the block stores elements of one tensor in another order, perhaps scaled, such that rows or columns of a
/// matrix lie side by side before too; with `keeps_rows`, elements of the last axis do.
bool moves_elements(const Block& block, bool keeps_rows);

/// True when the block reads each element of `buffer` once, and rows of matrices stay rows.
bool permutes(const Block& block, const Ref<Buffer>& buffer);

/// Returns the kernel that copies a tensor into another shape; null where an element's indices in the one would not be
/// plain expressions of those in the other.
Ref<PrimFunc> view_kernel(const Type& from, const Type& to);

}  // namespace sunmao
