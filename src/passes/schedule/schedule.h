// The loop pass `schedule`: applies to each block of a kernel the schedule that fits it.
#pragma once
#include "loop/prim_func.h"
#include "target/target.h"

namespace sunmao {

/// Schedules first matrix products with packed weights, then other sums of products (with their epilogues), then
/// reductions, then elementwise blocks.
/// Blocks that no schedule recognises are unchanged.
Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
