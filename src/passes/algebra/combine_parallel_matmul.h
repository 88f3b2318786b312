// The pass `combine-parallel-matmul`: replaces matmuls with the same left operand by one matmul with concatenated right
// operands, whose result is split. A predicate selects the groups to combine.
#pragma once
#include <functional>

#include "ir/walk.h"

namespace sunmao {

/// A group of matmuls with the same left operand `input`. `biases` is empty unless every matmul is followed by a bias.
struct ParallelMatmuls {
  Expr input;
  std::vector<Expr> weights, biases;
};
/// Returns true when the group is to be combined.
using CombineCheck = std::function<bool(const ParallelMatmuls&)>;

Module combine_parallel_matmul(const Module& m, const CombineCheck& check);

}  // namespace sunmao
