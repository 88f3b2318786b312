// Schedule of reductions: vectorized along the last reduced loop with several accumulators or, where the element has no
// vector form along it, across results.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Schedules sums, products, maxima and minima; an elementwise block that is the only consumer is fused as epilogue.
/// Reductions that are vectorized along the reduced loop are reassociated.
Ref<PrimFunc> schedule_reduction(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
