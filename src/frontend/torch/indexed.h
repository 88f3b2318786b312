// Indexed: what indices such as x[:, i, j] or x[mask] select, for reading and writing. Masks become indices.
#pragma once
#include "frontend/torch/node_context.h"

namespace sunmao::torch {

/// The axes that index tensors select from stand first in `order`, so that `R.index_tensor` and `R.index_put` apply.
struct Indexed {
  std::vector<Expr> indices;   // integer tensors, one for each of the first axes
  std::vector<int64_t> order;  // of the axes of the data
  int64_t first_axis = 0;      // where the selected axes begin in the data
  bool is_together = true;     // they stand side by side in the data
  int64_t index_rank = 0;      // of all indices broadcast
};

/// Reads the argument `indices` of data of this shape. `count` is how many elements a mask selects that only a run
/// knows; null for a new size.
Indexed indexed(const NodeContext& n, const Expr& data, const Scalar& count = nullptr);

/// Returns a mask's argument when it is the only index, and covers the first axes of the data; else null.
Expr only_mask(const NodeContext& n);

/// Returns where the indexed axes of the result stand: the permutation from (indices, rest) to PyTorch's order.
std::vector<int64_t> result_order(const Indexed& x, int64_t data_rank);
std::vector<int64_t> inverse(const std::vector<int64_t>& order);

}  // namespace sunmao::torch
