// Schedules blocks without reduction: one loop over everything where all buffers are read at the element that is
// written, vectors along the last axis, threads over the rest.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Blocks whose last axis has no vector form (a transpose, a gather along it) keep a serial inner loop.
Ref<PrimFunc> schedule_elementwise(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
