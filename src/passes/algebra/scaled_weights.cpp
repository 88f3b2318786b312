#include "passes/algebra/scaled_weights.h"

#include "ops/ops.h"

namespace sunmao {

Ref<Call> with_scaled_weight(const Call& product, int axis, const char* op, const Expr& scale, const EmitFn& emit) {
  const Expr& weight = product.args[1];
  const auto *vector = find<TensorType>(scale->type), *type = find<TensorType>(weight->type);
  const bool is_number = !vector || vector->rank == 0 || type->rank == 1;
  Expr spread = is_number ? scale : emit(along_axis(scale, axis, type->rank));
  Expr scaled = emit(Call::make(builtin_ops().get(op), {weight, spread}, {}, {}, weight->span));
  return product.with_args({product.args[0], scaled});
}

Expr as_vector_along(const Expr& scale, int axis, int rank, Analyzer& analyzer, const EmitFn& emit) {
  if (find<PrimType>(scale->type)) return scale;
  const auto* type = find<TensorType>(scale->type);
  if (!type || !type->dims() || type->rank > rank) return nullptr;
  const std::vector<Scalar>& dims = *type->dims();
  if (dims.empty()) return scale;
  // The axis of the lower-rank tensor that broadcasting aligns with `axis`: shapes are aligned at their trailing axes.
  const int at = axis - (rank - type->rank);
  for (int i = 0; i < type->rank; ++i)
    if (i != at && !analyzer.can_prove_equal(dims[static_cast<size_t>(i)], int_imm(1))) return nullptr;
  const Scalar size = at < 0 ? int_imm(1) : dims[static_cast<size_t>(at)];
  if (type->rank == 1) return scale;
  return emit(Call::make(builtin_ops().get("reshape"), {scale, ShapeExpr::make({size})}, {}, {}, scale->span));
}

}  // namespace sunmao
