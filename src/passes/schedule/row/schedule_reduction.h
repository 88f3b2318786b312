// The schedule of reductions: vectorized along the last reduced loop with several accumulators or, where the elements
// are not contiguous along it, vectorized across results.
#pragma once
#include <functional>

#include "passes/schedule/family.h"

namespace sunmao {

/// Schedules sums, products, maxima and minima. An elementwise block that is the only consumer of the result is fused
/// as an epilogue. Vectorization along the reduced loop changes the order in which elements are combined.
extern const Family kReductionFamily;

/// Returns the loop of a reduction that is vectorized: the last reduced one that can be, else the last spatial one.
std::optional<size_t> vector_loop_of(const Reduction& r, int lanes);

/// What a reduction does beside combining elements.
struct OnTheWay {
  const StoreNest* made = nullptr;  // an elementwise nest whose elements the reduction combines: it stores them
  /// Emits a hint for each whole vector of elements along the loop that is vectorized, the last reduced one, from `at`.
  std::function<Stmt(const Scalar& at)> hint = {};
};

/// Returns a scheduled reduction of a task, without loops on threads; null when it has no vector form, or does not
/// combine what is `made`.
Stmt serial_reduction(const StoreNest& nest, const Target& target, const OnTheWay& on_the_way = {});

}  // namespace sunmao
