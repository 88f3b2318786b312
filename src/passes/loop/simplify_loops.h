// Simplifies what loops say of indices and conditions, with the ranges of the loops around: branches that are decided
// disappear, and loops of no or one step with them. Arithmetic on data stays as written.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

Ref<PrimFunc> simplify_loops(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
