// The loop pass `schedule`: applies the schedule that fits each block of a function.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Schedules packed matrix products (with their epilogues) first, then reductions, then elementwise blocks. Blocks that
/// no schedule recognises are unchanged.
Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
