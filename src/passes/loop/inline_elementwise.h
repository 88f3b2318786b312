// Inlines elementwise blocks into the blocks that read them; their buffers disappear.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// A temporary that one block without reduction fills is computed where it is read: if it is read once, or is cheap (no
/// intrinsic in it). Blocks annotated `anchor` take nothing in, since they read each element many times.
Ref<PrimFunc> inline_elementwise(const Ref<PrimFunc>& func, const Target& target);

/// Whether the pass computes what this temporary holds in the only place that reads it.
bool is_inlined(const PrimFunc& func, const Buffer& temporary);

}  // namespace sunmao
