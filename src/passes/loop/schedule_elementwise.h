// Schedule of blocks without reduction: a single flat loop where all buffers are accessed at the written element, else
// vectors along the last axis and threads over the outermost one.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Blocks that cannot be vectorized along the last axis (a transpose, a gather) keep a scalar inner loop.
Ref<PrimFunc> schedule_elementwise(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
