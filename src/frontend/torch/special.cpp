// Converters of special functions: gamma, zeta and Bessel functions, and those of the normal distribution.
#include <cmath>
#include <limits>
#include <numbers>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// Converts derivatives of digamma: (-1)^(order + 1) order! zeta(order + 1, x).
Results polygamma(const NodeContext& n) {
  Expr x = float_tensor(n, "self");
  const int64_t order = n.integer("n");
  if (order < 0) n.malformed("n");
  if (order == 0) return n.call("digamma", {x});
  const auto number = static_cast<double>(order);
  const double factor = (order % 2 == 0 ? -1 : 1) * std::exp(std::lgamma(number + 1));
  Expr wide = widened(n, x);
  Expr sum = n.call("zeta", {n.constant(dtype_of(wide), number + 1), wide});
  return converted(n.builder, scaled(n.builder, sum, order < 20 ? std::round(factor) : factor, n.span), dtype_of(x),
                   n.span);
}

/// Converts the logarithm of the gamma function of several variables: a sum over halves below x.
Results multivariate_lgamma(const NodeContext& n) {
  Expr x = float_tensor(n, "self"), wide = widened(n, x);
  const int64_t count = n.integer("p");
  constexpr int64_t kMost = 64;
  if (count < 1 || count > kMost) throw UnsupportedUse{"of more than 64 variables"};
  const auto p = static_cast<double>(count);
  Expr sum = n.constant(dtype_of(wide), p * (p - 1) / 4 * std::log(std::numbers::pi));
  for (int64_t i = 0; i < count; ++i) {
    Expr place = n.call("subtract", {wide, n.constant(dtype_of(wide), static_cast<double>(i) / 2)});
    sum = n.call("add", {sum, n.call("lgamma", {place})});
  }
  return converted(n.builder, sum, dtype_of(x), n.span);
}

/// Converts the probability that a normal variable lies below x.
Results normal_probability(const NodeContext& n) {
  Expr x = float_tensor(n, "self"), wide = widened(n, x);
  Expr tail = n.call("erfc", {scaled(n.builder, wide, -std::numbers::sqrt2 / 2, n.span)});
  return converted(n.builder, scaled(n.builder, tail, 0.5, n.span), dtype_of(x), n.span);
}

/// Converts -x log(x), which is 0 at 0 and has no value below.
Results entropy(const NodeContext& n) {
  Expr x = float_tensor(n, "self"), wide = widened(n, x), zero = n.constant(dtype_of(wide), 0);
  Expr value = n.call("negative", {n.call("xlogy", {wide, wide})});
  Expr below = n.constant(dtype_of(wide), -std::numeric_limits<double>::infinity());
  return converted(n.builder, n.call("where", {n.call("less", {wide, zero}), below, value}), dtype_of(x), n.span);
}

/// x log(1 + y), which is 0 for x = 0 unless y is NaN.
Results xlog1py(const NodeContext& n) {
  const std::vector<Expr> sides = promoted_to_float(n, {"self", "other"});
  const Expr zero = n.constant(dtype_of(sides[0]), 0),
             value = n.call("multiply", {sides[0], n.call("log1p", {sides[1]})});
  const Expr is_zero =
      n.call("logical_and", {n.call("equal", {sides[0], zero}), n.call("logical_not", {n.call("isnan", {sides[1]})})});
  return n.call("where", {is_zero, zero, value});
}

/// sin(x) / x, 0 for infinite x.
Results spherical_bessel(const NodeContext& n) {
  const Expr x = float_tensor(n, n.has("x") ? "x" : "self"), wide = widened(n, x), zero = n.constant(dtype_of(wide), 0);
  const Expr one = n.constant(dtype_of(wide), 1), is_zero = n.call("equal", {wide, zero});
  const Expr quotient = n.call("divide", {n.call("sin", {wide}), n.call("where", {is_zero, one, wide})});
  const Expr value = n.call("where", {n.call("isinf", {wide}), zero, n.call("where", {is_zero, one, quotient})});
  return converted(n.builder, value, dtype_of(x), n.span);
}

}  // namespace

std::vector<Converter> special_converters() {
  std::vector<Converter> rows;
  add_pair<float_unary<"digamma">>(rows, "aten.digamma.default", "aten.digamma_.default", "`R.digamma`");
  add_pair<float_unary<"i0">>(rows, "aten.i0.default", "aten.i0_.default", "`R.i0`");
  add_pair<polygamma>(rows, "aten.polygamma.default", "aten.polygamma_.default", "`R.zeta`, or `R.digamma`");
  add_pair<multivariate_lgamma>(rows, "aten.mvlgamma.default", "aten.mvlgamma_.default", "`R.add` of `R.lgamma`");
  auto add = [&](const char* target, Convert convert, const char* becomes) {
    rows.push_back({target, convert, becomes});
  };
  add("aten.special_digamma.default", float_unary<"digamma">, "`R.digamma`");
  add("aten.special_psi.default", float_unary<"digamma">, "`R.digamma`");
  add("aten.special_polygamma.default", polygamma, "`R.zeta`, or `R.digamma`");
  add("aten.special_multigammaln.default", multivariate_lgamma, "`R.add` of `R.lgamma`");
  add("aten.special_i0.default", float_unary<"i0">, "`R.i0`");
  add("aten.special_modified_bessel_i0.default", float_unary<"i0">, "`R.i0`");
  add("aten.special_i0e.default", float_unary<"i0e">, "`R.i0e`");
  add("aten.special_i1.default", float_unary<"i1">, "`R.i1`");
  add("aten.special_modified_bessel_i1.default", float_unary<"i1">, "`R.i1`");
  add("aten.special_i1e.default", float_unary<"i1e">, "`R.i1e`");
  add("aten.special_erfcx.default", float_unary<"erfcx">, "`R.erfcx`");
  add("aten.special_ndtri.default", float_unary<"ndtri">, "`R.ndtri`");
  add("aten.special_ndtr.default", normal_probability, "`R.erfc`");
  add("aten.special_log_ndtr.default", float_unary<"log_ndtr">, "`R.log_ndtr`");
  add("aten.special_entr.default", entropy, "`R.xlogy`");
  add_pair<float_binary<"igamma">>(rows, "aten.igamma.default", "aten.igamma_.default", "`R.igamma`");
  add_pair<float_binary<"igammac">>(rows, "aten.igammac.default", "aten.igammac_.default", "`R.igammac`");
  add("aten.special_gammainc.default", float_binary<"igamma">, "`R.igamma`");
  add("aten.special_gammaincc.default", float_binary<"igammac">, "`R.igammac`");
  for (const char* target :
       {"aten.special_zeta.default", "aten.special_zeta.self_scalar", "aten.special_zeta.other_scalar"})
    add(target, float_binary<"zeta">, "`R.zeta`");
  for (const char* target :
       {"aten.special_xlog1py.default", "aten.special_xlog1py.self_scalar", "aten.special_xlog1py.other_scalar"})
    add(target, xlog1py, "`R.multiply` by `R.log1p`");
  add("aten.special_spherical_bessel_j0.default", spherical_bessel, "`R.divide` of `R.sin`");
  return rows;
}

}  // namespace sunmao::torch
