// The loop pass `schedule`: applies to each block of a kernel the schedule that fits it.
#pragma once
#include "loop/prim_func.h"
#include "target/target.h"

namespace sunmao {

/// Applies the kernel families in this order: attention, contractions with their epilogues, rows, single reductions,
/// elementwise blocks; then the outer loops of blocks that no family takes are spread over threads where iterations are
/// independent. Blocks that nothing recognises are unchanged.
Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
