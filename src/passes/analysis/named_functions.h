// Functions that a caller of a pass names.
#pragma once
#include "ir/module.h"

namespace sunmao {

/// Fails (E0515) in the name of `pass` when the module has no function of one of the names.
void require_functions(const Module& m, const char* pass, const std::vector<std::string>& names);

}  // namespace sunmao
