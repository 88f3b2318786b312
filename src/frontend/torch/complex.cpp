#include "frontend/torch/complex.h"

#include "frontend/shapes.h"

namespace sunmao::torch {

Complex complex_parts(const Expr& value) {
  const auto* tuple = find<Tuple>(value);
  return tuple ? Complex{tuple->fields.at(0), tuple->fields.at(1)} : Complex{value, nullptr};
}

Expr with_parts(const Expr& value, const Complex& parts) {
  const Complex before = complex_parts(value);
  return before.re == parts.re && before.im == parts.im ? value : Tuple::make({parts.re, parts.im});
}

Expr complex_of(const NodeContext& n, const Complex& parts) {
  return Tuple::make({parts.re, parts.im ? parts.im : n.call("zeros_like", {parts.re})});
}

Type stacked_type(const Type& parts) {
  const auto* part = find<TensorType>(find<TupleType>(parts)->fields.at(0));
  std::vector<Scalar> dims = *part->dims();
  dims.push_back(int_imm(2));
  return TensorType::make(std::move(dims), part->dtype);
}

Expr stacked(ModelBuilder& builder, const Expr& value, const Span& span) {
  const Complex parts = complex_parts(value);
  if (!parts.im) return value;
  const int64_t last = rank_of(parts.re);
  return builder.call(
      "concat", {Tuple::make({with_axes(builder, parts.re, {last}, span), with_axes(builder, parts.im, {last}, span)})},
      {{"axis", last}}, span);
}

Expr unstacked(ModelBuilder& builder, const Expr& tensor, const Span& span) {
  const int64_t last = rank_of(tensor) - 1;
  const auto part = [&](int64_t i) {
    return without_axes(builder, sliced(builder, tensor, {{last, int_imm(i), int_imm(i + 1)}}, span), {last}, span);
  };
  return Tuple::make({part(0), part(1)});
}

}  // namespace sunmao::torch
