// The schedule of blocks that no family takes: their outer loops run on threads where iterations have nothing in
// common.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Spreads the outer loops of blocks over threads, as far as each iteration of them provably writes to elements of its
/// own, and reads no element that another one writes.
Ref<PrimFunc> schedule_blocks(const Ref<PrimFunc>& func);

}  // namespace sunmao
