// Calls of the module's functions inside loop-level functions, which name the function by its text.
#pragma once
#include <map>

#include "loop/prim_func.h"

namespace sunmao {

/// The functions that `f` calls, in order, each as often as it is called.
std::vector<std::string> called_functions(const PrimFunc& f);
/// The function with calls of other names where `names` has one; this function when none changes.
Ref<PrimFunc> rename_called_functions(const Ref<PrimFunc>& f, const std::map<std::string, std::string>& names);

}  // namespace sunmao
