#include "frontend/torch/rows.h"

#include "frontend/shapes.h"

namespace sunmao::torch {

Expr as_self(const NodeContext& n, const Expr& value) {
  Expr self = n.tensor("self");
  Expr same_dtype = converted(n.builder, value, dtype_of(self), n.span);
  const std::vector<Scalar>& dims = n.dims(self);
  return rank_of(value) == static_cast<int>(dims.size()) ? same_dtype : broadcast(n.builder, same_dtype, dims, n.span);
}

Expr as_recorded(const NodeContext& n, const Expr& value) {
  const auto* recorded = find<TensorType>(n.recorded());
  if (!recorded || !recorded->dims()) return value;
  std::vector<Scalar> dims = *recorded->dims();
  for (Scalar& size : dims) {
    if (!n.builder.is_sized_by_inputs(size)) return value;  // it depends on data
    const bool may_end_below = !n.builder.can_prove(Binary::make(BinaryOp::Ge, size, int_imm(0)));
    if (may_end_below) size = n.builder.simplify(max(size, int_imm(0)));
  }
  return reshaped(n.builder, value, std::move(dims), n.span);
}

}  // namespace sunmao::torch
