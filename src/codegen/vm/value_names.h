// The names of a function's inputs and outputs in the model's file, which need not be identifiers.
#pragma once
#include <string>
#include <vector>

#include "ir/expr.h"

namespace sunmao {

/// Returns the parameter's name in the model's file from attribute `sunmao.source_inputs`; `param` when it has none.
std::string input_name(const Function& f, const std::string& param);

/// Returns the names of the results in the file; empty unless it has `count` names.
std::vector<std::string> output_names(const Function& f, size_t count);

}  // namespace sunmao
