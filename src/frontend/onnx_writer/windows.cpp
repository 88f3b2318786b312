// Writers of convolutions, pools and ops on images.
#include <fmt/format.h>

#include "frontend/onnx_writer/onnx_call.h"

namespace sunmao::onnx_writer {
namespace {

int64_t spatial_axes(const OnnxCall& c) { return c.rank() - 2; }

/// Returns an attribute with a value for each spatial axis.
AttrValue per_axis(const OnnxCall& c, const char* attribute) {
  std::vector<int64_t> values = *c.in.ints_attr(attribute);
  if (values.size() == 1) values.resize(static_cast<size_t>(spatial_axes(c)), values[0]);
  return AttrValue::ints(values);
}

/// Returns the padding before all axes, then behind all.
AttrValue pads(const OnnxCall& c) {
  const auto axes = static_cast<size_t>(spatial_axes(c));
  std::vector<int64_t> values = *c.in.ints_attr("padding");
  if (values.size() == 1) values.resize(axes, values[0]);
  if (values.size() == axes)
    for (size_t i = 0; i < axes; ++i) values.push_back(values[i]);
  return AttrValue::ints(values);
}

/// Channels stand second in ONNX, before the spatial axes.
void require_layout(const OnnxCall& c, const char* attribute, std::string_view first_two) {
  const std::string layout = c.in.string_attr(attribute);
  constexpr std::string_view kSpatial = "DHW";
  const auto axes = static_cast<size_t>(spatial_axes(c));
  c.require(axes <= 3 && layout == std::string(first_two).append(kSpatial.substr(3 - axes)),
            fmt::format("with the `{}` \"{}\" has no counterpart in ONNX", attribute, layout));
}

void require_plain_layouts(const OnnxCall& c, const char* layout) {
  require_layout(c, layout, "NC");
  c.require(c.in.attr("out_layout").is_none() || c.in.string_attr("out_layout") == c.in.string_attr(layout),
            "with an `out_layout` has no counterpart in ONNX");
}

NodeAttributes convolution_attributes(const OnnxCall& c, std::string_view kernel_layout) {
  require_plain_layouts(c, "data_layout");
  require_layout(c, "kernel_layout", kernel_layout);
  c.require(c.result_type().dtype == c.dtype(), "with an `out_dtype` has no counterpart in ONNX");
  return {{"strides", per_axis(c, "strides")},
          {"pads", pads(c)},
          {"dilations", per_axis(c, "dilation")},
          {"group", c.in.int_attr("groups")}};
}

Values convolution(OnnxCall& c) { return {c.add("Conv", c.inputs(), convolution_attributes(c, "OI"))}; }

Values transposed_convolution(OnnxCall& c) {
  NodeAttributes attributes = convolution_attributes(c, "IO");
  attributes.emplace_back("output_padding", per_axis(c, "output_padding"));
  return {c.add("ConvTranspose", c.inputs(), std::move(attributes))};
}

NodeAttributes pool_attributes(const OnnxCall& c) {
  require_plain_layouts(c, "layout");
  return {{"kernel_shape", per_axis(c, "pool_size")},
          {"strides", per_axis(c, "strides")},
          {"pads", pads(c)},
          {"dilations", per_axis(c, "dilation")},
          {"ceil_mode", c.in.bool_attr("ceil_mode")}};
}

Values max_pool(OnnxCall& c) { return {c.add("MaxPool", c.inputs(), pool_attributes(c))}; }

Values mean_pool(OnnxCall& c) {
  NodeAttributes attributes = pool_attributes(c);
  attributes.emplace_back("count_include_pad", c.in.bool_attr("count_include_pad"));
  return {c.add("AveragePool", c.inputs(), std::move(attributes))};
}

/// Windows of one size side by side, where the axes divide into so many parts.
Values adaptive_pool(OnnxCall& c, const char* global, const char* by_windows) {
  require_plain_layouts(c, "layout");
  const std::vector<Scalar>&from = c.dims(), &to = c.result_dims();
  std::vector<int64_t> windows;
  bool is_global = true;
  for (size_t i = 2; i < from.size(); ++i) {
    const int64_t *size = find_int(from[i]), *parts = find_int(to[i]);
    is_global = is_global && parts && *parts == 1;
    if (size && parts && *size > 0 && *size % *parts == 0) windows.push_back(*size / *parts);
  }
  if (is_global) return {c.add(global, c.inputs())};
  c.require(windows.size() == from.size() - 2, "with windows of several sizes has no counterpart in ONNX");
  return {c.add(by_windows, c.inputs(),
                {{"kernel_shape", AttrValue::ints(windows)}, {"strides", AttrValue::ints(windows)}})};
}

Values adaptive_max_pool(OnnxCall& c) { return adaptive_pool(c, "GlobalMaxPool", "MaxPool"); }
Values adaptive_mean_pool(OnnxCall& c) { return adaptive_pool(c, "GlobalAveragePool", "AveragePool"); }

Values resized(OnnxCall& c) {
  require_layout(c, "layout", "NC");
  c.require(c.result_type().dtype == c.dtype(), "with an `out_dtype` has no counterpart in ONNX");
  const std::string method = c.in.string_attr("method"),
                    coordinates = c.in.string_attr("coordinate_transformation_mode");
  c.require(coordinates != "tf_crop_and_resize" && coordinates != "tf_half_pixel_for_nn",
            fmt::format("in the mode \"{}\" has no counterpart in ONNX", coordinates));
  NodeAttributes attributes{{"coordinate_transformation_mode", coordinates}};
  if (method == "nearest_neighbor") {
    const std::string rounding = c.in.string_attr("rounding_method");
    c.require(rounding != "" && rounding != "round", "with the rounding method \"round\" has no counterpart in ONNX");
    attributes.emplace_back("mode", "nearest");
    attributes.emplace_back("nearest_mode", rounding);
  } else {
    c.require(0, Dtypes::Floats);
    attributes.emplace_back("mode", method);
  }
  if (method == "cubic") {
    attributes.emplace_back("cubic_coeff_a", c.real_attr("cubic_alpha"));
    attributes.emplace_back("exclude_outside", c.in.int_attr("cubic_exclude"));
  }
  return {c.add("Resize", {c.input(0), "", "", c.vector(c.result_dims())}, std::move(attributes))};
}

/// The numbers of a place are the last axis in ONNX.
Values grid_sample(OnnxCall& c) {
  require_layout(c, "layout", "NC");
  const std::string method = c.in.string_attr("method");
  c.require(c.rank() == 4 || method != "bicubic", "of volumes with \"bicubic\" has no counterpart in ONNX");
  std::vector<int64_t> axes{0};
  for (int64_t i = 2; i < c.rank(1); ++i) axes.push_back(i);
  axes.push_back(1);
  const std::string mode = method == "bilinear" ? "linear" : method == "bicubic" ? "cubic" : method;
  return {c.add("GridSample", {c.input(0), c.transposed(c.input(1), axes)},
                {{"mode", mode},
                 {"padding_mode", c.in.string_attr("padding_mode")},
                 {"align_corners", c.in.bool_attr("align_corners")}})};
}

}  // namespace

std::vector<Row> window_rows() {
  using enum Dtypes;
  return {{"image.grid_sample", "Transpose, GridSample", grid_sample, Floats},
          {"image.resize2d", "Resize", resized, Numbers},
          {"image.resize3d", "Resize", resized, Numbers},
          {"nn.adaptive_avg_pool1d", "GlobalAveragePool, AveragePool", adaptive_mean_pool, Floats},
          {"nn.adaptive_avg_pool2d", "GlobalAveragePool, AveragePool", adaptive_mean_pool, Floats},
          {"nn.adaptive_avg_pool3d", "GlobalAveragePool, AveragePool", adaptive_mean_pool, Floats},
          {"nn.adaptive_max_pool1d", "GlobalMaxPool, MaxPool", adaptive_max_pool, Floats},
          {"nn.adaptive_max_pool2d", "GlobalMaxPool, MaxPool", adaptive_max_pool, Floats},
          {"nn.adaptive_max_pool3d", "GlobalMaxPool, MaxPool", adaptive_max_pool, Floats},
          {"nn.avg_pool1d", "AveragePool", mean_pool, Floats},
          {"nn.avg_pool2d", "AveragePool", mean_pool, Floats},
          {"nn.avg_pool3d", "AveragePool", mean_pool, Floats},
          {"nn.conv1d", "Conv", convolution, Floats},
          {"nn.conv1d_transpose", "ConvTranspose", transposed_convolution, Floats},
          {"nn.conv2d", "Conv", convolution, Floats},
          {"nn.conv2d_transpose", "ConvTranspose", transposed_convolution, Floats},
          {"nn.conv3d", "Conv", convolution, Floats},
          {"nn.conv3d_transpose", "ConvTranspose", transposed_convolution, Floats},
          {"nn.max_pool1d", "MaxPool", max_pool, Floats},
          {"nn.max_pool2d", "MaxPool", max_pool, Floats},
          {"nn.max_pool3d", "MaxPool", max_pool, Floats}};
}

}  // namespace sunmao::onnx_writer
