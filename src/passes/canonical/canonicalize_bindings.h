// The pass `canonicalize-bindings` on a single function.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// Applies the pass once; returns the same pointer when nothing changes.
Ref<Function> canonicalize_bindings(const Ref<Function>& function, bool in_numbers);
/// Applies the pass until a fixpoint is reached.
Ref<Function> canonical_form(Ref<Function> function);

}  // namespace sunmao
