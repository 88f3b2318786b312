// The schedule of the kernel family `row`.
#pragma once
#include "loop/prim_func.h"
#include "target/target.h"

namespace sunmao {

/// Schedules groups of statements that pass over a row one after the other: threads take rows, and what is computed for
/// a row alone is stored for that row alone.
Ref<PrimFunc> schedule_rows(const Ref<PrimFunc>& func, const Target& target);

/// Schedules attention.
Ref<PrimFunc> schedule_attention(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
