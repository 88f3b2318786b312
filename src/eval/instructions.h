// Ops that are evaluated without a kernel, such as those on shapes, tensor descriptors, views, messages and devices,
// collectives of a single worker, and ops with data-dependent result shapes.
#pragma once
#include "eval/value.h"
#include "ir/op.h"

namespace sunmao {

/// Returns the value of a call, given the values of its arguments.
using Instruction = Value (*)(const Call& call, const ValueTuple& args);

/// Returns the function that evaluates the op without a kernel, or null when there is none.
Instruction find_instruction(const Op& op);

// Ops with data-dependent result shapes (eval/data_dependent.cpp).
Value run_unique(const Call& call, const ValueTuple& args);
Value run_nonzero(const Call& call, const ValueTuple& args);
Value run_dynamic_slice(const Call& call, const ValueTuple& args);

}  // namespace sunmao
