// Converters of convolutions and transposed convolutions.
#include <algorithm>

#include "frontend/shapes.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

using Ints = std::vector<int64_t>;

struct Window {
  Ints strides, padding, dilation, output_padding;
  int64_t groups = 1;
  bool is_transposed = false;
};

/// Returns a list with one number for each of `spatial` axes; a single number stands for all.
Ints for_axes(const NodeContext& n, std::string_view name, size_t spatial, int64_t otherwise) {
  Ints list = n.integers(name).value_or(Ints());
  if (list.empty()) return Ints(spatial, otherwise);
  if (list.size() == 1) return Ints(spatial, list[0]);
  if (list.size() != spatial) n.malformed(name);
  return list;
}

/// Returns padding before all axes, then behind them, as the ops take it.
Ints both_sides(Ints before) {
  before.reserve(2 * before.size());
  const size_t count = before.size();
  for (size_t i = 0; i < count; ++i) before.push_back(before[i]);
  return before;
}

const char* op_of(size_t spatial, bool is_transposed) {
  constexpr const char* kForward[] = {"nn.conv1d", "nn.conv2d", "nn.conv3d"};
  constexpr const char* kTransposed[] = {"nn.conv1d_transpose", "nn.conv2d_transpose", "nn.conv3d_transpose"};
  if (spatial < 1 || spatial > 3) throw UnsupportedUse{"over more than three axes"};
  return (is_transposed ? kTransposed : kForward)[spatial - 1];
}

/// Converts a convolution of (batch, channels, …), or of one image without a batch.
Expr convolved(const NodeContext& n, const Window& w) {
  Expr x = n.tensor("input"), weight = n.tensor("weight");
  const auto spatial = static_cast<size_t>(n.rank(weight) - 2);
  const bool is_single = n.rank(x) == static_cast<int64_t>(spatial) + 1;
  if (is_single) x = with_axes(n.builder, x, {0}, n.span);
  AttrMap attrs{{"strides", AttrValue::ints(w.strides)},
                {"padding", AttrValue::ints(w.padding)},
                {"dilation", AttrValue::ints(w.dilation)},
                {"groups", w.groups}};
  if (w.is_transposed) attrs["output_padding"] = AttrValue::ints(w.output_padding);
  Expr y = n.call(op_of(spatial, w.is_transposed), {x, weight}, std::move(attrs));
  if (n.has("bias")) {
    std::vector<Scalar> shape(spatial + 2, int_imm(1));
    Expr bias = n.tensor("bias");
    shape[1] = n.dims(bias).at(0);
    y = n.call("add", {y, reshaped(n.builder, bias, shape, n.span)});
  }
  return is_single ? without_axes(n.builder, y, {0}, n.span) : y;
}

size_t spatial_axes(const NodeContext& n) {
  const int64_t rank = n.rank(n.tensor("weight"));
  if (rank < 3) n.malformed("weight");
  return static_cast<size_t>(rank - 2);
}

Window window_of(const NodeContext& n, bool is_transposed) {
  const size_t spatial = spatial_axes(n);
  return {for_axes(n, "stride", spatial, 1),
          both_sides(for_axes(n, "padding", spatial, 0)),
          for_axes(n, "dilation", spatial, 1),
          for_axes(n, "output_padding", spatial, 0),
          n.integer("groups", 1),
          is_transposed};
}
Results conv(const NodeContext& n) { return convolved(n, window_of(n, false)); }
Results conv_transpose(const NodeContext& n) { return convolved(n, window_of(n, true)); }
Results convolution(const NodeContext& n) { return convolved(n, window_of(n, n.boolean("transposed", false))); }

/// Converts a convolution of (time, batch, channels) by a weight (window, channels, filters).
Results conv_tbc(const NodeContext& n) {
  const Expr x = permuted(n.builder, n.tensor("self"), {1, 2, 0}, n.span),
             weight = permuted(n.builder, n.tensor("weight"), {2, 1, 0}, n.span);
  const int64_t padding = n.integer("pad", 0);
  const Expr y = n.call("nn.conv1d", {x, weight}, {{"padding", AttrValue::ints({padding, padding})}});
  return n.call("add", {permuted(n.builder, y, {2, 0, 1}, n.span), n.tensor("bias")});
}

/// Converts the paddings "valid", which is none, and "same": the rest of an odd number lies behind.
Results conv_padding(const NodeContext& n) {
  const size_t spatial = spatial_axes(n);
  const std::string mode = n.string("padding", "valid");
  Window w{for_axes(n, "stride", spatial, 1),
           Ints(2 * spatial, 0),
           for_axes(n, "dilation", spatial, 1),
           {},
           n.integer("groups", 1)};
  const std::vector<Scalar>& weight = n.dims(n.tensor("weight"));
  for (size_t i = 0; i < spatial && mode == "same"; ++i) {
    const int64_t* size = find_int(weight[i + 2]);
    if (!size) throw UnsupportedUse{"with a kernel of unknown size"};
    const int64_t total = w.dilation[i] * (*size - 1);
    w.padding[i] = total / 2;
    w.padding[i + spatial] = total - total / 2;
  }
  if (mode != "same" && mode != "valid") n.malformed("padding");
  return convolved(n, w);
}

}  // namespace

std::vector<Converter> convolution_converters() {
  const char *forward = "`R.nn.conv1d`, `R.nn.conv2d`, `R.nn.conv3d`",
             *transposed = "`R.nn.conv1d_transpose`, `R.nn.conv2d_transpose`, `R.nn.conv3d_transpose`";
  std::vector<Converter> rows;
  for (const char* target : {"aten.conv1d.default", "aten.conv2d.default", "aten.conv3d.default"})
    rows.push_back({target, conv, forward});
  for (const char* target : {"aten.conv1d.padding", "aten.conv2d.padding", "aten.conv3d.padding"})
    rows.push_back({target, conv_padding, forward});
  for (const char* target :
       {"aten.conv_transpose1d.default", "aten.conv_transpose2d.input", "aten.conv_transpose3d.input"})
    rows.push_back({target, conv_transpose, transposed});
  for (const char* target : {"aten.convolution.default", "aten._convolution.default"})
    rows.push_back({target, convolution, "`R.nn.conv2d` and the like, or `R.nn.conv2d_transpose` and the like"});
  rows.push_back({"aten.conv_tbc.default", conv_tbc, "`R.nn.conv1d` between `R.permute_dims`"});
  return rows;
}

}  // namespace sunmao::torch
