// What the virtual machine does by itself, on values alone: shapes, descriptors of tensors, messages, and results
// whose size depends on data.
#pragma once
#include "eval/value.h"
#include "ir/op.h"

namespace sunmao {

/// The value of a call on the values of its arguments.
using Instruction = Value (*)(const Call& call, const ValueTuple& args);

/// Null when the op is none of them.
Instruction find_instruction(const Op& op);

// Results whose size depends on data (eval/data_dependent.cpp).
Value run_unique(const Call& call, const ValueTuple& args);
Value run_nonzero(const Call& call, const ValueTuple& args);
Value run_dynamic_slice(const Call& call, const ValueTuple& args);

}  // namespace sunmao
