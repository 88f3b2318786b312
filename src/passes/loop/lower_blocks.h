// Makes plain loops of blocks: iterators become what they are bound to, predicates become branches, initial values
// are stored ahead of the reduction, and buffers are allocated where they live.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

Ref<PrimFunc> lower_blocks(const Ref<PrimFunc>& func, const Target& target);

}  // namespace sunmao
