// What converters of linear algebra share.
#pragma once
#include "frontend/shapes.h"
#include "frontend/torch/node_context.h"

namespace sunmao::torch {

/// Returns `x` with its last two axes exchanged.
inline Expr transposed(const NodeContext& n, const Expr& x) {
  const int64_t rank = n.rank(x);
  if (rank < 2) throw UnsupportedUse{"of a tensor that holds no matrices"};
  std::vector<int64_t> axes;
  for (int64_t i = 0; i + 2 < rank; ++i) axes.push_back(i);
  axes.insert(axes.end(), {rank - 1, rank - 2});
  return permuted(n.builder, x, axes, n.span);
}

/// Returns the leading dimensions of a tensor of matrices.
inline std::vector<Scalar> batch_of(const NodeContext& n, const Expr& a) {
  if (n.rank(a) < 2) throw UnsupportedUse{"of a tensor that holds no matrices"};
  return {n.dims(a).begin(), n.dims(a).end() - 2};
}

/// Returns `x` with the leading dimensions `batch`.
inline Expr in_batch(const NodeContext& n, const Expr& x, std::vector<Scalar> batch) {
  batch.insert(batch.end(), n.dims(x).end() - 2, n.dims(x).end());
  return broadcast(n.builder, x, batch, n.span);
}

/// Returns the status of each matrix, which says that all went well.
inline Expr no_error(const NodeContext& n, const Expr& a) {
  return broadcast(n.builder, n.constant(DType::int_(32), 0), batch_of(n, a), n.span);
}

}  // namespace sunmao::torch
