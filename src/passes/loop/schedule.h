// Schedules a function: each of its blocks by the schedule that knows its kind.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Packed matrix products first (they take in what follows them), then reductions, then the rest. What no schedule
/// knows stays as it is and is still right.
Ref<PrimFunc> schedule(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
