// Converters of Add, Sub, Mul, Relu, Identity.
#include "frontend/onnx/node_context.h"
#include "frontend/shapes.h"

namespace sunmao::onnx {
namespace {

/// Elementwise arithmetic on shape values; a single element is broadcast.
Value shape_arithmetic(const NodeContext& n, BinaryOp op) {
  ShapeValue a = n.get_shape(0), b = n.get_shape(1);
  const size_t size = a.elements.size() == 1 ? b.elements.size() : a.elements.size();
  if (b.elements.size() != 1 && b.elements.size() != size)
    n.fail(fmt::format("shapes of {} and {} elements", a.elements.size(), b.elements.size()));
  ShapeValue out{.elements = {}, .is_list = a.is_list || b.is_list, .dtype = a.dtype};
  for (size_t i = 0; i < size; ++i) {
    const Scalar &x = a.elements[a.elements.size() == 1 ? 0 : i], &y = b.elements[b.elements.size() == 1 ? 0 : i];
    out.elements.push_back(bounded(n.builder.simplify(Binary::make(op, x, y))));
  }
  return of_shape(std::move(out));
}

Value arithmetic(const NodeContext& n, BinaryOp op, const char* name) {
  const bool computed = n.is_computed_shape(0) || n.is_computed_shape(1);
  if (computed && n.is_shape(0) && n.is_shape(1)) return shape_arithmetic(n, op);
  return of_expr(n.call(name, {n.tensor(0), n.tensor(1)}));
}

Value add(const NodeContext& n) { return arithmetic(n, BinaryOp::Add, "add"); }
Value sub(const NodeContext& n) { return arithmetic(n, BinaryOp::Sub, "subtract"); }
Value mul(const NodeContext& n) { return arithmetic(n, BinaryOp::Mul, "multiply"); }
Value relu(const NodeContext& n) { return of_expr(n.call("nn.relu", {n.tensor(0)})); }

Value identity(const NodeContext& n) {
  if (n.is_computed_shape(0)) return of_shape(n.get_shape(0));
  return of_expr(n.tensor(0));
}

}  // namespace

std::vector<Converter> elementwise_converters() {
  return {{"Add", 7, add, {"add"}},
          {"Sub", 7, sub, {"subtract"}},
          {"Mul", 7, mul, {"multiply"}},
          {"Relu", 1, relu, {"nn.relu"}},
          {"Identity", 1, identity, {}}};
}

}  // namespace sunmao::onnx
