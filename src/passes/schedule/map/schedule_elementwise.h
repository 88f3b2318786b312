// The schedule of blocks without reduction: index-set splitting, square tiles for transposes, vectors along the last
// axis, and outermost loops on threads.
#pragma once
#include "passes/schedule/family.h"

namespace sunmao {

/// Elementwise blocks. Those that cannot be vectorized along the last axis (a transpose, a gather) keep a scalar inner
/// loop.
extern const Family kMapFamily;

/// Returns an elementwise nest of a task, without loops on threads.
Stmt serial_elementwise(const StoreNest& nest, const Target& target);

}  // namespace sunmao
