// Activation functions of neural networks, softmax and log-softmax.
#include <limits>

#include "ops/layout_rule.h"
#include "ops/lowering.h"
#include "ops/ops.h"
#include "ops/samples/shared_samples.h"

namespace sunmao {
namespace {

Type infer_softmax(const InferInput& in) {
  const TensorType& x = in.tensor(0);
  need_float(in, x);                                                           // C1
  if (x.rank != kUnknownRank) in.normalize_axis(in.int_attr("axis"), x.rank);  // C2
  return in.type(0);
}

Type infer_prelu(const InferInput& in) {
  const TensorType &x = in.tensor(0), &alpha = in.tensor(1);
  need_float(in, x);                                                           // C1
  if (x.rank != kUnknownRank) in.normalize_axis(in.int_attr("axis"), x.rank);  // C2
  need_rank(in, 1, 1);                                                         // C3
  if (!x.dtype.is_void() && !alpha.dtype.is_void() && x.dtype != alpha.dtype)  // C4
    in.error("E0304", "`alpha` is " + alpha.dtype.str() + ", `data` " + x.dtype.str(), "use astype on one of them");
  shared_vdevice(in, {&x, &alpha});
  if (!x.dims() || !alpha.dims()) return in.type(0);
  const Scalar &own = alpha.dims()->front(),
               &channels = (*x.dims())[static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x.rank))];
  if (!is_one(own) && !in.can_agree(own, channels))  // C5
    in.error("E0309", "`alpha` holds " + describe(own) + " slopes for " + describe(channels) + " channels");
  return in.type(0);
}

using ActivationFn = Scalar (*)(const InferInput&, const Scalar&);

template <ActivationFn kValue>
Ref<BaseFunc> lower_activation(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k(in.op.name().substr(3));
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T", call.type);
  k.compute(y, "compute", [&](const Indices& at) { return kValue(in, load(x, at)); });
  return std::move(k).finish();
}

Scalar relu(const InferInput&, const Scalar& x) { return max(x, number_like(x, 0)); }
Scalar relu6(const InferInput& in, const Scalar& x) {
  const DType dtype = x->dtype;
  const bool is_below_6 = dtype.is_integral() && dtype.bits < 4;  // whatever it is
  return is_below_6 ? relu(in, x) : min(relu(in, x), number_like(x, 6));
}
Scalar leaky(const InferInput& in, const Scalar& x) {
  return Select::make(Binary::make(BinaryOp::Gt, x, number_like(x, 0)), x, x * number_like(x, in.float_attr("alpha")));
}
Scalar gelu(const InferInput&, const Scalar& x) {
  constexpr double kInverseRoot2 = 0.70710678118654752;
  return x * (number_like(x, 0.5) + intrinsic("erf", x * number_like(x, kInverseRoot2)) * number_like(x, 0.5));
}
Scalar gelu_tanh(const InferInput&, const Scalar& x) {
  constexpr double kRoot2OverPi = 0.79788456080286536, kCubic = 0.044715;
  Scalar inner = number_like(x, kRoot2OverPi) * (x + number_like(x, kCubic) * x * x * x);
  return number_like(x, 0.5) * x * (number_like(x, 1) + intrinsic("tanh", inner));
}
Scalar silu(const InferInput&, const Scalar& x) { return x * intrinsic("sigmoid", x); }
Scalar selu(const InferInput&, const Scalar& x) {
  constexpr double kScale = 1.0507009873554805, kAlpha = 1.6732632423543772;
  Scalar below = number_like(x, kScale * kAlpha) * exp_less_one(min(x, number_like(x, 0)));
  return Select::make(Binary::make(BinaryOp::Gt, x, number_like(x, 0)), number_like(x, kScale) * x, below);
}
// Softplus: `x` itself where beta * x exceeds the threshold; elsewhere log1p(exp(beta * x)) / beta. The argument of
// the exponential is capped at the threshold.
Scalar softplus(const InferInput& in, const Scalar& x) {
  Scalar beta = number_like(x, in.float_attr("beta")), limit = number_like(x, in.float_attr("threshold")),
         scaled = x * beta;
  Scalar soft = Binary::make(BinaryOp::Div, intrinsic("log1p", intrinsic("exp", min(scaled, limit))), beta);
  return Select::make(Binary::make(BinaryOp::Gt, scaled, limit), x, soft);
}

Ref<BaseFunc> lower_prelu(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k("prelu");
  Ref<Buffer> x = k.input("A", call.args[0]->type), alpha = k.input("B", call.args[1]->type),
              y = k.output("T", call.type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  const int64_t* size = find_int(alpha->shape[0]);
  k.compute(y, "compute", [&](const Indices& at) {
    Scalar value = load(x, at), slope = load(alpha, {size && *size == 1 ? int_imm(0) : at[axis]});
    return Select::make(Binary::make(BinaryOp::Gt, value, number_like(value, 0)), value, value * slope);
  });
  return std::move(k).finish();
}

// Softmax and log-softmax: the maximum along the axis is subtracted before exponentiating, so that the exponential
// cannot overflow.
template <bool kLog>
Ref<BaseFunc> lower_softmax(const Call& call) {
  InferInput in = input_of(call);
  KernelBuilder k(kLog ? "log_softmax" : "softmax");
  Ref<Buffer> x = k.input("A", call.args[0]->type), y = k.output("T_softmax_norm", call.type);
  size_t axis = static_cast<size_t>(in.normalize_axis(in.int_attr("axis"), x->rank()));
  std::vector<Scalar> others = x->shape;
  Scalar extent = others[axis];
  others.erase(others.begin() + static_cast<std::ptrdiff_t>(axis));
  auto with = [&](Indices at, const Scalar& i) {
    at.insert(at.begin() + static_cast<std::ptrdiff_t>(axis), i);
    return at;
  };
  auto without = [&](Indices at) {
    at.erase(at.begin() + static_cast<std::ptrdiff_t>(axis));
    return at;
  };
  Ref<Buffer> top = k.alloc("T_softmax_maxelem", x->dtype, others), sum = k.alloc("T_softmax_expsum", x->dtype, others);
  auto lowest = FloatImm::make(x->dtype, -std::numeric_limits<double>::infinity());
  k.reduce(top, "T_softmax_maxelem", {extent}, {lowest, [](const Scalar& a, const Scalar& b) { return max(a, b); }},
           [&](const Indices& at, const Indices& r) { return load(x, with(at, r[0])); });
  auto shifted = [&](const Indices& at, const Indices& other) { return load(x, at) - load(top, other); };
  if constexpr (kLog) {
    k.reduce(sum, "T_softmax_expsum", {extent},
             {constant(x->dtype, 0), [](const Scalar& a, const Scalar& b) { return a + b; }},
             [&](const Indices& at, const Indices& r) { return intrinsic("exp", shifted(with(at, r[0]), at)); });
    k.compute(y, "T_softmax_norm",
              [&](const Indices& at) { return shifted(at, without(at)) - intrinsic("log", load(sum, without(at))); });
  } else {
    Ref<Buffer> exps = k.alloc("T_softmax_exp", x->dtype, x->shape);
    k.compute(exps, "T_softmax_exp", [&](const Indices& at) { return intrinsic("exp", shifted(at, without(at))); });
    k.reduce(sum, "T_softmax_expsum", {extent},
             {constant(x->dtype, 0), [](const Scalar& a, const Scalar& b) { return a + b; }},
             [&](const Indices& at, const Indices& r) { return load(exps, with(at, r[0])); });
    k.compute(y, "T_softmax_norm",
              [&](const Indices& at) { return Binary::make(BinaryOp::Div, load(exps, at), load(sum, without(at))); });
  }
  return std::move(k).finish();
}

using Kind = TensorWish::Kind;

OpSample sample_leaky(Sampler& s) { return {{s.tensor({})}, {{"alpha", 0.25}}}; }

OpSample sample_prelu(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1});
  const int64_t axis = s.axis(sampled_rank(x));
  return {{x, s.beside(x, {dim_along(axis, x)})}, {{"axis", axis}}};
}

OpSample sample_softmax(Sampler& s) {
  Expr x = s.tensor({.min_rank = 1});
  return {{x}, {{"axis", s.axis(sampled_rank(x))}}};
}

void register_softmax(OpTable& ops, const char* name, const char* summary, LowerFn lowering) {
  ops.add({.name = name,
           .summary = summary,
           .params = {{"data", "float tensor (C1)"}, int_param("axis", "the axis to normalise over (C2)", -1)},
           .constraints = {"C1: the dtype is a float", "C2: axis is in [-rank, rank - 1]"},
           .infer = infer_softmax,
           .lower = lowering,
           .fuse = Fuse::Reduce,
           .layout = layout_along_axis,
           .sample = sample_softmax});
}

}  // namespace

void register_activation_ops(OpTable& ops) {
  auto add = [&](const char* name, const char* summary, LowerFn lowering, std::vector<OpParam> attrs = {},
                 SampleFn sample = sample_unary<Kind::Float>) {
    std::vector<OpParam> params{{"data", "float tensor (C1)"}};
    params.insert(params.end(), attrs.begin(), attrs.end());
    ops.add({.name = name,
             .summary = summary,
             .params = std::move(params),
             .constraints = {"C1: the dtype is a float"},
             .infer = infer_as_float_tensor,
             .lower = lowering,
             .fuse = Fuse::Elementwise,
             .precision = Precision::Follow,
             .layout = layout_elementwise,
             .sample = sample});
  };
  ops.add({.name = "nn.relu",
           .summary = "max(data, 0)",
           .params = {{"data", "tensor"}},
           .infer = infer_as_tensor,
           .lower = lower_activation<relu>,
           .fuse = Fuse::Elementwise,
           .precision = Precision::Follow,
           .layout = layout_elementwise,
           .sample = sample_unary<Kind::Float>});
  ops.add({.name = "nn.relu6",
           .summary = "data, not below 0 and not above 6",
           .params = {{"data", "tensor"}},
           .infer = infer_as_tensor,
           .lower = lower_activation<relu6>,
           .fuse = Fuse::Elementwise,
           .precision = Precision::Follow,
           .layout = layout_elementwise,
           .sample = sample_unary<Kind::Float>});
  add("nn.leakyrelu", "data where it is positive, else alpha * data", lower_activation<leaky>,
      {float_param("alpha", "the slope below 0", 0.01)}, sample_leaky);
  add("nn.gelu", "data * Phi(data), Phi being the normal distribution", lower_activation<gelu>);
  add("nn.gelu_tanh", "gelu by its approximation with tanh", lower_activation<gelu_tanh>);
  add("nn.silu", "data * sigmoid(data)", lower_activation<silu>);
  add("nn.selu", "the scaled exponential linear unit", lower_activation<selu>);
  add("nn.softplus", "log(1 + exp(beta * data)) / beta", lower_activation<softplus>,
      {float_param("beta", "how sharp the bend is", 1.0),
       float_param("threshold", "beta * data above this is left alone", 20.0)});
  ops.add({.name = "nn.prelu",
           .summary = "data where it is positive, else data times the slope of its channel",
           .params = {{"data", "float tensor (C1)"},
                      {"alpha", "slopes along `axis`, or one for all (C3, C4, C5)"},
                      int_param("axis", "the axis of channels (C2)", 1)},
           .constraints = {"C1: the dtype is a float", "C2: axis is in [-rank, rank - 1]", "C3: alpha has rank 1",
                           "C4: both dtypes are the same", "C5: one slope, or one for each channel"},
           .infer = infer_prelu,
           .lower = lower_prelu,
           .fuse = Fuse::Broadcast,
           .precision = Precision::Follow,
           .layout = layout_along_axis,
           .sample = sample_prelu});
  register_softmax(ops, "nn.softmax", "exp(data), normalised to sum to 1 along `axis`.", lower_softmax<false>);
  register_softmax(ops, "nn.log_softmax", "The logarithm of the softmax along `axis`.", lower_softmax<true>);
}

}  // namespace sunmao
