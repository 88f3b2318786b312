// Replaces loops marked unrolled, of a constant number of steps, by their steps.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// A loop with an unknown number of steps, or with very many, becomes serial.
Ref<PrimFunc> unroll_loops(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
