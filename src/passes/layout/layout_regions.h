// Chooses which calls of a function compute with their channels last: those for which all kernels and the transposes
// between them take the fewest steps in total (layout_cost.h), by a minimum cut.
#pragma once
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "ir/walk.h"
#include "ops/layout_rule.h"

namespace sunmao {

/// The plans of calls when all of them have their channels last where they can, by the variables they are bound to.
using LayoutPlans = std::unordered_map<Ref<Var>, LayoutPlan>;

/// Returns the variables of the calls that stay in their original layout. `free_to_read` are variables of calls that
/// read tensors in any layout without a transpose. `tell`, if it is set, receives a line for each region: calls that
/// pass tensors on to each other.
std::unordered_set<Ref<Var>> calls_that_stay(const Function& f, const LayoutPlans& plans,
                                             const std::unordered_set<Ref<Var>>& free_to_read,
                                             const std::function<void(const std::string& line)>& tell);

}  // namespace sunmao
