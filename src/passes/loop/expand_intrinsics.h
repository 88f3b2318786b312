// The loop pass `expand-intrinsics`: functions of floats that are no instructions become arithmetic
// (loop/intrinsics/table.h).
#pragma once
#include "loop/prim_func.h"
#include "target/target.h"

namespace sunmao {

Ref<PrimFunc> expand_intrinsics(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
