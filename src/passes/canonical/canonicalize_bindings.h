// One function without bindings that only rename.
#pragma once
#include "ir/expr.h"

namespace sunmao {

/// What the pass `canonicalize-bindings` makes of a function; the same pointer when nothing changes.
Ref<Function> canonicalize_bindings(const Ref<Function>& function);
/// The same until nothing changes.
Ref<Function> canonical_form(Ref<Function> function);

}  // namespace sunmao
