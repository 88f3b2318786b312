// Converters of normalisation layers.
#include <algorithm>
#include <array>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"
#include "frontend/torch/vector_norm.h"

namespace sunmao::torch {
namespace {

using Axes = std::vector<int64_t>;

/// Returns an optional parameter in the dtype of `x`; where it is omitted a constant that has no effect.
Expr parameter(const NodeContext& n, std::string_view name, const std::vector<Scalar>& shape, double neutral,
               DType dtype) {
  if (n.has(name)) return converted(n.builder, n.tensor(name), dtype, n.span);
  return n.call("full", {ShapeExpr::make(shape), n.constant(dtype, neutral)}, {{"dtype", dtype}});
}

/// What a layer multiplies by and adds, and the attributes that say whether they count.
struct Affine {
  Expr gamma, beta;
  AttrMap attrs;
};
Affine affine(const NodeContext& n, const std::vector<Scalar>& shape, DType dtype, double epsilon) {
  return {parameter(n, "weight", shape, 1, dtype),
          parameter(n, "bias", shape, 0, dtype),
          {{"epsilon", epsilon}, {"scale", n.has("weight")}, {"center", n.has("bias")}}};
}

Axes axes_between(int64_t first, int64_t last) {
  Axes axes;
  for (int64_t i = first; i < last; ++i) axes.push_back(i);
  return axes;
}

/// Returns the mean of `x` and 1 / sqrt(variance + epsilon), over `axes`.
std::array<Expr, 2> statistics(const NodeContext& n, const Expr& x, const Axes& axes, double epsilon, bool keeps_axes) {
  Expr wide = widened(n, x);
  const AttrMap attrs{{"axis", AttrValue::ints(axes)}, {"keepdims", keeps_axes}};
  Expr variance = n.call("add", {n.call("variance", {wide}, attrs), n.constant(dtype_of(wide), epsilon)});
  return {n.call("mean", {wide}, attrs), n.call("rsqrt", {variance})};
}

Expr layer_normed(const NodeContext& n, const Expr& x, double epsilon) {
  const std::vector<Scalar> shape = n.sizes("normalized_shape");
  Affine a = affine(n, shape, dtype_of(x), epsilon);
  a.attrs["axes"] = AttrValue::ints(axes_between(-static_cast<int64_t>(shape.size()), 0));
  return n.call("nn.layer_norm", {x, a.gamma, a.beta}, std::move(a.attrs));
}
Results layer_norm(const NodeContext& n) { return layer_normed(n, n.tensor("input"), n.real("eps", 1e-5)); }
Results native_layer_norm(const NodeContext& n) {
  Expr x = n.tensor("input");
  const double epsilon = n.real("eps", 1e-5);
  const auto count = static_cast<int64_t>(n.sizes("normalized_shape").size());
  auto [mean, rstd] = statistics(n, x, axes_between(-count, 0), epsilon, true);
  auto recorded = [&](const Expr& e, size_t i) {
    const DType t = n.recorded_dtype(i);
    return t.is_void() ? e : converted(n.builder, e, t, n.span);
  };
  return {layer_normed(n, x, epsilon), recorded(mean, 1), recorded(rstd, 2)};
}

/// Without `eps` it is the spacing at 1 of the dtype that PyTorch computes in: float32 at least.
Results rms_norm(const NodeContext& n) {
  Expr x = n.tensor("input");
  const std::vector<Scalar> shape = n.sizes("normalized_shape");
  const auto count = static_cast<int64_t>(shape.size());
  const double epsilon = n.has("eps") ? n.real("eps") : dtype_of(x).bits == 64 ? 0x1p-52 : 0x1p-23;
  Expr weight = parameter(n, "weight", shape, 1, dtype_of(x));
  Results out{
      n.call("nn.rms_norm", {x, weight}, {{"axes", AttrValue::ints(axes_between(-count, 0))}, {"epsilon", epsilon}})};
  if (n.output_count() < 2) return out;
  Expr wide = widened(n, x);
  Expr square = n.call("mean", {n.call("multiply", {wide, wide})},
                       {{"axis", AttrValue::ints(axes_between(-count, 0))}, {"keepdims", true}});
  out.values.push_back(n.call("rsqrt", {n.call("add", {square, n.constant(dtype_of(wide), epsilon)})}));
  return out;
}

/// Splits channels into groups; all axes behind them belong to a group too.
Expr group_normed(const NodeContext& n, const Expr& x, int64_t groups, double epsilon) {
  Affine a = affine(n, {n.dims(x).at(1)}, dtype_of(x), epsilon);
  a.attrs["num_groups"] = groups;
  a.attrs["channel_axis"] = 1;
  a.attrs["axes"] = AttrValue::ints(axes_between(2, n.rank(x)));
  return n.call("nn.group_norm", {x, a.gamma, a.beta}, std::move(a.attrs));
}
Results group_norm(const NodeContext& n) {
  return group_normed(n, n.tensor("input"), n.integer("num_groups"), n.real("eps", 1e-5));
}
Results native_group_norm(const NodeContext& n) {
  Expr x = n.tensor("input");
  const int64_t groups = n.integer("group");
  const double epsilon = n.real("eps");
  const Scalar batch = n.dims(x).at(0);
  const Scalar rest =
      n.builder.simplify(floor_div(product(n.builder, std::span(n.dims(x)).subspan(1)), int_imm(groups)));
  auto [mean, rstd] =
      statistics(n, reshaped(n.builder, x, {batch, int_imm(groups), rest}, n.span), {2}, epsilon, false);
  return {group_normed(n, x, groups, epsilon), converted(n.builder, mean, dtype_of(x), n.span),
          converted(n.builder, rstd, dtype_of(x), n.span)};
}

/// Normalises channels by the given statistics.
Expr normed_by_running(const NodeContext& n, const Expr& x, double epsilon) {
  const Scalar channels = n.dims(x).at(1);
  Affine a = affine(n, {channels}, dtype_of(x), epsilon);
  a.attrs["axis"] = 1;
  a.attrs["training"] = false;
  Expr mean = parameter(n, "running_mean", {channels}, 0, dtype_of(x)),
       variance = parameter(n, "running_var", {channels}, 1, dtype_of(x));
  return TupleGetItem::make(n.call("nn.batch_norm", {x, a.gamma, a.beta, mean, variance}, std::move(a.attrs)), 0,
                            n.span);
}
/// Normalises channels by the statistics of the batch, or with `by_instance` of each element of it.
Expr normed_by_input(const NodeContext& n, const Expr& x, double epsilon, bool by_instance) {
  Axes axes = axes_between(2, n.rank(x));
  if (!by_instance) axes.insert(axes.begin(), 0);
  auto [mean, rstd] = statistics(n, x, axes, epsilon, true);
  Expr y = n.call("multiply", {n.call("subtract", {widened(n, x), mean}), rstd});
  std::vector<Scalar> shape(n.dims(x).size(), int_imm(1));
  shape.at(1) = n.dims(x).at(1);
  for (const auto& [name, op] : {std::pair{"weight", "multiply"}, std::pair{"bias", "add"}})
    if (n.has(name)) {
      Expr factor = converted(n.builder, n.tensor(name), dtype_of(y), n.span);
      y = n.call(op, {y, reshaped(n.builder, factor, shape, n.span)});
    }
  return converted(n.builder, y, dtype_of(x), n.span);
}

void refuse_new_statistics(const NodeContext& n) {
  if (n.has("running_mean"))
    throw UnsupportedUse{"in training mode, which changes the running statistics: call model.eval() before the export"};
}

Results batch_norm(const NodeContext& n) {
  Expr x = n.tensor("input");
  const double epsilon = n.real("eps");
  if (!n.boolean("training")) return normed_by_running(n, x, epsilon);
  refuse_new_statistics(n);
  return normed_by_input(n, x, epsilon, false);
}

Expr nothing(DType dtype, const NodeContext& n) {
  return n.call("full", {ShapeExpr::make({int_imm(0)}), n.constant(dtype, 0)}, {{"dtype", dtype}});
}
/// The saved statistics are empty in inference.
Results batch_norm_no_training(const NodeContext& n) {
  Expr x = n.tensor("input");
  Expr none = nothing(dtype_of(x), n);
  return {normed_by_running(n, x, n.real("eps")), none, none};
}
Results batch_norm_no_stats(const NodeContext& n) {
  Expr x = n.tensor("input");
  const double epsilon = n.real("eps");
  Axes axes = axes_between(2, n.rank(x));
  axes.insert(axes.begin(), 0);
  auto [mean, rstd] = statistics(n, x, axes, epsilon, false);
  return {normed_by_input(n, x, epsilon, false), mean, rstd};
}
Results native_batch_norm(const NodeContext& n) {
  if (!n.boolean("training")) return batch_norm_no_training(n);
  refuse_new_statistics(n);
  return batch_norm_no_stats(n);
}

/// Returns the running statistic `name` with `momentum` parts of the batch's.
Expr moved(const NodeContext& n, std::string_view name, const Expr& batch, double momentum) {
  Expr old = scaled(n.builder, n.tensor(name), 1 - momentum, n.span);
  return n.call("add", {old, scaled(n.builder, converted(n.builder, batch, dtype_of(old), n.span), momentum, n.span)});
}
/// Normalises by the statistics of the batch, and gives the new running ones as outputs.
Results batch_norm_functional(const NodeContext& n) {
  if (!n.boolean("training")) throw UnsupportedUse{"in evaluation mode"};
  Expr x = n.tensor("input");
  const double momentum = n.real("momentum");
  Axes axes = axes_between(2, n.rank(x));
  axes.insert(axes.begin(), 0);
  Scalar count = int_imm(1);
  for (int64_t axis : axes) count = n.builder.simplify(count * n.dims(x).at(static_cast<size_t>(axis)));
  Results out = batch_norm_no_stats(n);
  Expr wide = widened(n, x), variance = n.call("variance", {wide}, {{"axis", AttrValue::ints(axes)}});
  auto number = [&](const Scalar& s) {
    return converted(n.builder, sunmao::tensor_of(n.builder, {s}, false, n.span), dtype_of(wide), n.span);
  };
  Expr correction = n.call("divide", {number(count), number(n.builder.simplify(count - int_imm(1)))});
  out.values.push_back(moved(n, "running_mean", out.values[1], momentum));
  out.values.push_back(moved(n, "running_var", n.call("multiply", {variance, correction}), momentum));
  return out;
}

Results instance_norm(const NodeContext& n) {
  Expr x = n.tensor("input");
  const double epsilon = n.real("eps");
  if (!n.boolean("use_input_stats")) return normed_by_running(n, x, epsilon);
  refuse_new_statistics(n);
  return normed_by_input(n, x, epsilon, true);
}

/// Converts v * g / |v|, the norm over all axes but `dim`; -1 stands for all axes.
Results weight_norm(const NodeContext& n) {
  Expr v = n.tensor("v"), g = n.tensor("g");
  const int64_t rank = n.rank(v), kept = n.integer("dim", 0);
  Axes axes = axes_between(0, rank);
  if (kept != -1) axes.erase(axes.begin() + from_front(kept, rank, "E0704", n.span));
  Expr norm = vector_norm(n, v, 2, {{"axis", AttrValue::ints(axes)}, {"keepdims", true}});
  Results out{n.call("multiply", {v, n.call("divide", {g, norm})})};
  if (n.output_count() > 1) out.values.push_back(norm);
  return out;
}

/// Converts a layer on floats of 16 bits beside parameters of float32, which PyTorch does not round.
template <Convert convert>
Results norm_layer(const NodeContext& n) {
  for (const char* name : {"weight", "bias", "running_mean", "running_var"})
    if (n.has_tensor(name) && dtype_of(n.tensor(name)).bits > 16) return converted_in_opmath(n, convert);
  return convert(n);
}

}  // namespace

std::vector<Converter> norm_converters() {
  const char *batch = "`R.nn.batch_norm`", *evaluation = "in evaluation mode, or without running statistics";
  std::vector<Converter> rows{
      {"aten.layer_norm.default", norm_layer<layer_norm>, "`R.nn.layer_norm`"},
      {"aten.native_layer_norm.default", norm_layer<native_layer_norm>, "`R.nn.layer_norm`"},
      {"aten.rms_norm.default", norm_layer<rms_norm>, "`R.nn.rms_norm`"},
      {"aten._fused_rms_norm.default", norm_layer<rms_norm>, "`R.nn.rms_norm`"},
      {"aten.group_norm.default", norm_layer<group_norm>, "`R.nn.group_norm`"},
      {"aten.native_group_norm.default", norm_layer<native_group_norm>, "`R.nn.group_norm`"},
      {"aten.instance_norm.default", norm_layer<instance_norm>, "`R.mean`, `R.variance` and products", evaluation},
      {"aten.batch_norm.default", norm_layer<batch_norm>, batch, evaluation},
      {"aten._native_batch_norm_legit_no_training.default", norm_layer<batch_norm_no_training>, batch},
      {"aten._native_batch_norm_legit_functional.default", norm_layer<batch_norm_functional>,
       "`R.mean`, `R.variance` and products", "in training mode"},
      {"aten._native_batch_norm_legit.no_stats", norm_layer<batch_norm_no_stats>,
       "`R.mean`, `R.variance` and products"}};
  for (const char* target : {"aten._native_batch_norm_legit.default", "aten.native_batch_norm.default"})
    rows.push_back({target, norm_layer<native_batch_norm>, batch, evaluation});
  for (const char* target : {"aten._weight_norm.default", "aten._weight_norm_interface.default"})
    rows.push_back({target, in_opmath<weight_norm>, "`R.multiply`, `R.divide` and `R.sqrt` of `R.sum`"});
  return rows;
}

}  // namespace sunmao::torch
