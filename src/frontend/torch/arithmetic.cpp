// Converters of arithmetic of two or three tensors and numbers.
#include <cmath>
#include <optional>

#include "eval/element.h"
#include "frontend/control_flow.h"
#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

constexpr PythonNumber kOne{1, true};

/// Returns self op alpha * other, or with `reversed` other op alpha * self. Of 16 bits are the operands and the factor,
/// but not the product.
Results scaled_binary(const NodeContext& n, const char* op, bool reversed) {
  const Operand self = operand(n, "self"), other = operand(n, "other");
  const DType dtype = result_dtype(std::array{self, other});
  Expr first = tensor_of(n, reversed ? other : self, dtype), second = tensor_of(n, reversed ? self : other, dtype);
  const double alpha = n.number("alpha", kOne).value;
  if (alpha == 1) return n.call(op, {first, second});
  second = scaled(n.builder, widened(n, second), held(dtype, alpha), n.span);
  return converted(n.builder, n.call(op, {widened(n, first), second}), dtype, n.span);
}
Results add(const NodeContext& n) { return scaled_binary(n, "add", false); }
Results sub(const NodeContext& n) { return scaled_binary(n, "subtract", false); }
Results rsub(const NodeContext& n) { return scaled_binary(n, "subtract", true); }

/// Returns a divisor; a run refuses integers that are 0, as PyTorch does.
Expr divisor(const NodeContext& n, const Expr& x) {
  if (dtype_of(x).is_float()) return x;
  const std::optional<Array> data = n.builder.data(x);
  bool is_safe = data.has_value();
  for (int64_t i = 0; is_safe && i < data->count(); ++i) is_safe = load_element(*data, i).i != 0;
  return is_safe ? x : n.call("nonzero_divisor", {x});
}

Results true_divide(const NodeContext& n) { return binary_beside_number<"divide", true>(n); }
Results floor_divide(const NodeContext& n) {
  Sides sides = promoted_beside_number(n, false);
  const Expr quotient = n.call("floor_divide", {sides.values[0], divisor(n, sides.values[1])});
  return converted(n.builder, quotient, sides.result, n.span);
}
/// Divides; `rounding_mode` is "trunc", "floor" or none, for which integers become floats.
Results div(const NodeContext& n) {
  const std::string mode = n.string("rounding_mode", "");
  if (mode.empty()) return true_divide(n);
  if (mode == "floor") return floor_divide(n);
  Sides sides = promoted_beside_number(n, false);
  Expr quotient = n.call("divide", {sides.values[0], divisor(n, sides.values[1])});
  if (sides.result.is_float()) quotient = n.call("trunc", {quotient});
  return converted(n.builder, quotient, sides.result, n.span);
}
/// Converts to what a division leaves.
template <OpName op>
Results rest(const NodeContext& n) {
  std::vector<Expr> sides = promoted(n, {"self", "other"});
  return n.call(op.text, {sides[0], divisor(n, sides[1])});
}

/// Converts x ** 2 and the like to products, which are exact; other exponents to `R.power`.
std::optional<Expr> simple_power(const NodeContext& n, const Expr& x, double exponent) {
  if (exponent == 1) return x;
  if (exponent == 2) return n.call("multiply", {x, x});
  if (exponent == 3) return n.call("multiply", {n.call("multiply", {x, x}), x});
  if (!dtype_of(x).is_float()) return std::nullopt;
  if (exponent == 0.5) return n.call("sqrt", {x});
  if (exponent == -0.5) return n.call("rsqrt", {x});
  if (exponent == -1) return n.call("divide", {n.constant(dtype_of(x), 1), x});
  return std::nullopt;
}

Results power_in(const NodeContext& n, const Operand& base, const Operand& exponent, DType dtype) {
  Expr x = tensor_of(n, base, dtype);
  if (exponent.is_number && !exponent.tensor)
    if (std::optional<Expr> simple = simple_power(n, x, exponent.number.value)) return *simple;
  return n.call("power", {x, tensor_of(n, exponent, dtype)});
}
Results power(const NodeContext& n) {
  const Operand base = operand(n, "self"), exponent = operand(n, "exponent");
  return power_in(n, base, exponent, result_dtype(std::array{base, exponent}));
}
/// `float_power` computes in float64.
Results float_power(const NodeContext& n) {
  return power_in(n, operand(n, "self"), operand(n, "exponent"), DType::float_(64));
}

/// Converts to `op`, which ignores NaN unless both are NaN.
template <OpName op>
Results ignoring_nan(const NodeContext& n) {
  std::vector<Expr> sides = promoted(n, {"self", "other"});
  Expr value = n.call(op.text, sides);
  if (!dtype_of(sides[0]).is_float()) return value;
  value = n.call("where", {n.call("isnan", {sides[1]}), sides[0], value});
  return n.call("where", {n.call("isnan", {sides[0]}), sides[1], value});
}

Results logaddexp2(const NodeContext& n) {
  std::vector<Expr> sides = promoted_to_float(n, {"self", "other"});
  for (Expr& side : sides) side = scaled(n.builder, side, std::log(2.0), n.span);
  return scaled(n.builder, n.call("log_add_exp", sides), 1 / std::log(2.0), n.span);
}

/// PyTorch gives NaN where `other` is NaN, 0 where else `self` is 0.
Results xlogy(const NodeContext& n) {
  std::vector<Expr> sides = promoted_to_float(n, {"self", "other"});
  return n.call("where", {n.call("isnan", {sides[1]}), sides[1], n.call("xlogy", sides)});
}

/// Converts the step function, with `values` at 0; of NaN it is 0.
Results heaviside(const NodeContext& n) {
  Expr x = n.tensor("self"), zero = n.constant(dtype_of(x), 0), one = n.constant(dtype_of(x), 1);
  Expr step = n.call("where", {n.call("greater", {x, zero}), one, zero});
  return n.call("where", {n.call("equal", {x, zero}), n.tensor("values"), step});
}

Results ldexp(const NodeContext& n) {
  std::vector<Expr> sides = promoted_to_float(n, {"self", "other"});
  return n.call("multiply", {sides[0], n.call("exp2", {sides[1]})});
}

/// Converts self + (value * tensor1) op tensor2.
Results add_combined(const NodeContext& n, const char* op) {
  const std::vector<Expr> x = promoted(n, {"self", "tensor1", "tensor2"});
  const Expr first = scaled(n.builder, x[1], n.number("value", kOne).value, n.span);
  return n.call("add", {x[0], n.call(op, {first, x[2]})});
}
Results addcmul(const NodeContext& n) { return add_combined(n, "multiply"); }
Results addcdiv(const NodeContext& n) { return add_combined(n, "divide"); }

/// Converts self + weight * (end - self), and end - (1 - weight) * (end - self) for weights of 0.5 and more, which
/// gives `end` for 1.
Results lerp(const NodeContext& n) {
  const std::vector<Expr> x = promoted(n, {"self", "end", "weight"});
  const DType dtype = dtype_of(x[0]);
  const Expr way = n.call("subtract", {x[1], x[0]}), rest = n.call("subtract", {n.constant(dtype, 1), x[2]});
  const Expr near = n.call("add", {x[0], n.call("multiply", {x[2], way})}),
             far = n.call("subtract", {x[1], n.call("multiply", {way, rest})});
  if (n.has_number("weight")) return std::abs(n.number("weight").value) < 0.5 ? near : far;
  return n.call("where", {n.call("less", {n.call("abs", {x[2]}), n.constant(dtype, 0.5)}), near, far});
}

/// Limits `self` by the bounds that are given, tensors or numbers.
Results limited(const NodeContext& n, const char* low, const char* high) {
  std::vector<Operand> operands{operand(n, "self")};
  for (const char* bound : {low, high})
    if (bound && n.has(bound)) operands.push_back(operand(n, bound));
  const DType dtype = result_dtype(operands);
  Expr x = tensor_of(n, operands[0], dtype);
  size_t next = 1;
  if (low && n.has(low)) x = n.call("maximum", {x, tensor_of(n, operands[next++], dtype)});
  if (high && n.has(high)) x = n.call("minimum", {x, tensor_of(n, operands[next], dtype)});
  return x;
}
/// Converts numeric bounds that the dtype holds to one `R.clip`, which keeps NaN.
Results clamp(const NodeContext& n) {
  if (!n.has_number("min") || !n.has_number("max")) return limited(n, "min", "max");
  Expr x = n.tensor("self");
  const PythonNumber low = n.number("min"), high = n.number("max");
  if (!dtype_of(x).is_float() || std::isnan(low.value) || std::isnan(high.value) || low.value > high.value)
    return limited(n, "min", "max");
  auto bound = [](double value) { return PrimValue::make(FloatImm::make(DType::float_(32), value)); };
  return n.call("clip", {x, bound(low.value), bound(high.value)});
}
Results clamp_min(const NodeContext& n) { return limited(n, "min", nullptr); }
Results clamp_max(const NodeContext& n) { return limited(n, nullptr, "max"); }

void add_sums(std::vector<Converter>& rows) {
  for (const auto& [target, in_place] :
       {std::pair{"aten.add.Tensor", "aten.add_.Tensor"}, std::pair{"aten.add.Scalar", "aten.add_.Scalar"}})
    add_pair<add>(rows, target, in_place, "`R.add`, and `R.multiply` by `alpha`");
  for (const auto& [target, in_place] :
       {std::pair{"aten.sub.Tensor", "aten.sub_.Tensor"}, std::pair{"aten.sub.Scalar", "aten.sub_.Scalar"},
        std::pair{"aten.subtract.Tensor", "aten.subtract_.Tensor"}})
    add_pair<sub>(rows, target, in_place, "`R.subtract`, and `R.multiply` by `alpha`");
  for (const char* target : {"aten.rsub.Tensor", "aten.rsub.Scalar"})
    rows.push_back({target, rsub, "`R.subtract`, and `R.multiply` by `alpha`"});
  add_pair<in_opmath<addcmul>>(rows, "aten.addcmul.default", "aten.addcmul_.default", "`R.add` and `R.multiply`");
  add_pair<in_opmath<addcdiv>>(rows, "aten.addcdiv.default", "aten.addcdiv_.default", "`R.add` and `R.divide`");
  add_pair<in_opmath<lerp>>(rows, "aten.lerp.Scalar", "aten.lerp_.Scalar",
                            "`R.add`, `R.multiply` and `R.subtract`, chosen by the weight");
  add_pair<in_opmath<lerp>>(rows, "aten.lerp.Tensor", "aten.lerp_.Tensor",
                            "`R.add`, `R.multiply` and `R.subtract`, chosen by the weight");
}

void add_products(std::vector<Converter>& rows) {
  for (const auto& [target, in_place] :
       {std::pair{"aten.mul.Tensor", "aten.mul_.Tensor"}, std::pair{"aten.mul.Scalar", "aten.mul_.Scalar"},
        std::pair{"aten.multiply.Tensor", "aten.multiply_.Tensor"}})
    add_pair<binary_beside_number<"multiply">>(rows, target, in_place, "`R.multiply`");
  for (const auto& [target, in_place] :
       {std::pair{"aten.div.Tensor", "aten.div_.Tensor"}, std::pair{"aten.div.Scalar", "aten.div_.Scalar"},
        std::pair{"aten.divide.Tensor", "aten.divide_.Tensor"},
        std::pair{"aten.true_divide.Tensor", "aten.true_divide_.Tensor"}})
    add_pair<true_divide>(rows, target, in_place, "`R.divide`");
  for (const auto& [target, in_place] : {std::pair{"aten.div.Tensor_mode", "aten.div_.Tensor_mode"},
                                         std::pair{"aten.div.Scalar_mode", "aten.div_.Scalar_mode"}})
    add_pair<div>(rows, target, in_place, "`R.divide`, `R.floor_divide`, or `R.trunc` of `R.divide`");
  add_pair<floor_divide>(rows, "aten.floor_divide.default", "aten.floor_divide_.Tensor", "`R.floor_divide`");
  add_pair<floor_divide>(rows, "aten.floor_divide.Scalar", "aten.floor_divide_.Scalar", "`R.floor_divide`");
  add_pair<rest<"floor_mod">>(rows, "aten.remainder.Tensor", "aten.remainder_.Tensor", "`R.floor_mod`");
  add_pair<rest<"floor_mod">>(rows, "aten.remainder.Scalar", "aten.remainder_.Scalar", "`R.floor_mod`");
  rows.push_back({"aten.remainder.Scalar_Tensor", rest<"floor_mod">, "`R.floor_mod`"});
  add_pair<rest<"mod">>(rows, "aten.fmod.Tensor", "aten.fmod_.Tensor", "`R.mod`");
  add_pair<rest<"mod">>(rows, "aten.fmod.Scalar", "aten.fmod_.Scalar", "`R.mod`");
  const char* of_powers = "`R.power`; products, `R.sqrt` and the like for simple exponents";
  add_pair<power>(rows, "aten.pow.Tensor_Scalar", "aten.pow_.Scalar", of_powers);
  add_pair<power>(rows, "aten.pow.Tensor_Tensor", "aten.pow_.Tensor", of_powers);
  rows.push_back({"aten.pow.Scalar", power, of_powers});
  for (const char* target :
       {"aten.float_power.Tensor_Scalar", "aten.float_power.Tensor_Tensor", "aten.float_power.Scalar"})
    rows.push_back({target, float_power, of_powers});
}

void add_others(std::vector<Converter>& rows) {
  for (const char* target : {"aten.maximum.default", "aten.max.other"})
    rows.push_back({target, binary<"maximum">, "`R.maximum`"});
  for (const char* target : {"aten.minimum.default", "aten.min.other"})
    rows.push_back({target, binary<"minimum">, "`R.minimum`"});
  rows.push_back({"aten.fmax.default", ignoring_nan<"maximum">, "`R.maximum` and `R.where`"});
  rows.push_back({"aten.fmin.default", ignoring_nan<"minimum">, "`R.minimum` and `R.where`"});
  add_pair<float_binary<"atan2">>(rows, "aten.atan2.default", "aten.atan2_.default", "`R.atan2`");
  rows.push_back({"aten.arctan2.default", float_binary<"atan2">, "`R.atan2`"});
  add_pair<binary<"hypot">>(rows, "aten.hypot.default", "aten.hypot_.default", "`R.hypot`");
  add_pair<binary<"nextafter">>(rows, "aten.nextafter.default", "aten.nextafter_.default", "`R.nextafter`");
  add_pair<float_binary<"copysign">>(rows, "aten.copysign.Tensor", "aten.copysign_.Tensor", "`R.copysign`");
  rows.push_back({"aten.copysign.Scalar", float_binary<"copysign">, "`R.copysign`"});
  rows.push_back({"aten.logaddexp.default", float_binary<"log_add_exp">, "`R.log_add_exp`"});
  rows.push_back({"aten.logaddexp2.default", in_opmath<logaddexp2>, "`R.log_add_exp` and `R.multiply`"});
  add_pair<xlogy>(rows, "aten.xlogy.Tensor", "aten.xlogy_.Tensor", "`R.xlogy`, and `R.where` for NaN");
  for (const char* target : {"aten.xlogy.Scalar_Other", "aten.xlogy.Scalar_Self"})
    rows.push_back({target, xlogy, "`R.xlogy`, and `R.where` for NaN"});
  add_pair<heaviside>(rows, "aten.heaviside.default", "aten.heaviside_.default", "`R.where`");
  rows.push_back({"aten.ldexp.Tensor", ldexp, "`R.multiply` and `R.exp2`"});
  const char* of_limits = "`R.clip`, or `R.maximum` and `R.minimum`";
  add_pair<clamp>(rows, "aten.clamp.default", "aten.clamp_.default", of_limits);
  add_pair<clamp>(rows, "aten.clamp.Tensor", "aten.clamp_.Tensor", of_limits);
  add_pair<clamp>(rows, "aten.clip.default", "aten.clip_.default", of_limits);
  add_pair<clamp_min>(rows, "aten.clamp_min.default", "aten.clamp_min_.default", "`R.maximum`");
  add_pair<clamp_min>(rows, "aten.clamp_min.Tensor", "aten.clamp_min_.Tensor", "`R.maximum`");
  add_pair<clamp_max>(rows, "aten.clamp_max.default", "aten.clamp_max_.default", "`R.minimum`");
  add_pair<clamp_max>(rows, "aten.clamp_max.Tensor", "aten.clamp_max_.Tensor", "`R.minimum`");
}

/// Euclid's algorithm on all elements at once, until no remainder is left: at most 92 steps for int64.
Expr greatest_divisor(const NodeContext& n, const Expr& a, const Expr& b) {
  const Expr zero = n.constant(dtype_of(a), 0), one = n.constant(dtype_of(a), 1);
  const auto goes_on = [&](const std::vector<Expr>& x) -> std::vector<Expr> {
    return {n.call("max", {n.call("not_equal", {x[1], zero})})};
  };
  const auto step = [&](const std::vector<Expr>& x) -> std::vector<Expr> {
    const Expr is_done = n.call("equal", {x[1], zero});
    const Expr divisor = n.call("where", {is_done, one, x[1]});
    return {n.call("where", {is_done, x[0], divisor}),
            n.call("where", {is_done, zero, n.call("mod", {x[0], divisor})})};
  };
  return loop(n.builder, {a, b}, goes_on, step, "gcd", n.span)[0];
}

/// Returns the magnitudes of both operands in the shape of the result.
std::vector<Expr> magnitudes(const NodeContext& n) {
  const auto* recorded = find<TensorType>(n.recorded());
  if (!recorded || !recorded->dims()) throw UnsupportedUse{"without a recorded shape"};
  std::vector<Expr> sides = promoted(n, {"self", "other"});
  if (!dtype_of(sides[0]).is_integral()) throw UnsupportedUse{"of numbers that are no integers"};
  for (Expr& side : sides) side = broadcast(n.builder, n.call("abs", {side}), *recorded->dims(), n.span);
  return sides;
}

Results gcd(const NodeContext& n) {
  const std::vector<Expr> x = magnitudes(n);
  return greatest_divisor(n, x[0], x[1]);
}

/// PyTorch gives 0 where both are 0.
Results lcm(const NodeContext& n) {
  const std::vector<Expr> x = magnitudes(n);
  const Expr divisor = n.call("maximum", {greatest_divisor(n, x[0], x[1]), n.constant(dtype_of(x[0]), 1)});
  return n.call("multiply", {n.call("floor_divide", {x[0], divisor}), x[1]});
}

void add_divisors(std::vector<Converter>& rows) {
  add_pair<gcd>(rows, "aten.gcd.default", "aten.gcd_.default", "a loop over `R.mod`", "integers only");
  add_pair<lcm>(rows, "aten.lcm.default", "aten.lcm_.default", "a loop over `R.mod`, `R.floor_divide`, `R.multiply`",
                "integers only");
}

}  // namespace

std::vector<Converter> arithmetic_converters() {
  std::vector<Converter> rows;
  add_sums(rows);
  add_products(rows);
  add_others(rows);
  add_divisors(rows);
  return rows;
}

}  // namespace sunmao::torch
