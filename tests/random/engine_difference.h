// Tolerances between the engines' results, and errors that only compiling may report.
#pragma once
#include <string>
#include <vector>

#include "eval/value.h"

namespace sunmao {

/// Returns the arrays of a value, with tuples flattened; shapes and integers as arrays.
std::vector<Array> arrays_of(const Value& value);
/// Returns the first difference of more than twice the op's bound; empty when there is none.
std::string first_difference(const std::string& op, const std::vector<Array>& inputs,
                             const std::vector<Array>& evaluated, const std::vector<Array>& compiled);

/// True when compiling may fail with this code although the evaluator succeeds or fails with another one.
bool may_not_compile(const std::string& op, const std::string& code);

}  // namespace sunmao
