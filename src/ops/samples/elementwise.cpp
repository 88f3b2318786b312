// Samples of ops that work element by element.
#include "ops/samples/samples.h"

namespace sunmao {
namespace {

using Kind = TensorWish::Kind;

template <Kind kKind>
OpSample unary(Sampler& s) {
  return {{s.tensor({.kind = kKind})}};
}

// Dimensions that broadcast against `dims`.
Dims partner_dims(Sampler& s, const Dims& dims) {
  Dims out(dims.begin() + static_cast<ptrdiff_t>(s.chance(30) ? s.below(dims.size() + 1) : 0), dims.end());
  for (Scalar& d : out)
    if (s.chance(20)) d = int_imm(1);
  return out;
}

Expr partner(Sampler& s, const Expr& x, Values values = Values::Any, int64_t limit = 0) {
  return s.tensor(
      {.dims = partner_dims(s, sampled_dims(x)), .dtype = sampled_dtype(x), .values = values, .limit = limit});
}

template <Kind kKind>
OpSample binary(Sampler& s) {
  Expr x = s.tensor({.kind = kKind}), y = partner(s, x);
  return s.chance(50) ? OpSample{{x, y}} : OpSample{{y, x}};
}

// What divides, or is a power's base, is positive.
OpSample divided(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number});
  return {{x, partner(s, x, Values::Positive)}};
}
OpSample power(Sampler& s) {
  Expr x = s.tensor({.values = Values::Positive});
  return {{x, partner(s, x)}};
}
OpSample shifted(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Integer});
  return {{x, partner(s, x, Values::Index, 7)}};
}

OpSample clipped(Sampler& s) {
  const double low = static_cast<double>(s.between(-8, 0)) / 4;
  return {{s.tensor({}), float_argument(low), float_argument(low + 1.5)}};
}

OpSample fused(Sampler& s) {
  Expr x = s.tensor({});
  return {{x, s.like(x), s.like(x)}};
}

OpSample chosen(Sampler& s) {
  Expr x = s.tensor({.kind = Kind::Number}), y = partner(s, x);
  return {{s.tensor({.dims = partner_dims(s, sampled_dims(x)), .dtype = DType::bool_()}), x, y}};
}

OpSample cast(Sampler& s) {
  // What no integer holds is nobody's to convert.
  Expr x = s.tensor({.kind = Kind::Number, .values = Values::Positive});
  static const std::vector<DType> kTargets{DType::float_(16), DType::float_(32), DType::float_(64), DType::int_(32),
                                           DType::int_(8),    DType::uint(16),   DType::bool_()};
  return {{x}, {{"dtype", s.one_of(kTargets)}}};
}

OpSample leaky(Sampler& s) { return {{s.tensor({})}, {{"alpha", 0.25}}}; }
OpSample sloped(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1});
  const int64_t axis = s.axis(sampled_rank(x));
  return {{x, s.beside(x, {dim_along(axis, x)})}, {{"axis", axis}}};
}

}  // namespace

void add_elementwise_samples(SampleTable& t) {
  for (const char* name : {"abs", "negative", "sign", "square"}) t[name] = unary<Kind::Number>;
  for (const char* name :
       {"acos",         "acosh",   "asin",    "asinh",       "atan",     "atanh", "ceil",    "cos",      "cosh",
        "erf",          "exp",     "floor",   "log",         "round",    "rsqrt", "sigmoid", "sin",      "sinh",
        "sqrt",         "tan",     "tanh",    "trunc",       "isnan",    "isinf", "nn.relu", "nn.relu6", "nn.gelu",
        "nn.gelu_tanh", "nn.silu", "nn.selu", "nn.softplus", "isfinite", "expm1", "log10",   "log1p",    "log2"})
    t[name] = unary<Kind::Float>;
  t["logical_not"] = unary<Kind::Boolean>;
  t["bitwise_not"] = unary<Kind::Integer>;
  for (const char* name : {"add", "subtract", "multiply", "maximum", "minimum", "equal", "not_equal", "less",
                           "less_equal", "greater", "greater_equal"})
    t[name] = binary<Kind::Number>;
  for (const char* name : {"divide", "floor_divide", "mod", "floor_mod"}) t[name] = divided;
  t["power"] = power;
  for (const char* name : {"atan2", "log_add_exp"}) t[name] = binary<Kind::Float>;
  for (const char* name : {"logical_and", "logical_or", "logical_xor"}) t[name] = binary<Kind::Boolean>;
  for (const char* name : {"bitwise_and", "bitwise_or", "bitwise_xor"}) t[name] = binary<Kind::Integer>;
  for (const char* name : {"left_shift", "right_shift"}) t[name] = shifted;
  t["clip"] = clipped;
  t["ewise_fma"] = fused;
  t["where"] = chosen;
  t["astype"] = cast;
  t["nn.leakyrelu"] = leaky;
  t["nn.prelu"] = sloped;
}

}  // namespace sunmao
