// Converters of random ops, and of Dropout, which draws what it drops in training.
#include <cmath>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

/// Returns the seed of a random op. One that the model states draws the same numbers in each run.
Expr seed_of(const NodeContext& n) {
  if (!n.has_attr("seed")) return n.builder.next_seed(n.span);
  constexpr double kLargest = 9.2e18;  // below 2^63
  const double seed = n.float_attr("seed", 0);
  if (!(std::abs(seed) <= kLargest)) n.fail(fmt::format("the seed is {}", seed));
  return integer_constant(DType::int_(64), static_cast<int64_t>(seed), n.span);
}

Expr shape_like(const NodeContext& n) { return ShapeExpr::make(n.dims(0), n.span); }

Expr shape_attr(const NodeContext& n) {
  std::vector<Scalar> dims;
  for (int64_t d : n.ints_attr("shape").value_or(std::vector<int64_t>{})) dims.push_back(int_imm(d));
  return ShapeExpr::make(std::move(dims), n.span);
}

Expr normal(const NodeContext& n, const Expr& shape, DType dtype) {
  return n.call("random.normal", {seed_of(n), shape},
                {{"mean", n.float_attr("mean", 0)}, {"std", n.float_attr("scale", 1)}, {"dtype", dtype}});
}

Expr uniform(const NodeContext& n, const Expr& shape, DType dtype) {
  return n.call("random.uniform", {seed_of(n), shape},
                {{"low", n.float_attr("low", 0)}, {"high", n.float_attr("high", 1)}, {"dtype", dtype}});
}

using Draw = Expr (*)(const NodeContext&, const Expr&, DType);

template <Draw draw>
Results random(const NodeContext& n) {
  return draw(n, shape_attr(n), n.dtype_attr(DType::float_(32)));
}

template <Draw draw>
Results random_like(const NodeContext& n) {
  return draw(n, shape_like(n), n.dtype_attr(dtype_of(n.tensor(0))));
}

Results bernoulli(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const Expr drawn = n.call("random.uniform", {seed_of(n), shape_like(n)}, {{"dtype", dtype_of(x)}});
  return converted(n.builder, binary(n, "less", drawn, x), n.dtype_attr(dtype_of(x)), n.span);
}

/// Each row holds the logarithms of what classes weigh; each sample of a row draws a number of its own.
Results multinomial(const NodeContext& n) {
  const std::vector<Scalar>& dims = n.dims(0);
  if (dims.size() != 2) n.fail(fmt::format("the input must be a matrix, got rank {}", dims.size()));
  const DType dtype = n.dtype_attr(DType::int_(32)), int64 = DType::int_(64);
  const Scalar size = int_imm(n.int_attr("sample_size", 1));
  const std::vector<Scalar> column{n.builder.simplify(dims.at(0) * size), int_imm(1)};
  const Expr share = n.call("nn.softmax", {n.tensor(0)}, {{"axis", -1}});
  const Expr drawn =
      n.call("random.uniform", {seed_of(n), ShapeExpr::make(column, n.span)}, {{"dtype", dtype_of(n.tensor(0))}});
  const Expr rows = broadcast(n.builder, places_along(n, dims.at(0), int64, 0, 2), {dims.at(0), size}, n.span);
  const Expr classes =
      n.call("multinomial_from_uniform", {share, drawn, reshaped(n.builder, rows, column, n.span)}, {{"dtype", dtype}});
  return reshaped(n.builder, classes, {dims.at(0), size}, n.span);
}

/// Gives what is kept, scaled by 1 / (1 - ratio), and the mask of it.
Results trained_dropout(const NodeContext& n, double ratio) {
  if (!(ratio >= 0 && ratio < 1)) n.fail(fmt::format("the ratio is {}", ratio));
  const Expr x = n.tensor(0);
  const Expr drawn = n.call("random.uniform", {seed_of(n), shape_like(n)}, {{"dtype", DType::float_(32)}});
  const Expr kept = n.builder.bind(binary(n, "less", drawn, 1 - ratio), "kept");
  const Expr product = binary(n, "multiply", x, converted(n.builder, kept, dtype_of(x), n.span));
  return {scaled(n.builder, product, 1 / (1 - ratio), n.span), kept};
}

/// In inference nothing is dropped, and the mask is true everywhere. Before opset 10 it has the dtype of the data.
Results dropout(const NodeContext& n) {
  const bool is_training = n.has_input(2) && n.number(2, "training modes") != 0;
  const double ratio = is_training && n.has_input(1) ? n.number(1, "ratios") : 0.5;
  if (is_training && ratio != 0) return trained_dropout(n, ratio);
  const Expr x = n.tensor(0);
  if (!n.has_output(1)) return x;
  return {x, n.call("ones_like", {x}, {{"dtype", n.opset < 10 ? dtype_of(x) : DType::bool_()}})};
}

}  // namespace

std::vector<Converter> random_converters() {
  const char* kLoops = "without a seed not in a loop that a run decides";
  return {{"RandomNormal", 1, random<normal>, "`R.random.normal`", kLoops},
          {"RandomNormalLike", 1, random_like<normal>, "`R.random.normal`", kLoops},
          {"RandomUniform", 1, random<uniform>, "`R.random.uniform`", kLoops},
          {"RandomUniformLike", 1, random_like<uniform>, "`R.random.uniform`", kLoops},
          {"Bernoulli", 15, bernoulli, "`R.random.uniform`, `R.less`, `R.astype`", kLoops},
          {"Multinomial", 7, multinomial, "`R.nn.softmax`, `R.random.uniform`, `R.multinomial_from_uniform`", kLoops},
          {"Dropout", 7, dropout, "its input, `R.ones_like`; in training `R.random.uniform`, `R.multiply`", kLoops}};
}

}  // namespace sunmao::onnx
