// Schedules reductions: in vectors along the reduced axis with several accumulators, or, where the reduced axis is not
// the last one, in vectors across results.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Sums, products, maxima and minima whose results are read at most by one elementwise block that follows, which is
/// then part of the same loop. Summing along the last axis changes the order of additions.
Ref<PrimFunc> schedule_reduction(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
