// Converters of activations and of ops that are normalised like them: Softmax, LogSoftmax, Hardmax.
#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

Results leaky_relu(const NodeContext& n) {
  return n.call("nn.leakyrelu", {n.tensor(0)}, {{"alpha", n.float_attr("alpha", 0.01)}});
}

Results prelu(const NodeContext& n) {
  const Expr x = n.tensor(0);
  return chosen(n, binary(n, "less", x, 0), binary(n, "multiply", x, n.tensor(1)), x);
}

/// Returns x where it is positive, else alpha * (exp(x) - 1).
Expr exponential(const NodeContext& n, const Expr& x, double alpha) {
  return chosen(n, binary(n, "greater", x, 0), x, scaled(n.builder, n.call("expm1", {x}), alpha, n.span));
}

Results elu(const NodeContext& n) { return exponential(n, n.tensor(0), n.float_attr("alpha", 1)); }

Results selu(const NodeContext& n) {
  constexpr double kAlpha = 1.67326319217681884765625, kGamma = 1.05070102214813232421875;
  const double alpha = n.float_attr("alpha", kAlpha), gamma = n.float_attr("gamma", kGamma);
  if (alpha == kAlpha && gamma == kGamma) return n.call("nn.selu", {n.tensor(0)});
  return scaled(n.builder, exponential(n, n.tensor(0), alpha), gamma, n.span);
}

Results celu(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const double alpha = n.float_attr("alpha", 1);
  const Expr curve = scaled(n.builder, n.call("expm1", {binary(n, "divide", x, alpha)}), alpha, n.span);
  return binary(n, "add", binary(n, "maximum", x, 0), binary(n, "minimum", curve, 0));
}

Expr within_0_and_1(const NodeContext& n, const Expr& x) { return binary(n, "minimum", binary(n, "maximum", x, 0), 1); }

Results hard_sigmoid(const NodeContext& n) {
  const Expr line = scaled(n.builder, n.tensor(0), n.float_attr("alpha", 0.2), n.span);
  return within_0_and_1(n, binary(n, "add", line, n.float_attr("beta", 0.5)));
}

Results hard_swish(const NodeContext& n) {
  const Expr x = n.tensor(0);
  return binary(n, "multiply", x, within_0_and_1(n, binary(n, "add", scaled(n.builder, x, 1.0 / 6, n.span), 0.5)));
}

Results mish(const NodeContext& n) {
  const Expr x = n.tensor(0);
  return binary(n, "multiply", x, n.call("tanh", {n.call("nn.softplus", {x})}));
}

Results softsign(const NodeContext& n) {
  const Expr x = n.tensor(0);
  return binary(n, "divide", x, binary(n, "add", n.call("abs", {x}), 1));
}

Results thresholded_relu(const NodeContext& n) {
  const Expr x = n.tensor(0);
  return chosen(n, binary(n, "greater", x, n.float_attr("alpha", 1)), x, 0);
}

Results shrink(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const double lambda = n.float_attr("lambd", 0.5), bias = n.float_attr("bias", 0);
  const Expr above = chosen(n, binary(n, "greater", x, lambda), binary(n, "subtract", x, bias), 0);
  return chosen(n, binary(n, "less", x, -lambda), binary(n, "add", x, bias), above);
}

Results gelu(const NodeContext& n) {
  const std::string how = n.string_attr("approximate", "none");
  if (how != "none" && how != "tanh") n.fail("`approximate` is neither \"none\" nor \"tanh\"");
  return n.call(how == "tanh" ? "nn.gelu_tanh" : "nn.gelu", {n.tensor(0)});
}

Expr swish_of(const NodeContext& n, const Expr& x) {
  const double alpha = n.float_attr("alpha", 1);
  if (alpha == 1) return n.call("nn.silu", {x});
  return binary(n, "multiply", x, n.call("sigmoid", {scaled(n.builder, x, alpha, n.span)}));
}

Results swish(const NodeContext& n) { return swish_of(n, n.tensor(0)); }
Results swiglu(const NodeContext& n) { return binary(n, "multiply", swish_of(n, n.tensor(0)), n.tensor(1)); }

/// Returns 1 at the first place of the largest element along `axis`, else 0.
Expr hardmax(const NodeContext& n, const Expr& x, int64_t axis) {
  const auto rank = static_cast<int64_t>(sizes_of(x).size());
  axis = axis_of(n, axis, rank);
  const int64_t* size = find_int(sizes_of(x).at(static_cast<size_t>(axis)));
  if (size && *size > 0 && dtype_of(x).is_float()) {
    const Expr place = n.call("argmax", {x}, {{"axis", axis}, {"keepdims", false}});
    const auto number = [&](double v) { return PrimValue::make(FloatImm::make(dtype_of(x), v), n.span); };
    return n.call("one_hot", {place, number(1), number(0)}, {{"depth", *size}, {"axis", axis}});
  }
  const Expr best = n.call("argmax", {x}, {{"axis", axis}, {"keepdims", true}});
  const Expr places = places_along(n, sizes_of(x).at(static_cast<size_t>(axis)), DType::int_(64), axis, rank);
  return converted(n.builder, binary(n, "equal", best, places), dtype_of(x), n.span);
}

constexpr char kSoftmax[] = "nn.softmax", kLogSoftmax[] = "nn.log_softmax", kHardmax[] = "";

template <const char* op>
Expr over(const NodeContext& n, const Expr& x, int64_t axis) {
  if (op == kHardmax) return hardmax(n, x, axis);
  return n.call(op, {x}, {{"axis", axis}});
}

/// Before opset 13 the axes from `axis` on are one, of size 1 where none is left.
template <const char* op>
Results over_flat_axes(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const int64_t rank = n.rank(0), stated = n.int_attr("axis", 1);
  const int64_t axis = stated == rank ? rank : axis_of(n, stated, std::max<int64_t>(rank, 1));
  if (rank == 0 || axis == rank - 1) return over<op>(n, x, -1);
  const Expr flat = axis == rank
                        ? with_axes(n.builder, x, {rank}, n.span)
                        : flattened(n.builder, x, static_cast<size_t>(axis), static_cast<size_t>(rank - 1), n.span);
  return reshaped(n.builder, over<op>(n, flat, -1), n.dims(0), n.span);
}

template <const char* op>
Results over_axis(const NodeContext& n) {
  return over<op>(n, n.tensor(0), n.int_attr("axis", -1));
}

constexpr char kRelu[] = "nn.relu", kSigmoid[] = "sigmoid", kTanh[] = "tanh", kSoftplus[] = "nn.softplus";

}  // namespace

std::vector<Converter> activation_converters() {
  return {{"Relu", 6, unary<kRelu>, "`R.nn.relu`"},
          {"Sigmoid", 6, unary<kSigmoid>, "`R.sigmoid`"},
          {"Tanh", 6, unary<kTanh>, "`R.tanh`"},
          {"Softplus", 1, unary<kSoftplus>, "`R.nn.softplus`"},
          {"LeakyRelu", 6, leaky_relu, "`R.nn.leakyrelu`"},
          {"PRelu", 7, prelu, "`R.where`, `R.less`, `R.multiply`"},
          {"Elu", 6, in_float32<elu>, "`R.where`, `R.greater`, `R.expm1`, `R.multiply`"},
          {"Selu", 6, in_float32<selu>, "`R.nn.selu`; with other constants as `Elu`"},
          {"Celu", 12, in_float32<celu>, "`R.add` of `R.maximum` and `R.minimum`, `R.expm1`, `R.divide`, `R.multiply`"},
          {"HardSigmoid", 6, in_float32<hard_sigmoid>, "`R.multiply`, `R.add`, `R.maximum`, `R.minimum`"},
          {"HardSwish", 14, in_float32<hard_swish>, "`R.multiply`, `R.add`, `R.maximum`, `R.minimum`"},
          {"Mish", 18, in_float32<mish>, "`R.nn.softplus`, `R.tanh`, `R.multiply`"},
          {"Softsign", 1, in_float32<softsign>, "`R.abs`, `R.add`, `R.divide`"},
          {"ThresholdedRelu", 10, in_float32<thresholded_relu>, "`R.where`, `R.greater`"},
          {"Shrink", 9, in_float32<shrink>, "`R.where`, `R.less`, `R.greater`, `R.add`, `R.subtract`"},
          {"Gelu", 20, gelu, "`R.nn.gelu`, `R.nn.gelu_tanh`"},
          {"Swish", 24, in_float32<swish>, "`R.nn.silu`; with another alpha `R.multiply`, `R.sigmoid`"},
          {"SwiGLU", 28, in_float32<swiglu>, "`R.nn.silu`, `R.multiply`; with another alpha `R.sigmoid`"},
          {"Softmax", 1, over_flat_axes<kSoftmax>, "`R.nn.softmax` of `R.reshape`"},
          {"Softmax", 13, over_axis<kSoftmax>, "`R.nn.softmax`"},
          {"LogSoftmax", 1, over_flat_axes<kLogSoftmax>, "`R.nn.log_softmax` of `R.reshape`"},
          {"LogSoftmax", 13, over_axis<kLogSoftmax>, "`R.nn.log_softmax`"},
          {"Hardmax", 1, over_flat_axes<kHardmax>,
           "`R.argmax` of `R.reshape`, `R.one_hot`; along a symbolic axis `R.equal`, `R.arange`"},
          {"Hardmax", 13, over_axis<kHardmax>, "`R.argmax`, `R.one_hot`; along a symbolic axis `R.equal`, `R.arange`"}};
}

}  // namespace sunmao::onnx
