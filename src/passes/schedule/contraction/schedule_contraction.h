// The schedule of contractions: tiles of rows and columns in registers.
#pragma once
#include "loop/prim_func.h"
#include "target/target.h"

namespace sunmao {

/// Schedules the contractions of a kernel, each with the elementwise statement behind it. Those that have no contiguous
/// columns, or too few rows to pay for packing them, stay as they are.
Ref<PrimFunc> schedule_contraction(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
