// Converters of detection: NonMaxSuppression, RoiAlign, MaxRoiPool.
#include <limits>

#include "frontend/onnx/compose.h"
#include "frontend/regions.h"

namespace sunmao::onnx {
namespace {

/// Returns boxes by two corners from boxes by their centre, width and height.
Expr by_corners(const NodeContext& n, const Expr& boxes) {
  const Results parts = n.fields(n.call("split", {boxes}, {{"indices_or_sections", 4}, {"axis", 2}}), 4);
  const Expr &x = parts.values[0], &y = parts.values[1];
  const Expr w = binary(n, "multiply", parts.values[2], 0.5), h = binary(n, "multiply", parts.values[3], 0.5);
  return joined(
      n, {binary(n, "subtract", y, h), binary(n, "subtract", x, w), binary(n, "add", y, h), binary(n, "add", x, w)}, 2);
}

/// The library's op has room for all boxes; the first rows are the result.
Results non_max_suppression(const NodeContext& n) {
  const DType float32 = DType::float_(32), int64 = DType::int_(64);
  const Expr boxes = n.int_attr("center_point_box", 0) ? by_corners(n, n.tensor(0)) : n.tensor(0);
  const Expr most = n.tensor_or(2, integer_constant(int64, 0, n.span)),
             overlap = n.tensor_or(3, n.constant(float32, 0)),
             least = n.tensor_or(4, n.constant(float32, -std::numeric_limits<float>::infinity()));
  const Results found = n.fields(n.call("vision.all_class_non_max_suppression",
                                        {boxes, n.tensor(1), most, overlap, least}, {{"output_format", "onnx"}}),
                                 2);
  const Expr count = reshaped(n.builder, converted(n.builder, found.values[1], int64, n.span), {int_imm(1)}, n.span);
  const Expr begin = ints_constant({0, 0}, n.span), strides = ints_constant({1, 1}, n.span);
  const Expr end = joined(n, {count, ints_constant({3}, n.span)}, 0);
  return n.builder.sized(n.builder.call("dynamic_strided_slice", {found.values[0], begin, end, strides}, {}, n.span),
                         {nullptr, int_imm(3)});
}

Results roi_align(const NodeContext& n) {
  const bool is_half_pixel = n.string_attr("coordinate_transformation_mode",
                                           n.opset < 16 ? "output_half_pixel" : "half_pixel") == "half_pixel";
  const double scale = n.float_attr("spatial_scale", 1);
  Expr rois = n.tensor(1);
  if (is_half_pixel) rois = moved_by_half(n.builder, rois, scale, 4, n.span);
  const Expr images = converted(n.builder, with_axes(n.builder, n.tensor(2), {1}, n.span), dtype_of(rois), n.span);
  const int64_t samples = n.int_attr("sampling_ratio", 0);
  // ONNX takes the largest of the four weighted corners of each sample, the library that of the samples.
  if (n.string_attr("mode", "avg") != "avg") throw UnsupportedUse{"in the mode \"max\""};
  return n.call("vision.roi_align", {n.tensor(0), joined(n, {images, rois}, 1)},
                {{"pooled_size", AttrValue::ints({n.int_attr("output_height", 1), n.int_attr("output_width", 1)})},
                 {"spatial_scale", scale},
                 {"sample_ratio", samples == 0 ? int64_t{-1} : samples},
                 {"aligned", is_half_pixel}});
}

Results max_roi_pool(const NodeContext& n) {
  const auto size = n.ints_attr("pooled_shape");
  if (!size) n.fail("`pooled_shape` is missing");
  return n.call("vision.roi_pool", {n.tensor(0), n.tensor(1)},
                {{"pooled_size", AttrValue::ints(*size)}, {"spatial_scale", n.float_attr("spatial_scale", 1)}});
}

}  // namespace

std::vector<Converter> detection_converters() {
  return {{"NonMaxSuppression", 10, non_max_suppression,
           "`R.vision.all_class_non_max_suppression`, `R.dynamic_strided_slice`"},
          {"RoiAlign", 10, roi_align, "`R.vision.roi_align`", "the mode \"avg\""},
          {"MaxRoiPool", 1, max_roi_pool, "`R.vision.roi_pool`"}};
}

}  // namespace sunmao::onnx
