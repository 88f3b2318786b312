// What the virtual machine does by itself, on values: shapes and tensors of shapes.
#pragma once
#include <optional>

#include "eval/value.h"
#include "ir/op.h"

namespace sunmao {

/// The value of a call of `op`, or nothing when it is no such instruction.
std::optional<Value> run_instruction(const Op& op, const std::vector<Value>& args);

}  // namespace sunmao
