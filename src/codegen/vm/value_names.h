// The names of a function's inputs and outputs in the model's file, which need not be identifiers.
#pragma once
#include <string>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

/// Returns the parameter's name in the model's file from attribute `input_names`; `param` when it has none.
std::string input_name(const Function& f, const std::string& param);

/// Returns the attribute `output_names`; empty unless it has `count` names.
std::vector<std::string> output_names(const Function& f, size_t count);

}  // namespace sunmao
