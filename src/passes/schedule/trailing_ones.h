// Kernels on buffers whose last dimensions have one element each, as products with a vector have: without these
// dimensions the one before is contiguous.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Returns the function on buffers without last dimensions of one element, and without the loops over these; the same
/// function when it has none, or statements that are no store nests.
Ref<PrimFunc> without_trailing_ones(const Ref<PrimFunc>& func);

/// Returns `narrow`, a form of `without_trailing_ones(func)`, with the parameters of `func`.
Ref<PrimFunc> with_trailing_ones(const Ref<PrimFunc>& narrow, const Ref<PrimFunc>& func);

}  // namespace sunmao
