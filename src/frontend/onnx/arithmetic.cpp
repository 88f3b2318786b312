// Converters of arithmetic, elementwise and along an axis: Add, Pow, Mod, Clip, Max, CumSum, Sqrt, Sin and the like.
#include <cmath>
#include <limits>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

Results reciprocal(const NodeContext& n) { return binary(n, "divide", 1, n.tensor(0)); }

/// Returns the value of an exponent that is the same for all elements, and does not change the shape of the result.
std::optional<double> single_exponent(const NodeContext& n) {
  const std::vector<Scalar>* dims = dims_of(n.tensor(1));
  if (!dims || static_cast<int>(dims->size()) > rank_of(n.tensor(0))) return std::nullopt;
  for (const Scalar& d : *dims)
    if (!find_int(d) || *find_int(d) != 1) return std::nullopt;
  if (!n.builder.data(n.tensor(1))) return std::nullopt;
  return n.number(1, "exponents");
}

/// The result has the dtype of the base. Of an integer and a float it is computed as float64, as NumPy does.
Results power(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const std::optional<double> single = single_exponent(n);
  if (single == 1) return x;
  if (single == 2) return n.call("square", {x});
  if (single == 3) return binary(n, "multiply", n.call("square", {x}), x);
  const DType base = dtype_of(x), exponent = dtype_of(n.tensor(1));
  const DType common = base.is_float() || !exponent.is_float() ? base : DType::float_(64);
  Expr result =
      binary(n, "power", converted(n.builder, x, common, n.span), converted(n.builder, n.tensor(1), common, n.span));
  if (common == base) return result;
  constexpr double kSlack = 1 + 0x1p-50;  // a rounding error must not cut 8 down to 7
  return converted(n.builder, scaled(n.builder, result, kSlack, n.span), base, n.span);
}

Results divide(const NodeContext& n) {
  if (dtype_of(n.tensor(1)).is_integral() && n.builder.data(n.tensor(1)))
    for (double divisor : n.numbers(1, "divisors"))
      if (divisor == 0)
        n.fail("ONNX Div with integer inputs encountered divisor value 0", "integers have no quotient by 0");
  return binary(n, "divide", n.tensor(0), n.tensor(1));
}

Results mod(const NodeContext& n) {
  return binary(n, n.int_attr("fmod", 0) ? "mod" : "floor_mod", n.tensor(0), n.tensor(1));
}

/// Applies `op` to all inputs, one after the other.
Expr accumulated(const NodeContext& n, const char* op) {
  Expr result = n.tensor(0);
  for (size_t i = 1; i < n.input_count(); ++i) result = binary(n, op, result, n.tensor(i));
  return result;
}

template <const char* op>
Results of_all(const NodeContext& n) {
  return accumulated(n, op);
}

Results mean(const NodeContext& n) {
  const Expr sum = accumulated(n, "add");
  return n.input_count() == 1 ? sum : binary(n, "divide", sum, static_cast<double>(n.input_count()));
}

/// With a lower bound above the upper one all becomes the upper one.
Results clip_to_attributes(const NodeContext& n) {
  Expr x = n.tensor(0);
  if (n.has_attr("min")) x = binary(n, "maximum", x, n.float_attr("min", 0));
  if (n.has_attr("max")) x = binary(n, "minimum", x, n.float_attr("max", 0));
  return x;
}

/// Returns x within a bound. A NaN is no bound, as in ONNX Runtime.
Expr bounded(const NodeContext& n, const char* op, const Expr& x, size_t input, double no_bound) {
  if (!n.has_input(input)) return x;
  const Expr bound = n.tensor(input);
  if (!dtype_of(bound).is_float()) return binary(n, op, x, bound);
  if (n.builder.data(bound)) return std::isnan(n.number(input, "bounds")) ? x : binary(n, op, x, bound);
  const Expr none = n.constant(dtype_of(bound), no_bound);
  return binary(n, op, x, chosen(n, n.call("isnan", {bound}), none, bound));
}

Results clip_to_inputs(const NodeContext& n) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return bounded(n, "minimum", bounded(n, "maximum", n.tensor(0), 1, -kInfinity), 2, kInfinity);
}

template <const char* op>
Results scan(const NodeContext& n) {
  if (const std::vector<Scalar>* dims = dims_of(n.tensor(1));
      dims && (dims->size() > 1 || (dims->size() == 1 && !is_number((*dims)[0], 1))))
    n.fail("axis input must be a scalar (0-D) or a single-element 1-D tensor");
  const int64_t axis = axis_of(n, n.integer(1, "axes"), n.rank(0));
  const bool is_from_end = n.int_attr("reverse", 0) != 0;
  const auto turned = [&](const Expr& x) { return is_from_end ? n.call("flip", {x}, {{"axis", axis}}) : x; };
  return turned(n.call(op, {turned(n.tensor(0))}, {{"axis", axis}, {"exclusive", n.int_attr("exclusive", 0) != 0}}));
}

constexpr char kAbs[] = "abs", kNeg[] = "negative", kSqrt[] = "sqrt", kExp[] = "exp", kLog[] = "log",
               kFloor[] = "floor", kCeil[] = "ceil", kRound[] = "round", kSign[] = "sign", kErf[] = "erf",
               kSin[] = "sin", kCos[] = "cos", kTan[] = "tan", kAsin[] = "asin", kAcos[] = "acos", kAtan[] = "atan",
               kSinh[] = "sinh", kCosh[] = "cosh", kAsinh[] = "asinh", kAcosh[] = "acosh", kAtanh[] = "atanh",
               kAdd[] = "add", kSub[] = "subtract", kMul[] = "multiply", kMax[] = "maximum", kMin[] = "minimum",
               kCumSum[] = "cumsum", kCumProd[] = "cumprod";

}  // namespace

std::vector<Converter> arithmetic_converters() {
  return {{"Add", 7, of_two<kAdd>, "`R.add`"},
          {"Sub", 7, of_two<kSub>, "`R.subtract`"},
          {"Mul", 7, of_two<kMul>, "`R.multiply`"},
          {"Div", 7, divide, "`R.divide`"},
          {"Pow", 7, power, "`R.power`, `R.astype`; small whole exponents `R.square`, `R.multiply`"},
          {"Mod", 10, mod, "`R.floor_mod`, `R.mod`"},
          {"Max", 6, of_all<kMax>, "`R.maximum`"},
          {"Min", 6, of_all<kMin>, "`R.minimum`"},
          {"Sum", 6, in_float32<of_all<kAdd>>, "`R.add`"},
          {"Mean", 6, in_float32<mean>, "`R.add`, `R.divide`"},
          {"Clip", 6, clip_to_attributes, "`R.maximum`, `R.minimum`"},
          {"Clip", 11, clip_to_inputs, "`R.maximum`, `R.minimum`"},
          {"CumSum", 11, scan<kCumSum>, "`R.cumsum`, `R.flip`", "the axis must be constant"},
          {"CumProd", 26, scan<kCumProd>, "`R.cumprod`, `R.flip`", "the axis must be constant"},
          {"Reciprocal", 6, reciprocal, "`R.divide`"},
          {"Abs", 6, unary<kAbs>, "`R.abs`"},
          {"Neg", 6, unary<kNeg>, "`R.negative`"},
          {"Sqrt", 6, unary<kSqrt>, "`R.sqrt`"},
          {"Exp", 6, unary<kExp>, "`R.exp`"},
          {"Log", 6, unary<kLog>, "`R.log`"},
          {"Floor", 6, unary<kFloor>, "`R.floor`"},
          {"Ceil", 6, unary<kCeil>, "`R.ceil`"},
          {"Round", 11, unary<kRound>, "`R.round`"},
          {"Sign", 9, unary<kSign>, "`R.sign`"},
          {"Erf", 9, unary<kErf>, "`R.erf`"},
          {"Sin", 7, unary<kSin>, "`R.sin`"},
          {"Cos", 7, unary<kCos>, "`R.cos`"},
          {"Tan", 7, unary<kTan>, "`R.tan`"},
          {"Asin", 7, unary<kAsin>, "`R.asin`"},
          {"Acos", 7, unary<kAcos>, "`R.acos`"},
          {"Atan", 7, unary<kAtan>, "`R.atan`"},
          {"Sinh", 9, unary<kSinh>, "`R.sinh`"},
          {"Cosh", 9, unary<kCosh>, "`R.cosh`"},
          {"Asinh", 9, unary<kAsinh>, "`R.asinh`"},
          {"Acosh", 9, unary<kAcosh>, "`R.acosh`"},
          {"Atanh", 9, unary<kAtanh>, "`R.atanh`"}};
}

}  // namespace sunmao::onnx
