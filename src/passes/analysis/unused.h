// Removal of unused bindings.
#pragma once
#include "ir/walk.h"

namespace sunmao {

/// Returns a function or sequence without pure bindings whose variables are unused, transitively. Casts that define
/// symbols are kept. `module` provides the purity of functions; when null, calls of them count as impure. Returns the
/// same pointer when nothing is removed.
Expr remove_all_unused(const Expr& e, const Module* module = nullptr);

}  // namespace sunmao
