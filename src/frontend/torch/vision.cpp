// Converters of torchvision's ops on regions of images.
#include <limits>

#include "frontend/regions.h"
#include "frontend/shapes.h"
#include "frontend/torch/data_symbols.h"
#include "frontend/torch/rows.h"
#include "frontend/torch/selected.h"

namespace sunmao::torch {
namespace {

AttrValue pooled_size(const NodeContext& n) {
  return AttrValue::ints({n.integer("pooled_height"), n.integer("pooled_width")});
}

Results roi_align(const NodeContext& n) {
  const double scale = n.real("spatial_scale");
  const bool is_aligned = n.boolean("aligned");
  Expr rois = n.tensor("rois");
  if (is_aligned) rois = moved_by_half(n.builder, rois, scale, 5, n.span);
  return n.call("vision.roi_align", {n.tensor("input"), rois},
                {{"pooled_size", pooled_size(n)},
                 {"spatial_scale", scale},
                 {"sample_ratio", n.integer("sampling_ratio")},
                 {"aligned", is_aligned}});
}

/// The second output, where each element comes from, serves the gradient.
Results roi_pool(const NodeContext& n) {
  return n.call("vision.roi_pool", {n.tensor("input"), n.tensor("rois")},
                {{"pooled_size", pooled_size(n)}, {"spatial_scale", n.real("spatial_scale")}});
}

Results deform_conv2d(const NodeContext& n) {
  auto both = [&](const char* h, const char* w) { return AttrValue::ints({n.integer(h), n.integer(w)}); };
  std::vector<Expr> args{n.tensor("input"), n.tensor("offset"), n.tensor("weight")};
  if (n.boolean("use_mask")) args.push_back(n.tensor("mask"));
  Expr y = n.call("nn.deform_conv2d", std::move(args),
                  {{"strides", both("stride_h", "stride_w")},
                   {"padding", both("pad_h", "pad_w")},
                   {"dilation", both("dilation_h", "dilation_w")},
                   {"groups", n.integer("groups")},
                   {"offset_groups", n.integer("offset_groups")}});
  Expr bias = n.tensor("bias");
  return n.call("add",
                {y, reshaped(n.builder, bias, {int_imm(1), n.dims(bias).at(0), int_imm(1), int_imm(1)}, n.span)});
}

/// Gives the boxes that overlap no better one, the best first: as many as data decides.
Results nms(const NodeContext& n) {
  const DType dtype = DType::float_(32);
  const auto real = [&](double value) { return PrimValue::make(FloatImm::make(dtype, value)); };
  const Expr boxes = with_axes(n.builder, converted(n.builder, n.tensor("dets"), dtype, n.span), {0}, n.span);
  const Expr scores = with_axes(n.builder, converted(n.builder, n.tensor("scores"), dtype, n.span), {0, 1}, n.span);
  const std::vector<Expr> chosen =
      n.fields(n.call("vision.all_class_non_max_suppression",
                      {boxes, scores, scalar_operand(int_imm(kLargestSize)), real(n.real("iou_threshold")),
                       real(std::numeric_limits<float>::lowest())}),
               2)
          .values;
  const Scalar count = size_of_data(n);
  read_size(n.builder, chosen[1], count, n.span);
  const auto at = [](const Scalar& a, const Scalar& b) { return Tuple::make({scalar_operand(a), scalar_operand(b)}); };
  const Expr kept = n.call("strided_slice",
                           {chosen[0], at(int_imm(0), int_imm(1)), at(int_imm(0), int_imm(2)), at(count, int_imm(3))},
                           {{"assume_inbound", true}});
  return without_axes(n.builder, kept, {1}, n.span);
}

}  // namespace

std::vector<Converter> vision_converters() {
  return {{"torchvision.nms.default", nms, "`R.vision.all_class_non_max_suppression`"},
          {"torchvision.roi_align.default", roi_align, "`R.vision.roi_align`"},
          {"torchvision.roi_pool.default", roi_pool, "`R.vision.roi_pool`", "the first output alone"},
          {"torchvision.deform_conv2d.default", deform_conv2d, "`R.nn.deform_conv2d` and `R.add`"}};
}

}  // namespace sunmao::torch
