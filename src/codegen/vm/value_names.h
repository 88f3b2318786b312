// The names that inputs and outputs of a function have in the model's file, which scripts cannot always use.
#pragma once
#include <string>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

/// By the attribute `input_names`: the parameter's name in the model's file, its own where it says nothing.
std::string input_name(const Function& f, const std::string& param);

/// By the attribute `output_names`; empty where it does not name `count` results.
std::vector<std::string> output_names(const Function& f, size_t count);

}  // namespace sunmao
