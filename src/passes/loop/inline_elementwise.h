// The loop pass `inline-elementwise`: inlines elementwise blocks into their consumers and removes their buffers.
#pragma once
#include "loop/prim_func.h"
#include "support/target.h"

namespace sunmao {

/// Inlines a temporary that a single elementwise block writes if it is loaded once, or if its value is cheap (contains
/// no intrinsic but index checks). Nothing is inlined into blocks annotated `anchor`, because they load each element
/// many times.
Ref<PrimFunc> inline_elementwise(const Ref<PrimFunc>& func, const Target& target);

/// True when the pass inlines the temporary into its only load.
bool is_inlined(const PrimFunc& func, const Buffer& temporary);

}  // namespace sunmao
