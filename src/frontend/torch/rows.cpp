#include "frontend/torch/rows.h"

#include <iterator>

#include "frontend/shapes.h"
#include "ir/walk.h"

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
  std::vector<Ref<SymVar>> known;
  for (const Ref<Var>& input : n.builder.inputs())
    std::ranges::copy(defined_symbols(input->type), std::back_inserter(known));
  for (const Ref<SymVar>& s : free_symbols(n.recorded()))
    if (std::ranges::find(known, s) == known.end()) return value;  // a size that depends on data
  return reshaped(n.builder, value, *recorded->dims(), n.span);
}

}  // namespace sunmao::torch
