// How far the results of the engines may lie apart, and what compiled code may refuse that the evaluator computes.
#pragma once
#include <string>
#include <vector>

#include "eval/value.h"

namespace sunmao {

/// The arrays of a value, one after another as they stand in tuples; shapes and integers as arrays.
std::vector<Array> arrays_of(const Value& value);
/// Where they differ by more than twice the bound of this op; empty when they do not.
std::string first_difference(const std::string& op, const std::vector<Array>& inputs,
                             const std::vector<Array>& evaluated, const std::vector<Array>& compiled);

/// Whether compiling may fail with this code where the evaluator computes, or fails with another one.
bool may_not_compile(const std::string& op, const std::string& code);

}  // namespace sunmao
