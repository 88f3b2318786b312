// The common part of the passes `lazy-get-input` and `lazy-set-output`, which give entry points callback parameters.
#pragma once
#include <functional>

#include "ir/module.h"

namespace sunmao {

using EntryRewrite = std::function<Ref<Function>(const Ref<Function>& function, const std::string& name)>;
/// Rewrites each function with a global symbol. Fails (E0504), naming `pass`, when the module calls such a function,
/// because its callers have no callback to pass.
Module map_uncalled_entries(const Module& m, const char* pass, const EntryRewrite& rewrite);

}  // namespace sunmao
