// Converters of convolutions: Conv, ConvTranspose, DeformConv, CausalConvWithState, Col2Im.
#include "frontend/onnx/convolution.h"

#include <algorithm>

namespace sunmao::onnx {

Expr with_bias(const NodeContext& n, const Expr& x, const Expr& bias) {
  std::vector<int64_t> others{0};
  for (int64_t i = 2; i < rank_of(x); ++i) others.push_back(i);
  return binary(n, "add", x, with_axes(n.builder, bias, others, n.span));
}

Expr convolved(const NodeContext& n, const Expr& x, const Expr& weight, size_t weight_input, DType out_dtype) {
  return convolved(n, x, weight, read_window(n, kernel_sizes(n, weight_input)), out_dtype);
}

Expr convolved(const NodeContext& n, const Expr& x, const Expr& weight, const Window& w, DType out_dtype) {
  AttrMap attrs{{"strides", AttrValue::ints(w.strides)},
                {"padding", AttrValue::ints(w.padding())},
                {"dilation", AttrValue::ints(w.dilations)},
                {"groups", n.int_attr("group", 1)}};
  if (!out_dtype.is_void()) attrs["out_dtype"] = out_dtype;
  return n.call(for_axes("nn.conv", w.size.size()), {x, weight}, std::move(attrs));
}

namespace {

/// Returns `x` with its padding around it, which the window loses.
Expr with_padding_apart(const NodeContext& n, const Expr& x, Window& w) {
  std::vector<int64_t> widths(4);  // of batch and channels
  for (size_t i = 0; i < w.size.size(); ++i) widths.insert(widths.end(), {w.before[i], w.behind[i]});
  w.before.assign(w.size.size(), 0);
  w.behind = w.before;
  if (std::ranges::all_of(widths, [](int64_t width) { return width == 0; })) return x;
  return n.call("nn.pad", {x}, {{"pad_width", AttrValue::ints(widths)}});
}

Results conv(const NodeContext& n) {
  Window w = read_window(n, kernel_sizes(n, 1));
  Expr x = n.tensor(0);
  if (n.builder.has_upstream_form() && n.string_attr("auto_pad", "NOTSET").starts_with("SAME"))
    x = with_padding_apart(n, x, w);
  const Expr product = convolved(n, x, n.tensor(1), w);
  return n.has_input(2) ? with_bias(n, product, n.tensor(2)) : product;
}

std::vector<int64_t> output_padding_of(const NodeContext& n, size_t axes) {
  std::vector<int64_t> out = n.ints_attr("output_padding").value_or(std::vector<int64_t>(axes));
  if (out.empty()) out.assign(axes, 0);
  if (out.size() != axes) n.fail(fmt::format("`output_padding` holds {} numbers, expected {}", out.size(), axes));
  for (int64_t v : out)
    if (v < 0 || v > kLargestSize) n.fail(fmt::format("`output_padding` holds {}", v));
  return out;
}

/// Returns the size that is wanted along an axis; nullopt where the padding is given instead.
std::optional<int64_t> wanted_size(const NodeContext& n, const Window& w, size_t i) {
  if (const auto sizes = n.ints_attr("output_shape"); sizes && !sizes->empty()) {
    const size_t lead = sizes->size() - std::min(sizes->size(), w.size.size());  // batch and channels may be there too
    if (lead + i >= sizes->size()) n.fail("`output_shape` has too few numbers");
    if ((*sizes)[lead + i] < 0 || (*sizes)[lead + i] > kLargestSize)
      n.fail(fmt::format("`output_shape` holds {}", (*sizes)[lead + i]));
    return (*sizes)[lead + i];
  }
  const std::string how = n.string_attr("auto_pad", "NOTSET");
  if (how != "SAME_UPPER" && how != "SAME_LOWER") return std::nullopt;
  const int64_t* size = find_int(n.dims(0).at(i + 2));
  if (!size) throw UnsupportedUse{"with `auto_pad` along an axis of symbolic size"};
  return *size * w.strides[i];
}

/// Sets the padding of a transposed convolution, which is cut off, so that the result has the wanted size. Where that
/// is larger than all, zeros are added behind.
void fit_padding(const NodeContext& n, Window& w, std::vector<int64_t>& added) {
  const bool more_behind = n.string_attr("auto_pad", "NOTSET") == "SAME_UPPER";
  for (size_t i = 0; i < w.size.size(); ++i) {
    const std::optional<int64_t> wanted = wanted_size(n, w, i);
    if (!wanted) continue;
    const int64_t* size = find_int(n.dims(0).at(i + 2));
    if (!size) throw UnsupportedUse{"with `output_shape` along an axis of symbolic size"};
    const int64_t total = w.strides[i] * (*size - 1) + added[i] + w.span(i) - *wanted;
    w.before[i] = total <= 0 ? 0 : more_behind ? total / 2 : total - total / 2;
    w.behind[i] = std::max<int64_t>(total, 0) - w.before[i];
    added[i] += std::max<int64_t>(-total, 0);
  }
}

Results conv_transpose(const NodeContext& n) {
  Window w = read_window(n, kernel_sizes(n, 1));
  std::vector<int64_t> added = output_padding_of(n, w.size.size());
  fit_padding(n, w, added);
  const Expr product = n.call(for_axes("nn.conv", w.size.size(), "_transpose"), {n.tensor(0), n.tensor(1)},
                              {{"strides", AttrValue::ints(w.strides)},
                               {"padding", AttrValue::ints(w.padding())},
                               {"output_padding", AttrValue::ints(added)},
                               {"dilation", AttrValue::ints(w.dilations)},
                               {"groups", n.int_attr("group", 1)}});
  return n.has_input(2) ? with_bias(n, product, n.tensor(2)) : product;
}

Results deform_conv(const NodeContext& n) {
  const Window w = read_window(n, kernel_sizes(n, 1));
  if (w.size.size() != 2) throw UnsupportedUse{fmt::format("over {} axes", w.size.size())};
  std::vector<Expr> args{n.tensor(0), n.tensor(2), n.tensor(1)};
  if (n.has_input(4)) args.push_back(n.tensor(4));
  const Expr product = n.call("nn.deform_conv2d", std::move(args),
                              {{"strides", AttrValue::ints(w.strides)},
                               {"padding", AttrValue::ints(w.padding())},
                               {"dilation", AttrValue::ints(w.dilations)},
                               {"groups", n.int_attr("group", 1)},
                               {"offset_groups", n.int_attr("offset_group", 1)}});
  return n.has_input(3) ? with_bias(n, product, n.tensor(3)) : product;
}

/// A convolution of each channel with the past: the last elements of the input before are the state.
Results causal_conv(const NodeContext& n) {
  const std::vector<Scalar>&dims = n.dims(0), &kernel = n.dims(1);
  if (dims.size() != 3 || kernel.size() != 3) n.fail("the input and the weight must have rank 3");
  if (!find_int(dims.at(1)) || !find_int(kernel[2])) throw UnsupportedUse{"with a symbolic number of channels or taps"};
  const Scalar past = int_imm(*find_int(kernel[2]) - 1);
  const Expr zeros =
      n.call("zeros", {ShapeExpr::make({dims.at(0), dims.at(1), past}, n.span)}, {{"dtype", dtype_of(n.tensor(0))}});
  const Expr all = joined(n, {n.tensor_or(3, zeros), n.tensor(0)}, 2);
  Expr out = n.call("nn.conv1d", {all, n.tensor(1)}, {{"groups", *find_int(dims.at(1))}});
  if (n.has_input(2)) out = with_bias(n, out, n.tensor(2));
  const std::string activation = n.string_attr("activation", "none");
  if (activation == "silu" || activation == "swish") {
    out = n.call("nn.silu", {out});
  } else if (activation != "none") {
    n.fail("`activation` is none of \"none\", \"silu\" and \"swish\"");
  }
  return {out, sliced(n.builder, all, {{.axis = 2, .begin = dims.at(2), .end = n.builder.simplify(dims.at(2) + past)}},
                      n.span)};
}

/// Returns the image as rows and columns: one axis is the columns of a single row.
Results col2im(const NodeContext& n) {
  std::vector<int64_t> image = n.ints(1, "sizes of the image"), block = n.ints(2, "sizes of blocks");
  const size_t axes = image.size();
  if (axes < 1 || block.size() != axes) n.fail("the image and its blocks differ in rank");
  if (axes > 2) throw UnsupportedUse{fmt::format("over {} axes", axes)};
  const auto attr = [&](std::string_view name, size_t count, int64_t otherwise) {
    std::vector<int64_t> v = n.ints_attr(name).value_or(std::vector<int64_t>(count, otherwise));
    if (v.size() != count) n.fail(fmt::format("`{}` holds {} numbers, expected {}", name, v.size(), count));
    return v;
  };
  std::vector<int64_t> strides = attr("strides", axes, 1), dilations = attr("dilations", axes, 1),
                       pads = attr("pads", 2 * axes, 0);
  if (axes == 1) {
    for (std::vector<int64_t>* v : {&image, &block, &strides, &dilations}) v->insert(v->begin(), 1);
    pads = {0, pads[0], 0, pads[1]};
  }
  const Expr out = n.call("nn.col2im", {n.tensor(0)},
                          {{"output_size", AttrValue::ints(image)},
                           {"kernel_size", AttrValue::ints(block)},
                           {"strides", AttrValue::ints(strides)},
                           {"padding", AttrValue::ints(pads)},
                           {"dilation", AttrValue::ints(dilations)}});
  return axes == 1 ? without_axes(n.builder, out, {2}, n.span) : out;
}

}  // namespace

std::vector<Converter> convolution_converters() {
  const char* kSizes = "up to 3 axes; `auto_pad` with strides needs constant sizes";
  return {
      {"Conv", 1, conv, "`R.nn.conv1d`, `R.nn.conv2d`, `R.nn.conv3d`, `R.add`", kSizes},
      {"ConvTranspose", 1, conv_transpose,
       "`R.nn.conv1d_transpose`, `R.nn.conv2d_transpose`, `R.nn.conv3d_transpose`, `R.add`",
       "up to 3 axes; `auto_pad` and `output_shape` need constant sizes"},
      {"DeformConv", 19, deform_conv, "`R.nn.deform_conv2d`, `R.add`", "2 axes"},
      {"CausalConvWithState", 27, causal_conv, "`R.concat`, `R.nn.conv1d`, `R.add`, `R.nn.silu`, `R.strided_slice`"},
      {"Col2Im", 18, col2im, "`R.nn.col2im`", "1 or 2 axes, constant sizes"}};
}

}  // namespace sunmao::onnx
