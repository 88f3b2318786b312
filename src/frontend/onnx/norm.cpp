// Converters of normalisations: BatchNormalization, LayerNormalization, RMSNormalization and the like.
#include <algorithm>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

/// Statistics of another dtype than the data are those of the wider one.
DType common_dtype(const NodeContext& n, size_t count) {
  DType widest = dtype_of(n.tensor(0));
  for (size_t i = 1; i < count; ++i)
    if (const DType t = dtype_of(n.tensor(i)); t.bits > widest.bits) widest = t;
  for (size_t i = 0; i < count; ++i)
    if (dtype_of(n.tensor(i)).bits == widest.bits && dtype_of(n.tensor(i)) != widest) return DType::float_(32);
  return widest;
}

Results batch_normalization(const NodeContext& n) {
  if (n.int_attr("spatial", 1) == 0) throw UnsupportedUse{"with statistics for each element"};
  const bool trains = n.int_attr("training_mode", 0) != 0;
  if (!trains && n.has_output(1)) throw UnsupportedUse{"with statistics as outputs outside of training"};
  DType dtype = common_dtype(n, 5);
  if (trains && dtype.bits == 16) dtype = DType::float_(32);  // as ONNX says of the statistics of a batch
  std::vector<Expr> args;
  for (size_t i = 0; i < 5; ++i) args.push_back(converted(n.builder, n.tensor(i), dtype, n.span));
  const Expr found = n.call("nn.batch_norm", std::move(args),
                            {{"axis", 1},
                             {"epsilon", n.float_attr("epsilon", 1e-5)},
                             {"momentum", 1 - n.float_attr("momentum", 0.9)},
                             {"training", trains}});
  Results results = n.fields(found, trains ? 3 : 1);
  for (size_t i = 0; i < results.values.size(); ++i)
    results.values[i] = converted(n.builder, results.values[i], dtype_of(n.tensor(i == 0 ? 0 : 2 + i)), n.span);
  return results;
}

Results instance_normalization(const NodeContext& n) {
  return n.call(
      "nn.instance_norm", {n.tensor(0), n.tensor(1), n.tensor(2)},
      {{"channel_axis", 1}, {"axes", AttrValue::ints(spatial_axes(n))}, {"epsilon", n.float_attr("epsilon", 1e-5)}});
}

Expr group_norm(const NodeContext& n, const Expr& scale, const Expr& bias) {
  return n.call("nn.group_norm", {n.tensor(0), scale, bias},
                {{"num_groups", n.int_attr("num_groups", 1)},
                 {"channel_axis", 1},
                 {"axes", AttrValue::ints(spatial_axes(n))},
                 {"epsilon", n.float_attr("epsilon", 1e-5)}});
}

/// In opset 18 groups have a scale and a bias, since opset 21 channels have.
Results group_normalization_by_groups(const NodeContext& n) {
  if (n.rank(0) < 2) n.fail("a tensor without channels");
  const int64_t* channels = find_int(n.dims(0).at(1));
  const int64_t groups = n.int_attr("num_groups", 1);
  if (!channels) throw UnsupportedUse{"with a symbolic number of channels"};
  if (groups < 1 || *channels % groups != 0)
    n.fail(fmt::format("{} channels do not divide into {} groups", *channels, groups));
  const AttrMap repeats{{"repeats", *channels / groups}, {"axis", 0}};
  return group_norm(n, n.call("repeat", {n.tensor(1)}, repeats), n.call("repeat", {n.tensor(2)}, repeats));
}

Results group_normalization(const NodeContext& n) { return group_norm(n, n.tensor(1), n.tensor(2)); }

/// Returns the axes from `axis` on.
std::vector<int64_t> last_axes(const NodeContext& n) {
  const int64_t rank = n.rank(0);
  return axes_between(axis_of(n, n.int_attr("axis", -1), rank), rank);
}

/// Returns a parameter with all dimensions of what is normalised.
Expr spread(const NodeContext& n, const Expr& parameter, const std::vector<int64_t>& axes) {
  const std::vector<Scalar>& dims = n.dims(0);
  const std::vector<Scalar> wanted(dims.begin() + axes[0], dims.end());
  return broadcast(n.builder, parameter, wanted, n.span);
}

Results layer_normalization(const NodeContext& n) {
  const std::vector<int64_t> axes = last_axes(n);
  const double epsilon = n.float_attr("epsilon", 1e-5);
  const Expr x = n.tensor(0), scale = spread(n, n.tensor(1), axes);
  const Expr bias = n.has_input(2) ? spread(n, n.tensor(2), axes) : scale;
  Results results = n.call("nn.layer_norm", {x, scale, bias},
                           {{"axes", AttrValue::ints(axes)}, {"epsilon", epsilon}, {"center", n.has_input(2)}});
  if (!n.has_output(1) && !n.has_output(2)) return results;
  const bool is_wide = dtype_of(x).bits >= 32;
  const Expr wide = is_wide ? x : converted(n.builder, x, DType::float_(32), n.span);
  results.values.push_back(reduced(n, "mean", wide, axes));
  results.values.push_back(n.call("rsqrt", {binary(n, "add", reduced(n, "variance", wide, axes), epsilon)}));
  return results;
}

Results rms_normalization(const NodeContext& n) {
  const std::vector<int64_t> axes = last_axes(n);
  return n.call("nn.rms_norm", {n.tensor(0), spread(n, n.tensor(1), axes)},
                {{"axes", AttrValue::ints(axes)}, {"epsilon", n.float_attr("epsilon", 1e-5)}});
}

/// x / (bias + alpha * mean of squares over neighbouring channels) ** beta; what lies outside counts as 0.
Results local_response(const NodeContext& n) {
  const std::vector<Scalar>& dims = n.dims(0);
  const int64_t size = n.int_attr("size", 1);
  if (size < 1 || dims.size() < 2) n.fail(fmt::format("`size` is {} for a tensor of rank {}", size, dims.size()));
  const std::vector<Scalar> plane{dims.at(0), int_imm(1), dims.at(1), product(n.builder, std::span(dims).subspan(2))};
  const Expr squares = reshaped(n.builder, n.call("square", {n.tensor(0)}), plane, n.span);
  const Expr mean = n.call("nn.avg_pool2d", {squares},
                           {{"pool_size", AttrValue::ints({size, 1})},
                            {"padding", AttrValue::ints({(size - 1) / 2, 0, size / 2, 0})},
                            {"count_include_pad", true}});
  const Expr part = scaled(n.builder, reshaped(n.builder, mean, dims, n.span), n.float_attr("alpha", 1e-4), n.span);
  const Expr sum = binary(n, "add", part, n.float_attr("bias", 1));
  return binary(n, "divide", n.tensor(0), binary(n, "power", sum, n.float_attr("beta", 0.75)));
}

Results mean_variance_normalization(const NodeContext& n) {
  const std::vector<int64_t> axes = n.ints_attr("axes").value_or(std::vector<int64_t>{0, 2, 3});
  const Expr x = n.tensor(0);
  constexpr double kSlack = 1e-9;  // of the standard: equal numbers become 0
  const Expr spread_of_x = binary(n, "add", reduced(n, "std", x, axes), kSlack);
  return binary(n, "divide", binary(n, "subtract", x, reduced(n, "mean", x, axes)), spread_of_x);
}

/// A vector of zeros stays one.
Results lp_normalization(const NodeContext& n) {
  const Expr x = n.tensor(0);
  const std::vector<int64_t> axis{n.int_attr("axis", -1)};
  const int64_t p = n.int_attr("p", 2);
  if (p != 1 && p != 2) n.fail(fmt::format("`p` is {}, neither 1 nor 2", p));
  const Expr size = p == 1 ? reduced(n, "sum", n.call("abs", {x}), axis)
                           : n.call("sqrt", {reduced(n, "sum", n.call("square", {x}), axis)});
  return binary(n, "divide", x, chosen(n, binary(n, "equal", size, 0), n.constant(dtype_of(x), 1), size));
}

}  // namespace

std::vector<Converter> norm_converters() {
  return {{"BatchNormalization", 7, batch_normalization, "`R.nn.batch_norm`, `R.astype`",
           "not with statistics for each element"},
          {"InstanceNormalization", 6, instance_normalization, "`R.nn.instance_norm`"},
          {"GroupNormalization", 18, group_normalization_by_groups, "`R.nn.group_norm`, `R.repeat`"},
          {"GroupNormalization", 21, group_normalization, "`R.nn.group_norm`"},
          {"LayerNormalization", 1, layer_normalization,  // of ONNX Runtime before opset 17
           "`R.nn.layer_norm`; the statistics by `R.mean`, `R.variance`, `R.rsqrt`"},
          {"RMSNormalization", 23, rms_normalization, "`R.nn.rms_norm`"},
          {"LRN", 1, in_float32<local_response>, "`R.nn.avg_pool2d` of `R.square`, `R.power`, `R.divide`"},
          {"MeanVarianceNormalization", 9, in_float32<mean_variance_normalization>,
           "`R.mean`, `R.std`, `R.subtract`, `R.divide`"},
          {"LpNormalization", 1, in_float32<lp_normalization>,
           "`R.sum` of `R.abs` or `R.square`, `R.sqrt`, `R.where`, `R.divide`"}};
}

}  // namespace sunmao::onnx
