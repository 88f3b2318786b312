// Products of one left operand with several right ones as one product, whose result is split.
#pragma once
#include <functional>

#include "ir/walk.h"

namespace sunmao {

/// Products that may become one: `biases` is empty unless every branch has one.
struct ParallelMatmuls {
  Expr input;
  std::vector<Expr> weights, biases;
};
/// Says which of them shall become one.
using CombineCheck = std::function<bool(const ParallelMatmuls&)>;

Module combine_parallel_matmul(const Module& m, const CombineCheck& check);

}  // namespace sunmao
