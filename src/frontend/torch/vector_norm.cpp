#include "frontend/torch/vector_norm.h"

#include <cmath>

#include "frontend/shapes.h"
#include "frontend/torch/promotion.h"

namespace sunmao::torch {

namespace {

Expr norm_in_dtype(const NodeContext& n, const Expr& x, double order, const AttrMap& axes) {
  auto reduced = [&](const char* op, const Expr& e) { return n.call(op, {e}, axes); };
  const DType t = dtype_of(x);
  if (std::isinf(order)) return reduced(order > 0 ? "max" : "min", n.call("abs", {x}));
  if (order == 0) return reduced("sum", converted(n.builder, n.call("not_equal", {x, n.constant(t, 0)}), t, n.span));
  if (order == 1) return reduced("sum", n.call("abs", {x}));
  if (order == 2) return n.call("sqrt", {reduced("sum", n.call("multiply", {x, x}))});
  Expr sum = reduced("sum", n.call("power", {n.call("abs", {x}), n.constant(t, order)}));
  return n.call("power", {sum, n.constant(t, 1 / order)});
}

}  // namespace

Expr vector_norm(const NodeContext& n, const Expr& x, double order, const AttrMap& axes) {
  return converted(n.builder, norm_in_dtype(n, widened(n, x), order, axes), dtype_of(x), n.span);
}

}  // namespace sunmao::torch
