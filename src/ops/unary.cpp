// Elementwise ops on one tensor.
#include "ops/float_format.h"
#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"
#include "ops/special_functions.h"

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
Type infer_exponent(const InferInput& in) {
  need_float(in, in.tensor(0));  // C1
  return with_dtype(in.tensor(0), kInt32);
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
  if (infer == infer_as_float_tensor || infer == infer_exponent) constraints.push_back("C1: the dtype is a float");
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
  add("digamma", "the derivative of lgamma; NaN at negative integers", lower_unary<digamma>);
  add("erf", "the error function of x", lower_unary<same<"erf">>);
  add("erfc", "1 less the error function of x, exact where that is near to 1", lower_unary<erfc>);
  ops.add(unary("erfinv", "what the error function of is x, for x in [-1, 1]", infer_as_float_tensor,
                lower_unary<erfinv>, sample_erfinv));
  add("erfcx", "exp(x^2) erfc(x)", lower_unary<scaled_erfc>);
  add("exp", "e to the power of x", lower_unary<same<"exp">>);
  add("exp2", "2 to the power of x", lower_unary<same<"exp2">>);
  add("expm1", "exp(x) - 1, exact near 0", lower_unary<exp_less_one>);
  ops.add(unary("exponent", "e of x = m * 2**e, where m is in [0.5, 1) but for its sign; 0 of 0, infinities and NaN",
                infer_exponent, lower_unary<exponent>, sample_unary<Kind::Float>));
  add("i0", "the modified Bessel function of order 0", lower_unary<bessel_i0>);
  add("i0e", "exp(-|x|) i0(x)", lower_unary<scaled_bessel_i0>);
  add("i1", "the modified Bessel function of order 1", lower_unary<bessel_i1>);
  add("i1e", "exp(-|x|) i1(x)", lower_unary<scaled_bessel_i1>);
  add("lgamma", "the logarithm of the magnitude of the gamma function of x", lower_unary<lgamma>);
  add("log", "the natural logarithm of x", lower_unary<same<"log">>);
  add("log10", "the logarithm of x to base 10", lower_unary<same<"log10">>);
  add("log1p", "log(1 + x), exact near 0", lower_unary<same<"log1p">>);
  add("log2", "the logarithm of x to base 2", lower_unary<same<"log2">>);
  add("log_ndtr", "the logarithm of the probability that a normal variable is below x",
      lower_unary<log_normal_probability>);
  ops.add(unary("ndtri", "what a normal variable is below with probability x, for x in [0, 1]", infer_as_float_tensor,
                lower_unary<normal_quantile>, sample_erfinv));
  add("rsqrt", "1 / sqrt(x)", lower_unary<same<"rsqrt">>);
  add("sigmoid", "1 / (1 + exp(-x))", lower_unary<same<"sigmoid">>);
  add("significand", "m of x = m * 2**e, where m is in [0.5, 1) but for its sign; x of 0, infinities and NaN",
      lower_unary<significand>);
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
