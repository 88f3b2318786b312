#include "frontend/torch/complex_arithmetic.h"

#include "frontend/shapes.h"
#include "frontend/torch/promotion.h"

namespace sunmao::torch {

DType dtype_of_parts(const NodeContext& n) {
  const auto* parts = find<TupleType>(n.recorded());
  if (!parts) throw UnsupportedUse{"on complex numbers"};
  return find<TensorType>(parts->fields.at(0))->dtype;
}

Complex complex_operand(const NodeContext& n, std::string_view name) {
  const DType dtype = dtype_of_parts(n);
  if (const auto number = n.complex_number(name)) {
    const auto [re, im] = *number;
    return {n.constant(dtype, re), im == 0 ? Expr() : n.constant(dtype, im)};
  }
  if (!n.has_tensor(name)) return {converted(n.builder, n.number_tensor(name), dtype, n.span), nullptr};
  Complex parts = complex_parts(n.tensor(name));
  parts.re = converted(n.builder, parts.re, dtype, n.span);
  if (parts.im) parts.im = converted(n.builder, parts.im, dtype, n.span);
  return parts;
}

Complex times(const NodeContext& n, const Complex& a, const Complex& b) {
  const auto product = [&](const Expr& x, const Expr& y) { return x && y ? n.call("multiply", {x, y}) : Expr(); };
  const Expr re = product(a.re, b.re), turned = product(a.im, b.im), x = product(a.re, b.im), y = product(a.im, b.re);
  return {turned ? n.call("subtract", {re, turned}) : re, x && y ? n.call("add", {x, y}) : x ? x : y};
}

Complex over(const NodeContext& n, const Complex& a, const Complex& b) {
  if (!b.im) return {n.call("divide", {a.re, b.re}), a.im ? n.call("divide", {a.im, b.re}) : Expr()};
  const DType dtype = dtype_of(b.re);
  const auto product = [&](const Expr& x, const Expr& y) { return n.call("multiply", {x, y}); };
  const Expr swap = n.call("greater", {n.call("abs", {b.im}), n.call("abs", {b.re})});
  const Expr large = n.call("where", {swap, b.im, b.re}), small = n.call("where", {swap, b.re, b.im});
  const Expr is_zero = n.call("equal", {large, n.constant(dtype, 0)});
  const Expr ratio = n.call("where", {is_zero, n.constant(dtype, 0), n.call("divide", {small, large})});
  const Expr size = n.call("add", {large, product(small, ratio)});
  const Expr re = a.re, im = a.im ? a.im : n.call("zeros_like", {a.re});
  const Expr straight_re = n.call("add", {re, product(im, ratio)}), turned_re = n.call("add", {product(re, ratio), im}),
             straight_im = n.call("subtract", {im, product(re, ratio)}),
             turned_im = n.call("subtract", {product(im, ratio), re});
  return {n.call("divide", {n.call("where", {swap, turned_re, straight_re}), size}),
          n.call("divide", {n.call("where", {swap, turned_im, straight_im}), size})};
}

Complex sum_of(const NodeContext& n, const char* op, const Complex& a, const Complex& b) {
  Complex out{n.call(op, {a.re, b.re}), nullptr};
  const auto in_shape = [&](const Expr& part) { return broadcast(n.builder, part, n.dims(out.re), n.span); };
  if (a.im && b.im)
    out.im = n.call(op, {a.im, b.im});
  else if (a.im)
    out.im = in_shape(a.im);
  else if (b.im)
    out.im = in_shape(std::string_view(op) == "add" ? b.im : n.call("negative", {b.im}));
  return out;
}

Complex both_parts(const NodeContext& n, std::string_view name) {
  return complex_parts(complex_of(n, complex_parts(n.tensor(name))));
}

Expr magnitude(const NodeContext& n, const Complex& z) { return n.call("hypot", {z.re, z.im}); }
Complex polar_of(const NodeContext& n, const Expr& size, const Expr& turn) {
  return {n.call("multiply", {size, n.call("cos", {turn})}), n.call("multiply", {size, n.call("sin", {turn})})};
}

}  // namespace sunmao::torch
