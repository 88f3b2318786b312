// The ops by which programs allocate memory and place tensors in it.
#pragma once
#include "eval/memory.h"
#include "ir/op.h"

namespace sunmao {

/// What such an op gives; nothing for other ops. E0506 for a tensor that lies outside of its memory.
std::optional<Value> eval_memory_op(const Op& op, const Call& call, const ValueTuple& args, Memory& memory);

}  // namespace sunmao
