// Converters of functions of one tensor, apart from activations.
#include <cmath>
#include <numbers>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

Expr zeros_beside(const NodeContext& n, const Expr& x) { return n.constant(dtype_of(x), 0); }

Results reciprocal(const NodeContext& n) {
  Expr x = float_tensor(n, "self");
  return n.call("divide", {n.constant(dtype_of(x), 1), x});
}

/// PyTorch's sign of NaN is 0.
Results sign(const NodeContext& n) {
  Expr x = n.tensor("self");
  if (dtype_of(x).is_bool()) return x;
  Expr sign = n.call("sign", {x});
  if (!dtype_of(x).is_float()) return sign;
  return n.call("where", {n.call("isnan", {x}), zeros_beside(n, x), sign});
}

/// Converts to a call of `op`, which rounds floats; integers are unchanged.
template <OpName op>
Results rounding(const NodeContext& n) {
  Expr x = n.tensor("self");
  return dtype_of(x).is_float() ? n.call(op.text, {x}) : x;
}

Results round_decimals(const NodeContext& n) {
  Expr x = n.tensor("self");
  if (!dtype_of(x).is_float()) throw UnsupportedUse{"of integers"};
  const auto decimals = static_cast<double>(n.integer("decimals"));
  Expr wide = widened(n, x), tens = n.constant(dtype_of(wide), std::pow(10.0, std::abs(decimals)));
  const char *before = decimals < 0 ? "divide" : "multiply", *behind = decimals < 0 ? "multiply" : "divide";
  Expr rounded = n.call(behind, {n.call("round", {n.call(before, {wide, tens})}), tens});
  return converted(n.builder, rounded, dtype_of(x), n.span);
}

Results frac(const NodeContext& n) {
  Expr x = n.tensor("self");
  return n.call("subtract", {x, n.call("trunc", {x})});
}

Results sinc(const NodeContext& n) {
  Expr x = float_tensor(n, "self"), wide = widened(n, x), zero = zeros_beside(n, wide);
  Expr angle = scaled(n.builder, wide, std::numbers::pi, n.span);
  Expr quotient = n.call("divide", {n.call("sin", {angle}), angle});
  Expr value = n.call("where", {n.call("equal", {wide, zero}), n.constant(dtype_of(wide), 1), quotient});
  return converted(n.builder, value, dtype_of(x), n.span);
}

/// Converts log(x / (1 - x)), with x within [eps, 1 - eps].
Results logit(const NodeContext& n) {
  Expr x = float_tensor(n, "self"), wide = widened(n, x);
  if (n.has("eps")) {
    const double eps = n.real("eps");
    wide = n.call("minimum",
                  {n.call("maximum", {wide, n.constant(dtype_of(wide), eps)}), n.constant(dtype_of(wide), 1 - eps)});
  }
  Expr odds = n.call("divide", {wide, n.call("subtract", {n.constant(dtype_of(wide), 1), wide})});
  return converted(n.builder, n.call("log", {odds}), dtype_of(x), n.span);
}

double largest(DType t) {
  if (t == DType::float_(16)) return 65504;
  if (t == DType::float_(64)) return std::numeric_limits<double>::max();
  if (t == DType::float_(32)) return std::numeric_limits<float>::max();
  if (t.code == TypeCode::BFloat) return 0x1.fep127;
  throw UnsupportedUse{"of floats of 8 bits"};
}

Results nan_to_num(const NodeContext& n) {
  Expr x = n.tensor("self");
  const DType t = dtype_of(x);
  if (!t.is_float()) return x;
  auto infinity = [&](double sign) { return n.constant(t, sign * std::numeric_limits<double>::infinity()); };
  auto replaced = [&](const Expr& where, double by, const Expr& otherwise) {
    return n.call("where", {where, n.constant(t, by), otherwise});
  };
  Expr y = replaced(n.call("equal", {x, infinity(1)}), n.real("posinf", largest(t)), x);
  y = replaced(n.call("equal", {x, infinity(-1)}), n.real("neginf", -largest(t)), y);
  return replaced(n.call("isnan", {x}), n.real("nan", 0.0), y);
}

Results logical_not(const NodeContext& n) {
  Expr x = n.tensor("self");
  return dtype_of(x).is_bool() ? n.call("logical_not", {x}) : n.call("equal", {x, zeros_beside(n, x)});
}

Results frexp(const NodeContext& n) {
  const Expr x = n.tensor("self");
  return {n.call("significand", {x}), n.call("exponent", {x})};
}

/// Converts to whether `x` is the infinity of this sign.
template <int sign>
Results is_infinity(const NodeContext& n) {
  Expr x = float_tensor(n, "self");
  return n.call("equal", {x, n.constant(dtype_of(x), sign * std::numeric_limits<double>::infinity())});
}

Results signbit(const NodeContext& n) {
  Expr x = n.tensor("self");
  if (!dtype_of(x).is_float()) return n.call("less", {x, zeros_beside(n, x)});
  return n.call("less", {n.call("copysign", {n.constant(dtype_of(x), 1), x}), zeros_beside(n, x)});
}

/// Converts the angle of real numbers in the complex plane: 0, pi or NaN.
Results angle(const NodeContext& n) {
  Expr x = float_tensor(n, "self"), zero = zeros_beside(n, x);
  Expr angle = n.call("where", {n.call("less", {x, zero}), n.constant(dtype_of(x), std::numbers::pi), zero});
  return n.call("where", {n.call("isnan", {x}), x, angle});
}

template <double factor>
Results multiplied(const NodeContext& n) {
  return scaled(n.builder, float_tensor(n, "self"), factor, n.span);
}
constexpr double kDegree = std::numbers::pi / 180;

Results unchanged(const NodeContext& n) { return n.tensor("self"); }

void add_functions(std::vector<Converter>& rows) {
  add_pair<float_unary<"acos">>(rows, "aten.acos.default", "aten.acos_.default", "`R.acos`");
  add_pair<float_unary<"acosh">>(rows, "aten.acosh.default", "aten.acosh_.default", "`R.acosh`");
  add_pair<float_unary<"asin">>(rows, "aten.asin.default", "aten.asin_.default", "`R.asin`");
  add_pair<float_unary<"asinh">>(rows, "aten.asinh.default", "aten.asinh_.default", "`R.asinh`");
  add_pair<float_unary<"atan">>(rows, "aten.atan.default", "aten.atan_.default", "`R.atan`");
  add_pair<float_unary<"atanh">>(rows, "aten.atanh.default", "aten.atanh_.default", "`R.atanh`");
  add_pair<float_unary<"cos">>(rows, "aten.cos.default", "aten.cos_.default", "`R.cos`");
  add_pair<float_unary<"cosh">>(rows, "aten.cosh.default", "aten.cosh_.default", "`R.cosh`");
  add_pair<float_unary<"erf">>(rows, "aten.erf.default", "aten.erf_.default", "`R.erf`");
  add_pair<float_unary<"erfinv">>(rows, "aten.erfinv.default", "aten.erfinv_.default", "`R.erfinv`");
  add_pair<float_unary<"exp">>(rows, "aten.exp.default", "aten.exp_.default", "`R.exp`");
  add_pair<float_unary<"exp2">>(rows, "aten.exp2.default", "aten.exp2_.default", "`R.exp2`");
  add_pair<float_unary<"expm1">>(rows, "aten.expm1.default", "aten.expm1_.default", "`R.expm1`");
  add_pair<float_unary<"lgamma">>(rows, "aten.lgamma.default", "aten.lgamma_.default", "`R.lgamma`");
  add_pair<float_unary<"log">>(rows, "aten.log.default", "aten.log_.default", "`R.log`");
  add_pair<float_unary<"log10">>(rows, "aten.log10.default", "aten.log10_.default", "`R.log10`");
  add_pair<float_unary<"log1p">>(rows, "aten.log1p.default", "aten.log1p_.default", "`R.log1p`");
  add_pair<float_unary<"log2">>(rows, "aten.log2.default", "aten.log2_.default", "`R.log2`");
  add_pair<float_unary<"rsqrt">>(rows, "aten.rsqrt.default", "aten.rsqrt_.default", "`R.rsqrt`");
  add_pair<float_unary<"sigmoid">>(rows, "aten.sigmoid.default", "aten.sigmoid_.default", "`R.sigmoid`");
  add_pair<float_unary<"sin">>(rows, "aten.sin.default", "aten.sin_.default", "`R.sin`");
  add_pair<float_unary<"sinh">>(rows, "aten.sinh.default", "aten.sinh_.default", "`R.sinh`");
  add_pair<float_unary<"sqrt">>(rows, "aten.sqrt.default", "aten.sqrt_.default", "`R.sqrt`");
  add_pair<float_unary<"tan">>(rows, "aten.tan.default", "aten.tan_.default", "`R.tan`");
  add_pair<float_unary<"tanh">>(rows, "aten.tanh.default", "aten.tanh_.default", "`R.tanh`");
  add_pair<reciprocal>(rows, "aten.reciprocal.default", "aten.reciprocal_.default", "`R.divide`");
  add_pair<float_unary<"erfc">>(rows, "aten.erfc.default", "aten.erfc_.default", "`R.erfc`");
  add_pair<sinc>(rows, "aten.sinc.default", "aten.sinc_.default", "`R.sin`, `R.divide` and `R.where`");
  add_pair<logit>(rows, "aten.logit.default", "aten.logit_.default", "`R.log`, `R.divide` and `R.subtract`");
  add_pair<in_opmath<multiplied<kDegree>>>(rows, "aten.deg2rad.default", "aten.deg2rad_.default", "`R.multiply`");
  add_pair<in_opmath<multiplied<1 / kDegree>>>(rows, "aten.rad2deg.default", "aten.rad2deg_.default", "`R.multiply`");
  rows.push_back({"aten.special_expit.default", float_unary<"sigmoid">, "`R.sigmoid`"});
  rows.push_back({"aten.special_exp2.default", float_unary<"exp2">, "`R.exp2`"});
  rows.push_back({"aten.special_erfinv.default", float_unary<"erfinv">, "`R.erfinv`"});
  rows.push_back({"aten.special_gammaln.default", float_unary<"lgamma">, "`R.lgamma`"});
  rows.push_back({"aten.special_sinc.default", sinc, "`R.sin`, `R.divide` and `R.where`"});
  rows.push_back({"aten.special_logit.default", logit, "`R.log`, `R.divide` and `R.subtract`"});
  rows.push_back({"aten.special_erf.default", float_unary<"erf">, "`R.erf`"});
  rows.push_back({"aten.special_erfc.default", float_unary<"erfc">, "`R.erfc`"});
  rows.push_back({"aten.special_log1p.default", float_unary<"log1p">, "`R.log1p`"});
  rows.push_back({"aten.special_expm1.default", float_unary<"expm1">, "`R.expm1`"});
}

void add_parts(std::vector<Converter>& rows) {
  add_pair<unary<"abs">>(rows, "aten.abs.default", "aten.abs_.default", "`R.abs`");
  add_pair<unary<"negative">>(rows, "aten.neg.default", "aten.neg_.default", "`R.negative`");
  add_pair<unary<"square">>(rows, "aten.square.default", "aten.square_.default", "`R.square`");
  add_pair<sign>(rows, "aten.sign.default", "aten.sign_.default", "`R.sign`, and `R.where` for NaN");
  add_pair<sign>(rows, "aten.sgn.default", "aten.sgn_.default", "`R.sign`, and `R.where` for NaN");
  add_pair<rounding<"ceil">>(rows, "aten.ceil.default", "aten.ceil_.default", "`R.ceil`");
  add_pair<rounding<"floor">>(rows, "aten.floor.default", "aten.floor_.default", "`R.floor`");
  add_pair<rounding<"round">>(rows, "aten.round.default", "aten.round_.default", "`R.round`");
  add_pair<round_decimals>(rows, "aten.round.decimals", "aten.round_.decimals",
                           "`R.round` between `R.multiply` and `R.divide`", "floats only");
  add_pair<rounding<"trunc">>(rows, "aten.trunc.default", "aten.trunc_.default", "`R.trunc`");
  add_pair<rounding<"trunc">>(rows, "aten.fix.default", "aten.fix_.default", "`R.trunc`");
  add_pair<frac>(rows, "aten.frac.default", "aten.frac_.default", "`R.subtract` and `R.trunc`");
  add_pair<nan_to_num>(rows, "aten.nan_to_num.default", "aten.nan_to_num_.default", "`R.where`");
  add_pair<unary<"bitwise_not">>(rows, "aten.bitwise_not.default", "aten.bitwise_not_.default", "`R.bitwise_not`");
  add_pair<logical_not>(rows, "aten.logical_not.default", "aten.logical_not_.default",
                        "`R.logical_not`, or `R.equal` to 0");
  rows.push_back({"aten.absolute.default", unary<"abs">, "`R.abs`"});
  rows.push_back({"aten.negative.default", unary<"negative">, "`R.negative`"});
  rows.push_back({"aten.positive.default", unchanged, "the input itself"});
  rows.push_back({"aten.isnan.default", unary<"isnan">, "`R.isnan`"});
  rows.push_back({"aten.isinf.default", unary<"isinf">, "`R.isinf`"});
  rows.push_back({"aten.isfinite.default", unary<"isfinite">, "`R.isfinite`"});
  rows.push_back({"aten.isposinf.default", is_infinity<1>, "`R.equal`"});
  rows.push_back({"aten.isneginf.default", is_infinity<-1>, "`R.equal`"});
  rows.push_back({"aten.frexp.Tensor", frexp, "`R.significand` and `R.exponent`"});
  rows.push_back({"aten.signbit.default", signbit, "`R.copysign` and `R.less`"});
}

}  // namespace

std::vector<Converter> unary_converters() {
  std::vector<Converter> rows;
  add_functions(rows);
  add_parts(rows);
  rows.push_back({"aten.angle.default", angle, "`R.where`", "real numbers only"});
  return rows;
}

}  // namespace sunmao::torch
