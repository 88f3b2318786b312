// Converters of activations.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// An activation on floats, computed in float32 at least; `result` gives it the dtype of the input.
class Activation {
 public:
  explicit Activation(const NodeContext& n) : x(widened(n, n.tensor("self"))), n_(n) {}

  const Expr x;
  Expr number(double value) const { return n_.constant(dtype_of(x), value); }
  Expr operator()(const char* op, std::vector<Expr> args) const { return n_.call(op, std::move(args)); }
  Expr times(const Expr& e, double factor) const { return scaled(n_.builder, e, factor, n_.span); }
  Expr choice(const char* comparison, double bound, const Expr& yes, const Expr& no) const {
    return n_.call("where", {n_.call(comparison, {x, number(bound)}), yes, no});
  }
  Results result(const Expr& e) const { return converted(n_.builder, e, dtype_of(n_.tensor("self")), n_.span); }

 private:
  const NodeContext& n_;
};

Results leaky_relu(const NodeContext& n) {
  return n.call("nn.leakyrelu", {n.tensor("self")}, {{"alpha", n.real("negative_slope", 0.01)}});
}
Results gelu(const NodeContext& n) {
  return n.call(n.string("approximate", "none") == "tanh" ? "nn.gelu_tanh" : "nn.gelu", {n.tensor("self")});
}
Results softplus(const NodeContext& n) {
  return n.call("nn.softplus", {n.tensor("self")},
                {{"beta", n.real("beta", 1.0)}, {"threshold", n.real("threshold", 20.0)}});
}
Results hardtanh(const NodeContext& n) {
  Expr x = n.tensor("self");
  auto bound = [&](const char* name, double otherwise) { return n.constant(dtype_of(x), n.real(name, otherwise)); };
  return n.call("minimum", {n.call("maximum", {x, bound("min_val", -1)}), bound("max_val", 1)});
}

/// scale * x above 0, else alpha * scale * (exp(input_scale * x) - 1).
Expr elu_of(const Activation& a, double alpha, double scale, double input_scale) {
  Expr below = a.times(a("expm1", {a.times(a.x, input_scale)}), alpha * scale);
  return a.choice("greater", 0, a.times(a.x, scale), below);
}
Results elu(const NodeContext& n) {
  const Activation a(n);
  return a.result(elu_of(a, n.real("alpha", 1), n.real("scale", 1), n.real("input_scale", 1)));
}
Results celu(const NodeContext& n) {
  const Activation a(n);
  const double alpha = n.real("alpha", 1);
  return a.result(elu_of(a, alpha, 1, 1 / alpha));
}

/// min(max(x + 3, 0), 6) / 6
Expr gate(const Activation& a) {
  Expr limited = a("minimum", {a("maximum", {a("add", {a.x, a.number(3)}), a.number(0)}), a.number(6)});
  return a("divide", {limited, a.number(6)});
}
Results hardsigmoid(const NodeContext& n) {
  const Activation a(n);
  return a.result(gate(a));
}
Results hardswish(const NodeContext& n) {
  const Activation a(n);
  return a.result(a("multiply", {a.x, gate(a)}));
}
Results mish(const NodeContext& n) {
  const Activation a(n);
  return a.result(a("multiply", {a.x, a("tanh", {a("nn.softplus", {a.x})})}));
}
/// min(x, 0) - log(1 + exp(-|x|))
Expr log_sigmoid_of(const Activation& a) {
  const Expr rest = a("log1p", {a("exp", {a("negative", {a("abs", {a.x})})})});
  return a("subtract", {a("minimum", {a.x, a.number(0)}), rest});
}
/// The second output is a buffer for the gradient.
Results log_sigmoid(const NodeContext& n) {
  const Activation a(n);
  return a.result(log_sigmoid_of(a));
}
/// 0 where |x| is at most `lambd`, else x, which `softshrink` moves by `lambd` towards 0. NaN stays. `hardshrink` alone
/// has the number in the dtype of x.
Results hardshrink(const NodeContext& n) {
  const Activation a(n);
  const double lambd = held(dtype_of(n.tensor("self")), n.real("lambd", 0.5));
  Expr within = a("less_equal", {a("abs", {a.x}), a.number(lambd)});
  return a.result(a("where", {within, a.number(0), a.x}));
}
Results softshrink(const NodeContext& n) {
  const Activation a(n);
  const double lambd = n.real("lambd", 0.5);
  Expr limited = a("minimum", {a("maximum", {a.x, a.number(-lambd)}), a.number(lambd)});
  return a.result(a("subtract", {a.x, limited}));
}
Results threshold(const NodeContext& n) {
  Expr x = n.tensor("self");
  Expr below = n.call("less_equal", {x, n.constant(dtype_of(x), n.real("threshold"))});
  return n.call("where", {below, n.constant(dtype_of(x), n.real("value")), x});
}

/// The weight holds a slope for each channel, which is axis 1, or one for all.
Results prelu(const NodeContext& n) {
  Expr x = n.tensor("self"), weight = n.tensor("weight");
  Expr slopes = reshaped(n.builder, weight, {product(n.builder, n.dims(weight))}, n.span);
  const int64_t axis = n.rank(x) < 2 ? 0 : 1;
  if (rank_of(x) == 0)
    return without_axes(n.builder, n.call("nn.prelu", {with_axes(n.builder, x, {0}, n.span), slopes}, {{"axis", 0}}),
                        {0}, n.span);
  return n.call("nn.prelu", {x, slopes}, {{"axis", axis}});
}
/// The weight broadcasts.
Results prelu_kernel(const NodeContext& n) {
  Expr x = n.tensor("self");
  Expr below = n.call("multiply", {x, n.tensor("weight")});
  return n.call("where", {n.call("greater", {x, n.constant(dtype_of(x), 0)}), x, below});
}

/// The first half of an axis times the sigmoid of the second.
Results glu(const NodeContext& n) {
  Expr x = n.tensor("self");
  const int64_t axis = from_front(n.integer("dim", -1), n.rank(x), "E0704", n.span);
  const Scalar& size = n.dims(x).at(static_cast<size_t>(axis));
  const Scalar half = n.builder.simplify(floor_div(size, int_imm(2)));
  Expr first = sliced(n.builder, x, {{axis, int_imm(0), half}}, n.span);
  Expr second = sliced(n.builder, x, {{axis, half, size}}, n.span);
  return n.call("multiply", {first, n.call("sigmoid", {second})});
}

/// Converts a softmax along `dim`, in the dtype that the exporter recorded. A tensor of rank 0 counts as one of rank 1.
template <OpName op>
Results softmax(const NodeContext& n) {
  Expr x = converted(n.builder, n.tensor("self"), n.recorded_dtype(), n.span);
  if (rank_of(x) > 0) return n.call(op.text, {x}, {{"axis", n.integer("dim")}});
  Expr one = n.call(op.text, {with_axes(n.builder, x, {0}, n.span)}, {{"axis", 0}});
  return without_axes(n.builder, one, {0}, n.span);
}
/// Gives zeros where all along the axis is -infinity.
Results safe_softmax(const NodeContext& n) {
  Expr x = converted(n.builder, n.tensor("self"), n.recorded_dtype(), n.span);
  const AttrMap along{{"axis", AttrValue::ints({n.integer("dim")})}, {"keepdims", true}};
  Expr none =
      n.call("equal", {n.call("max", {x}, along), n.constant(dtype_of(x), -std::numeric_limits<double>::infinity())});
  return n.call("where", {none, n.constant(dtype_of(x), 0), softmax<"nn.softmax">(n).values[0]});
}

}  // namespace

std::vector<Converter> activation_converters() {
  std::vector<Converter> rows;
  add_pair<unary<"nn.relu">>(rows, "aten.relu.default", "aten.relu_.default", "`R.nn.relu`");
  add_pair<unary<"nn.relu6">>(rows, "aten.relu6.default", "aten.relu6_.default", "`R.nn.relu6`");
  add_pair<unary<"nn.silu">>(rows, "aten.silu.default", "aten.silu_.default", "`R.nn.silu`");
  add_pair<unary<"nn.selu">>(rows, "aten.selu.default", "aten.selu_.default", "`R.nn.selu`");
  add_pair<gelu>(rows, "aten.gelu.default", "aten.gelu_.default", "`R.nn.gelu`, or `R.nn.gelu_tanh`");
  add_pair<leaky_relu>(rows, "aten.leaky_relu.default", "aten.leaky_relu_.default", "`R.nn.leakyrelu`");
  add_pair<hardtanh>(rows, "aten.hardtanh.default", "aten.hardtanh_.default", "`R.maximum` and `R.minimum`");
  add_pair<elu>(rows, "aten.elu.default", "aten.elu_.default", "`R.where` of `R.expm1`");
  add_pair<celu>(rows, "aten.celu.default", "aten.celu_.default", "`R.where` of `R.expm1`");
  add_pair<hardsigmoid>(rows, "aten.hardsigmoid.default", "aten.hardsigmoid_.default",
                        "`R.maximum`, `R.minimum`, `R.add` and `R.divide`");
  add_pair<hardswish>(rows, "aten.hardswish.default", "aten.hardswish_.default",
                      "`R.maximum`, `R.minimum`, `R.add`, `R.divide` and `R.multiply`");
  add_pair<mish>(rows, "aten.mish.default", "aten.mish_.default", "`R.multiply`, `R.tanh` and `R.nn.softplus`");
  add_pair<in_opmath<threshold>>(rows, "aten.threshold.default", "aten.threshold_.default", "`R.where`");
  rows.push_back({"aten.softplus.default", softplus, "`R.nn.softplus`"});
  for (const char* target : {"aten.log_sigmoid.default", "aten.log_sigmoid_forward.default"})
    rows.push_back({target, log_sigmoid, "`R.subtract` of `R.minimum` and `R.log1p`"});
  rows.push_back({"aten.hardshrink.default", hardshrink, "`R.where`"});
  rows.push_back({"aten.softshrink.default", softshrink, "`R.subtract`"});
  rows.push_back({"aten.prelu.default", prelu, "`R.nn.prelu`"});
  rows.push_back({"aten._prelu_kernel.default", prelu_kernel, "`R.where` and `R.multiply`"});
  rows.push_back({"aten.glu.default", in_opmath<glu>, "`R.multiply` and `R.sigmoid`"});
  for (const char* target : {"aten.softmax.int", "aten._softmax.default"})
    rows.push_back({target, softmax<"nn.softmax">, "`R.nn.softmax`"});
  for (const char* target : {"aten.log_softmax.int", "aten._log_softmax.default"})
    rows.push_back({target, softmax<"nn.log_softmax">, "`R.nn.log_softmax`"});
  rows.push_back({"aten._safe_softmax.default", safe_softmax, "`R.nn.softmax` and `R.where`"});
  return rows;
}

}  // namespace sunmao::torch
