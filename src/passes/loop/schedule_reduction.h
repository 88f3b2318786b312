// The schedule of reductions: vectorized along the last reduced loop with several accumulators or, where the elements
// are not contiguous along it, vectorized across results.
#pragma once
#include "passes/loop/store_nest.h"
#include "support/target.h"

namespace sunmao {

/// Schedules sums, products, maxima and minima. An elementwise block that is the only consumer of the result is fused
/// as an epilogue. Vectorization along the reduced loop changes the order in which elements are combined.
Ref<PrimFunc> schedule_reduction(const Ref<PrimFunc>& func, const Target& target);
/// Returns a scheduled reduction of a task, without loops on threads; null when it has no vector form. `made` is null,
/// or an elementwise nest whose elements the reduction combines and which stores them on the way; null also where it
/// does not.
Stmt serial_reduction(const StoreNest& nest, const Target& target, const StoreNest* made = nullptr);

}  // namespace sunmao
