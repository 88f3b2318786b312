// Evaluates the ops that allocate memory and create tensors in it.
#pragma once
#include "eval/memory.h"
#include "ir/op.h"

namespace sunmao {

/// Runs a call of an op that allocates memory or creates a tensor in it; nullopt for other ops. Fails (E0506) for a
/// tensor that exceeds its memory, (E0911) for sizes that no array can have, and (E0505) for an argument that is not a
/// shape or memory where one is expected.
std::optional<Value> eval_memory_op(const Op& op, const Call& call, const ValueTuple& args, Memory& memory);

}  // namespace sunmao
