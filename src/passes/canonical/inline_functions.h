// Inlining of function calls.
#pragma once
#include <map>

#include "ir/module.h"

namespace sunmao {

/// Returns `function` with calls of the functions in `functions` inlined, recursively. A dataflow block is split around
/// an inlined body that is not pure dataflow. Fails (E0517) on a recursive call among them.
Ref<Function> inline_functions(const Ref<Function>& function, const std::map<std::string, Ref<Function>>& functions);

}  // namespace sunmao
