// Checks of function names in pass arguments.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Fails (E0515), naming `pass`, when one of `names` is no function of the module.
void require_functions(const Module& m, const char* pass, const std::vector<std::string>& names);

}  // namespace sunmao
