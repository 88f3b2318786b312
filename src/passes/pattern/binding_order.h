// Topological order of bindings.
#pragma once
#include <functional>

#include "ir/expr.h"

namespace sunmao {

/// Sorts bindings so that definitions precede uses; bindings that are in such an order already keep it. `on_cycle` is
/// called with a variable that depends on itself, and must throw.
std::vector<Binding> in_order(const std::vector<Binding>& bindings, const std::function<void(const Var&)>& on_cycle);

}  // namespace sunmao
