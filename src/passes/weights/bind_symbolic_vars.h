// The pass `bind-symbolic-vars` on a single function: replaces symbols by scalars.
#pragma once
#include "ir/module.h"
#include "sym/walk.h"

namespace sunmao {

/// Returns `function` with `symbols` substituted; the same pointer when it uses none of them.
Ref<Function> bind_symbols(const Ref<Function>& function, const Substitution& symbols);
/// Returns the symbols of the function that have this name.
std::vector<Ref<SymVar>> find_symbols(const Function& function, const std::string& name);

}  // namespace sunmao
