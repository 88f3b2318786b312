// Symbols replaced by numbers and scalar expressions.
#pragma once
#include "ir/module.h"
#include "sym/walk.h"

namespace sunmao {

/// `function` with scalars in place of symbols; this function when it has none of them.
Ref<Function> bind_symbols(const Ref<Function>& function, const Substitution& symbols);
/// The symbols of the function with this name.
std::vector<Ref<SymVar>> find_symbols(const Function& function, const std::string& name);

}  // namespace sunmao
