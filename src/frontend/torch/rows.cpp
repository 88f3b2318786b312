#include "frontend/torch/rows.h"

#include "frontend/shapes.h"

namespace sunmao::torch {

Expr as_self(const NodeContext& n, const Expr& value) {
  Expr self = n.tensor("self");
  Expr same_dtype = converted(n.builder, value, dtype_of(self), n.span);
  const std::vector<Scalar>& dims = n.dims(self);
  return rank_of(value) == static_cast<int>(dims.size()) ? same_dtype : broadcast(n.builder, same_dtype, dims, n.span);
}

}  // namespace sunmao::torch
