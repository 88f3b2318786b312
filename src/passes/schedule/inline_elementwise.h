// The loop pass `inline-elementwise`: inlines elementwise blocks into their consumers and removes the buffers between
// them.
#pragma once
#include "loop/prim_func.h"

namespace sunmao {

/// Inlines a temporary that a single elementwise block writes, when it is loaded once or its value is cheap (no
/// intrinsics other than index checks), unless a contraction would then compute it many times, or its reader functions
/// that take many instructions. Attention copies its operands, and computes them then. What would make an expression
/// large, as chains do whose values are each read several times, its reader computes once, in a Let.
Ref<PrimFunc> inline_elementwise(const Ref<PrimFunc>& func);

/// True when the pass inlines the temporary into its only load.
bool is_inlined(const PrimFunc& func, const Buffer& temporary);

}  // namespace sunmao
