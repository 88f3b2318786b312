// Schedule of reductions: vectorized along the reduced axis with several accumulators or, if the reduced axis is not
// the last one, vectorized across results.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Schedules sums, products, maxima and minima; an elementwise block that is the only consumer is fused as epilogue.
/// Sums along the last axis are reassociated.
Ref<PrimFunc> schedule_reduction(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
