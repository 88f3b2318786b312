// Elementwise ops on one tensor.
#include <array>
#include <cmath>
#include <numbers>

#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"

namespace sunmao {
namespace {

Type infer_bits(const InferInput& in) {
  DType t = in.tensor(0).dtype;
  need_dtype(in, !t.is_float(), "x", "integer or bool", t);  // C1
  return in.type(0);
}
Type infer_divisor(const InferInput& in) {
  need_integers(in, "x", in.tensor(0).dtype);  // C1
  return in.type(0);
}
Type infer_test(const InferInput& in) { return with_dtype(in.tensor(0), DType::bool_()); }

Type infer_clip(const InferInput& in) {
  for (size_t i : {size_t{1}, size_t{2}}) need_scalar(in, i);  // C1
  return infer_as_tensor(in);
}

using UnaryFn = Scalar (*)(const Scalar&);

template <UnaryFn kValue>
Ref<BaseFunc> lower_unary(const Call& call) {
  KernelBuilder k(op_of(call)->name());
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T", call.type);
  k.compute(y, "compute", [&](const Indices& at) { return kValue(load(x, at)); });
  return std::move(k).finish();
}

struct Name {
  char text[12]{};
  consteval Name(const char* s) {
    for (size_t i = 0; s[i]; ++i) text[i] = s[i];
  }
};

template <Name kName>
Scalar same(const Scalar& x) {
  return intrinsic(kName.text, x);
}
// Integers are unchanged by rounding.
template <Name kName>
Scalar rounded(const Scalar& x) {
  return x->dtype.is_float() ? intrinsic(kName.text, x) : x;
}
template <Name kName>
Scalar test(const Scalar& x) {
  if (!x->dtype.is_float()) return constant(DType::bool_(), std::string_view(kName.text) == "isfinite");
  return ScalarCall::make(kName.text, DType::bool_(), {x});
}

Scalar nonzero_divisor(const Scalar& x) {
  return checked_number(x, equals(x, number_like(x, 0)), "a divisor or a step");
}
Scalar absolute(const Scalar& x) { return x->dtype.is_uint() ? x : intrinsic("abs", x); }
Scalar negative(const Scalar& x) { return x * number_like(x, -1); }
Scalar square(const Scalar& x) { return x * x; }
// A rational function: the coefficients of two polynomials in ascending order.
struct Quotient {
  std::array<double, 8> above, below;
};
Scalar polynomial(const std::array<double, 8>& c, const Scalar& x) {
  Scalar sum = number_like(x, c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = sum * x + number_like(x, c[i]);
  return sum;
}
Scalar quotient_at(const Quotient& q, const Scalar& x) {
  return Binary::make(BinaryOp::Div, polynomial(q.above, x), polynomial(q.below, x));
}

// Wichura's algorithm AS 241: the quantile of the normal distribution at (1 + x) / 2 is sqrt(2) erfinv(x).
constexpr Quotient kQuantileNearZero{
    {3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, 45921.953931549871457,
     67265.770927008700853, 33430.575583588128105, 2509.0809287301226727},
    {1.0, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867,
     39307.89580009271061, 28729.085735721942674, 5226.495278852545925}};
constexpr Quotient kQuantileFar{
    {1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
     1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4},
    {1.0, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
     0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9}};
constexpr Quotient kQuantileAtTheEnds{
    {6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123,
     0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525, 7.868691311456132591e-4,
     1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15}};
Scalar erfinv(const Scalar& x) {
  const DType wide = accumulator(x->dtype);
  Ref<SymVar> given = SymVar::make("given", wide), depth = SymVar::make("depth", wide);
  const Scalar one = number_like(given, 1), half = number_like(given, 0.5) * given, size = intrinsic("abs", given);
  const Scalar near = half * quotient_at(kQuantileNearZero, number_like(given, 0.180625) - half * half);
  const Scalar far =
      choose(less(depth, number_like(depth, 5)), quotient_at(kQuantileFar, depth - number_like(depth, 1.6)),
             quotient_at(kQuantileAtTheEnds, depth - number_like(depth, 5)));
  const Scalar end = choose(equals(size, one), number_like(given, HUGE_VAL), far);
  // 1 - |x| is exact where |x| is near 1; for |x| > 1 the logarithm is NaN.
  const Scalar rest = (one - size) * number_like(given, 0.5);
  const Scalar magnitude = Let::make(depth, intrinsic("sqrt", intrinsic("log", rest) * number_like(given, -1)), end);
  const Scalar beyond = choose(less(given, number_like(given, 0)), magnitude * number_like(given, -1), magnitude);
  const Scalar quantile = choose(less(size, number_like(given, 0.85)), near, beyond);
  return cast_to(x->dtype, Let::make(given, cast_to(wide, x), quantile * number_like(given, std::numbers::sqrt2 / 2)));
}
// log(erfc(z) exp(z^2) / t) in powers of 2 t - 1, where t = 2 / (2 + z): interpolated at Chebyshev's points, z >= 0.
constexpr std::array<double, 27> kTail{
    -0.6717940840566923,     0.672643223977656,       0.04734330684190443,     -0.04689561023108302,
    -0.009872689366389882,   0.008824938553738641,    0.0017589335577973741,   -0.0023458124448003763,
    -0.00014624686335965785, 0.000673678269692608,    -9.373503129322979e-05,  -0.0001742998492598844,
    7.140101465136976e-05,   3.1733105760593347e-05,  -3.018788605740555e-05,  1.6992383252214351e-07,
    8.562626387199065e-06,   -3.007646187500745e-06,  -1.2723159217745516e-06, 1.3267821041887541e-06,
    -1.6849433286292907e-07, -3.168346059488266e-07,  1.5334128945111602e-07,  3.972220671603761e-08,
    -3.917107384956083e-08,  -1.5867317826338417e-09, 4.060768409738465e-09};
// In float64, since the exponential multiplies the error of its operand. The square is that of a rounded number, whose
// square is exact, and a rest. Beyond 30 the tail is 0.
Scalar erfc(const Scalar& x) {
  const DType wide = DType::float_(64);
  const Ref<SymVar> given = SymVar::make("given", wide), size = SymVar::make("size", wide), t = SymVar::make("t", wide);
  const auto number = [&](double v) { return constant(wide, v); };
  const Scalar place = number(2) * t - number(1), rounded_size = Cast::make(wide, Cast::make(DType::float_(32), size));
  Scalar sum = number(kTail.back());
  for (size_t i = kTail.size() - 1; i-- > 0;) sum = sum * place + number(kTail[i]);
  const Scalar square = number(0) - rounded_size * rounded_size, rest = (rounded_size - size) * (rounded_size + size);
  const Scalar tail = Scalar(t) * intrinsic("exp", square) * intrinsic("exp", rest + sum);
  const Scalar value = choose(less(given, number(0)), number(2) - tail, tail);
  const Scalar of_size = Let::make(t, divide(number(2), number(2) + size), value);
  const Scalar of_given = Let::make(size, min(intrinsic("abs", Scalar(given)), number(30)), of_size);
  return cast_to(x->dtype, Let::make(given, cast_to(wide, x), of_given));
}
// Lanczos approximation with g = 7, in float64, since its terms cancel. Below 1 / 2 the reflection log(pi / |sin(pi
// x)|) - lgamma(1 - x) applies, with the sine of the distance to the nearest integer.
Scalar lgamma(const Scalar& x) {
  constexpr std::array<double, 8> kTerms{676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                                         -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                                         9.9843695780195716e-6, 1.5056327351493116e-7};
  const DType wide = DType::float_(64);
  Ref<SymVar> given = SymVar::make("given", wide), above = SymVar::make("above", wide);  // 1 less, and at least -1 / 2
  const Scalar is_low = less(given, number_like(given, 0.5));
  Scalar sum = number_like(above, 0.99999999999980993);
  for (size_t i = 0; i < kTerms.size(); ++i)
    sum = sum + divide(number_like(above, kTerms[i]), above + number_like(above, static_cast<double>(i) + 1));
  const Scalar half = number_like(above, 0.5), base = above + number_like(above, 7.5);
  const Scalar series = (above + half) * intrinsic("log", base) - base +
                        intrinsic("log", sum * number_like(above, std::sqrt(2 * std::numbers::pi)));
  const Scalar turn = (given - intrinsic("round", given)) * number_like(given, std::numbers::pi);
  const Scalar mirror =
      number_like(given, std::log(std::numbers::pi)) - intrinsic("log", intrinsic("abs", intrinsic("sin", turn)));
  const Scalar argument = choose(is_low, number_like(given, 0) - given, given - number_like(given, 1));
  const Scalar known = Let::make(above, argument, choose(is_low, mirror - series, series));
  const Scalar is_infinite = equals(intrinsic("abs", given), number_like(given, HUGE_VAL));
  const Scalar value = choose(is_infinite, number_like(given, HUGE_VAL), known);
  return cast_to(x->dtype, Let::make(given, cast_to(wide, x), value));
}
Scalar sign(const Scalar& x) {
  Scalar zero = number_like(x, 0), one = number_like(x, 1);
  if (x->dtype.is_uint()) return min(x, one);
  Scalar below = Select::make(Binary::make(BinaryOp::Lt, x, zero), number_like(x, -1), x * zero);
  return Select::make(Binary::make(BinaryOp::Gt, x, zero), one, below);
}
Scalar bitwise_not(const Scalar& x) {
  return x->dtype.is_bool() ? Not::make(x) : ScalarCall::make("bitwise_not", x->dtype, {x});
}
Scalar logical_not(const Scalar& x) {
  if (x->dtype.is_bool()) return Not::make(x);
  return Cast::make(x->dtype, Binary::make(BinaryOp::Eq, x, number_like(x, 0)));
}

Ref<BaseFunc> lower_clip(const Call& call) {
  KernelBuilder k("clip");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T", call.type);
  auto bound = [&](size_t i) {
    Scalar s = scalar_value(call.args[i]);
    if (const auto* f = find<FloatImm>(s)) return constant(x->dtype, f->value);
    if (const int64_t* n = find_int(s)) return constant(x->dtype, static_cast<double>(*n));
    return s->dtype == x->dtype ? s : Cast::make(x->dtype, s);
  };
  k.compute(y, "compute", [&](const Indices& at) { return max(min(load(x, at), bound(2)), bound(1)); });
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

OpSample sample_divisor(Sampler& s) { return {{s.tensor({.kind = Kind::Integer, .values = Values::Positive})}}; }
OpSample sample_erfinv(Sampler& s) { return {{s.tensor({.values = s.chance(70) ? Values::Unit : Values::Any})}}; }
OpSample sample_clip(Sampler& s) {
  const double low = static_cast<double>(s.between(-8, 0)) / 4;
  return {{s.tensor({}), float_argument(low), float_argument(low + 1.5)}};
}

OpInfo unary(const char* name, const char* summary, InferFn infer, LowerFn lower, SampleFn sample) {
  std::vector<std::string> constraints;
  if (infer == infer_as_float_tensor) constraints.push_back("C1: the dtype is a float");
  if (infer == infer_divisor) constraints.push_back("C1: the dtype is an integer");
  if (infer == infer_bits) constraints.push_back("C1: the dtype is an integer or bool");
  return {.name = name,
          .summary = summary,
          .params = {{"x", "tensor"}},
          .constraints = constraints,
          .infer = infer,
          .lower = lower,
          .fuse = Fuse::Elementwise,
          .precision = Precision::Follow,
          .layout = layout_elementwise,
          .sample = sample};
}

void register_float_functions(OpTable& ops) {
  auto add = [&](const char* name, const char* summary, LowerFn lowering) {
    ops.add(unary(name, summary, infer_as_float_tensor, lowering, sample_unary<Kind::Float>));
  };
  add("acos", "the angle in [0, pi] whose cosine is x", lower_unary<same<"acos">>);
  add("acosh", "the inverse of cosh, for x >= 1", lower_unary<same<"acosh">>);
  add("asin", "the angle in [-pi / 2, pi / 2] whose sine is x", lower_unary<same<"asin">>);
  add("asinh", "the inverse of sinh", lower_unary<same<"asinh">>);
  add("atan", "the angle in (-pi / 2, pi / 2) whose tangent is x", lower_unary<same<"atan">>);
  add("atanh", "the inverse of tanh, for x in (-1, 1)", lower_unary<same<"atanh">>);
  add("cos", "the cosine of x", lower_unary<same<"cos">>);
  add("cosh", "the hyperbolic cosine of x", lower_unary<same<"cosh">>);
  add("erf", "the error function of x", lower_unary<same<"erf">>);
  add("erfc", "1 less the error function of x, exact where that is near to 1", lower_unary<erfc>);
  ops.add(unary("erfinv", "what the error function of is x, for x in [-1, 1]", infer_as_float_tensor,
                lower_unary<erfinv>, sample_erfinv));
  add("exp", "e to the power of x", lower_unary<same<"exp">>);
  add("exp2", "2 to the power of x", lower_unary<same<"exp2">>);
  add("expm1", "exp(x) - 1, exact near 0", lower_unary<exp_less_one>);
  add("lgamma", "the logarithm of the magnitude of the gamma function of x", lower_unary<lgamma>);
  add("log", "the natural logarithm of x", lower_unary<same<"log">>);
  add("log10", "the logarithm of x to base 10", lower_unary<same<"log10">>);
  add("log1p", "log(1 + x), exact near 0", lower_unary<same<"log1p">>);
  add("log2", "the logarithm of x to base 2", lower_unary<same<"log2">>);
  add("rsqrt", "1 / sqrt(x)", lower_unary<same<"rsqrt">>);
  add("sigmoid", "1 / (1 + exp(-x))", lower_unary<same<"sigmoid">>);
  add("sin", "the sine of x", lower_unary<same<"sin">>);
  add("sinh", "the hyperbolic sine of x", lower_unary<same<"sinh">>);
  add("sqrt", "the square root of x", lower_unary<same<"sqrt">>);
  add("tan", "the tangent of x", lower_unary<same<"tan">>);
  add("tanh", "the hyperbolic tangent of x", lower_unary<same<"tanh">>);
}

}  // namespace

void register_unary_ops(OpTable& ops) {
  register_float_functions(ops);
  auto add = [&](const char* name, const char* summary, InferFn infer, LowerFn lowering, SampleFn sample) {
    ops.add(unary(name, summary, infer, lowering, sample));
  };
  add("abs", "the magnitude of x", infer_as_tensor, lower_unary<absolute>, sample_unary<Kind::Number>);
  add("bitwise_not", "x with every bit turned", infer_bits, lower_unary<bitwise_not>, sample_unary<Kind::Integer>);
  add("ceil", "x rounded up", infer_as_tensor, lower_unary<rounded<"ceil">>, sample_unary<Kind::Float>);
  add("floor", "x rounded down", infer_as_tensor, lower_unary<rounded<"floor">>, sample_unary<Kind::Float>);
  add("logical_not", "whether x is false", infer_as_tensor, lower_unary<logical_not>, sample_unary<Kind::Boolean>);
  add("negative", "-x", infer_as_tensor, lower_unary<negative>, sample_unary<Kind::Number>);
  add("nonzero_divisor", "x; a run refuses integers that are 0 (E0919)", infer_divisor, lower_unary<nonzero_divisor>,
      sample_divisor);
  add("round", "x rounded to the nearest integer, halves to the even one", infer_as_tensor,
      lower_unary<rounded<"round">>, sample_unary<Kind::Float>);
  add("sign", "-1, 0 or 1, as x is; NaN stays", infer_as_tensor, lower_unary<sign>, sample_unary<Kind::Number>);
  add("square", "x * x", infer_as_tensor, lower_unary<square>, sample_unary<Kind::Number>);
  add("trunc", "x rounded towards zero", infer_as_tensor, lower_unary<rounded<"trunc">>, sample_unary<Kind::Float>);
  add("isfinite", "whether x is neither infinite nor NaN", infer_test, lower_unary<test<"isfinite">>,
      sample_unary<Kind::Float>);
  add("isinf", "whether x is infinite", infer_test, lower_unary<test<"isinf">>, sample_unary<Kind::Float>);
  add("isnan", "whether x is NaN", infer_test, lower_unary<test<"isnan">>, sample_unary<Kind::Float>);
  ops.add({.name = "clip",
           .summary = "x, not below `min` and not above `max`",
           .params = {{"x", "tensor"}, scalar_param("min", "scalar (C1)"), scalar_param("max", "scalar (C1)")},
           .constraints = {"C1: both bounds are scalars"},
           .infer = infer_clip,
           .lower = lower_clip,
           .fuse = Fuse::Elementwise,
           .precision = Precision::Follow,
           .layout = layout_elementwise,
           .sample = sample_clip});
}

}  // namespace sunmao
