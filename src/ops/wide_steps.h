// Kernels of floats narrower than 32 bits that compute in float32, and round where they store a result.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// The same kernel, in which what takes several steps of such floats, sums among them, takes them in float32, so that a
/// result rounds once. The kernel itself where each result takes one step, or none.
Ref<PrimFunc> with_wide_steps(const Ref<PrimFunc>& kernel);

}  // namespace sunmao
