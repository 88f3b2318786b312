// Widening of kernels on floats narrower than 32 bits: they compute in float32 and round once, when a result is stored.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Returns the kernel with every computation of several rounding steps, including sums, carried out in float32; the
/// kernel itself where each result is rounded at most once.
Ref<PrimFunc> with_wide_steps(const Ref<PrimFunc>& kernel);

}  // namespace sunmao
