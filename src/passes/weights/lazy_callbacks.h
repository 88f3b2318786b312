// What LazyGetInput and LazySetOutput share: functions of the host that become parameters of entry points.
#pragma once
#include <functional>

#include "ir/module.h"

namespace sunmao {

using EntryRewrite = std::function<Ref<Function>(const Ref<Function>& function, const std::string& name)>;
/// Each function with a global symbol rewritten. Fails (E0504) in the name of `pass` where the module calls one itself:
/// its callers have no callback to hand over.
Module map_uncalled_entries(const Module& m, const char* pass, const EntryRewrite& rewrite);

}  // namespace sunmao
