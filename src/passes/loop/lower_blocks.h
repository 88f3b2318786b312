// The loop pass `lower-blocks`: replaces blocks by plain statements. Iterators are replaced by their bound values,
// predicates become branches, reductions are initialised first, and buffers are allocated in the scope of their block.
#pragma once
#include "loop/prim_func.h"
#include "target/target.h"

namespace sunmao {

Ref<PrimFunc> lower_blocks(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
