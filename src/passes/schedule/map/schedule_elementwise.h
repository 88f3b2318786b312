// The schedule of blocks without reduction: ranges of an index in which a value is computed in one way, tiles where the
// input lies along another axis, and vectors along the last axis, with the outermost loops on threads.
#pragma once
#include "passes/loop/store_nest.h"
#include "target/target.h"

namespace sunmao {

/// Schedules the elementwise blocks of a function. Blocks that cannot be vectorized along the last axis (a transpose, a
/// gather) keep a scalar inner loop.
Ref<PrimFunc> schedule_elementwise(const Ref<PrimFunc>& func, const Target& target);
/// Returns an elementwise nest of a task, without loops on threads.
Stmt serial_elementwise(const StoreNest& nest, const Target& target);

}  // namespace sunmao
