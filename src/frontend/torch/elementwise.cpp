// Converters of add, sub and mul of tensors and numbers, maximum, relu.
#include "frontend/shapes.h"
#include "frontend/torch/node_context.h"

namespace sunmao::torch {
namespace {

/// Converts a Python number to the tensor's dtype; a fraction with an integer tensor would change the result's dtype.
Expr number_beside(const NodeContext& n, const Expr& x, Number number) {
  if (!number.is_integer && !dtype_of(x).is_float()) throw UnsupportedUse{"of integers and a fraction"};
  return scalar_constant(dtype_of(x), number.value, n.span);
}

/// Returns self op alpha * other.
Expr scaled_binary(const NodeContext& n, const char* op) {
  Expr x = n.tensor("self");
  return n.call(op, {x, scaled(n.builder, n.tensor("other"), n.number("alpha").value, n.span)});
}

Expr scaled_binary_number(const NodeContext& n, const char* op) {
  Expr x = n.tensor("self");
  Number other = n.number("other"), alpha = n.number("alpha");
  return n.call(op, {x, number_beside(n, x, {other.value * alpha.value, other.is_integer && alpha.is_integer})});
}

Expr add(const NodeContext& n) { return scaled_binary(n, "add"); }
Expr sub(const NodeContext& n) { return scaled_binary(n, "subtract"); }
Expr add_number(const NodeContext& n) { return scaled_binary_number(n, "add"); }
Expr sub_number(const NodeContext& n) { return scaled_binary_number(n, "subtract"); }
Expr mul(const NodeContext& n) { return n.call("multiply", {n.tensor("self"), n.tensor("other")}); }
Expr mul_number(const NodeContext& n) {
  Expr x = n.tensor("self");
  return n.call("multiply", {x, number_beside(n, x, n.number("other"))});
}
Expr maximum(const NodeContext& n) { return n.call("maximum", {n.tensor("self"), n.tensor("other")}); }
Expr relu(const NodeContext& n) { return n.call("nn.relu", {n.tensor("self")}); }

/// Converts by `tensors` or `numbers`: an overload for tensors may also get a number as `other`.
template <Convert tensors, Convert numbers>
Expr either(const NodeContext& n) {
  return n.has_tensor("other") ? tensors(n) : numbers(n);
}

}  // namespace

std::vector<Converter> elementwise_converters() {
  const AttrMap alpha{{"alpha", 1}};
  return {{"aten.add.Tensor", either<add, add_number>, {"add", "multiply"}, alpha},
          {"aten.add.Scalar", add_number, {"add"}, alpha},
          {"aten.sub.Tensor", either<sub, sub_number>, {"subtract", "multiply"}, alpha},
          {"aten.sub.Scalar", sub_number, {"subtract"}, alpha},
          {"aten.mul.Tensor", either<mul, mul_number>, {"multiply"}},
          {"aten.mul.Scalar", mul_number, {"multiply"}},
          {"aten.maximum.default", maximum, {"maximum"}},
          {"aten.relu.default", relu, {"nn.relu"}}};
}

}  // namespace sunmao::torch
