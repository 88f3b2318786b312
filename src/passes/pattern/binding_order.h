// The order of bindings: each behind those that it reads.
#pragma once
#include <functional>

#include "ir/expr.h"

namespace sunmao {

/// The bindings in their order as far as that goes. `on_cycle`, which must throw, is given a variable that is computed
/// from itself.
std::vector<Binding> in_order(const std::vector<Binding>& bindings, const std::function<void(const Var&)>& on_cycle);

}  // namespace sunmao
