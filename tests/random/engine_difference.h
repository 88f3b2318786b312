// Tolerances for differences between results of evaluator and compiled code, and errors that only compiling may report.
#pragma once
#include <string>
#include <vector>

#include "eval/value.h"

namespace sunmao {

/// Describes the first difference that exceeds twice the error bound of the op; empty when there is none.
std::string first_difference(const std::string& op, const std::vector<Array>& inputs,
                             const std::vector<Array>& evaluated, const std::vector<Array>& compiled);

/// True when compiling may fail with this code although the evaluator succeeds or fails with another code.
bool may_not_compile(const std::string& op, const std::string& code);

}  // namespace sunmao
