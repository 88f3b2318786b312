// The loop pass `simplify-loops`: simplifies indices and conditions by the ranges of loop variables, and removes
// branches with constant conditions and loops of extent 0 or 1. Arithmetic on data is unchanged.
#pragma once
#include "loop/prim_func.h"
#include "target/target.h"

namespace sunmao {

Ref<PrimFunc> simplify_loops(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
