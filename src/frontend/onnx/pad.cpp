// Converters that put something around a tensor: Pad, CenterCropPad.
#include <algorithm>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

/// `widths` holds for each axis what is put before it, then for each what is put behind it.
Expr padded(const NodeContext& n, const std::vector<int64_t>& widths, std::vector<int64_t> axes, double value) {
  const int64_t rank = n.rank(0);
  if (axes.empty()) axes = axes_between(0, rank);
  if (widths.size() != 2 * axes.size())
    n.fail(fmt::format("{} widths for {} axes", widths.size(), axes.size()), "two for each axis");
  std::vector<int64_t> pairs(2 * static_cast<size_t>(rank));
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axis_of(n, axes[i], rank));
    pairs[2 * axis] = widths[i];
    pairs[2 * axis + 1] = widths[i + axes.size()];
  }
  if (std::ranges::all_of(pairs, [](int64_t w) { return w == 0; })) return n.tensor(0);
  const std::string mode = n.string_attr("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    n.fail("`mode` is none of \"constant\", \"reflect\", \"edge\" and \"wrap\"");
  return n.call(
      "nn.pad", {n.tensor(0)},
      {{"pad_width", AttrValue::ints(pairs)}, {"pad_mode", mode == "wrap" ? "circular" : mode}, {"pad_value", value}});
}

Results pad_by_attributes(const NodeContext& n) {
  return padded(n, n.ints_attr("pads").value_or(std::vector<int64_t>{}), {}, n.float_attr("value", 0));
}

Results pad_by_inputs(const NodeContext& n) {
  const double value = n.has_input(2) ? n.number(2, "values") : 0;
  return padded(n, n.ints(1, "widths"), n.has_input(3) ? n.ints(3, "axes") : std::vector<int64_t>{}, value);
}

/// Cuts an axis off at both ends, or puts zeros there, up to the wanted size.
Results center_crop_pad(const NodeContext& n) {
  const int64_t rank = n.rank(0);
  std::vector<int64_t> axes = n.ints_attr("axes").value_or(std::vector<int64_t>{});
  if (axes.empty()) axes = axes_between(0, rank);
  const std::vector<int64_t> wanted = n.ints(1, "sizes");
  if (wanted.size() != axes.size()) n.fail(fmt::format("{} sizes for {} axes", wanted.size(), axes.size()));
  std::vector<int64_t> widths(2 * static_cast<size_t>(rank));
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axis_of(n, axes[i], rank));
    const int64_t* size = find_int(n.dims(0).at(axis));
    if (!size) throw UnsupportedUse{"along an axis of symbolic size"};
    if (wanted[i] < 0 || wanted[i] > kLargestSize) n.fail(fmt::format("a size is {}", wanted[i]));
    const int64_t more = wanted[i] - *size, before = more >= 0 ? more / 2 : -(-more / 2);
    widths[2 * axis] = before;
    widths[2 * axis + 1] = more - before;
  }
  return n.call("nn.pad", {n.tensor(0)}, {{"pad_width", AttrValue::ints(widths)}});
}

}  // namespace

std::vector<Converter> pad_converters() {
  return {{"Pad", 2, pad_by_attributes, "`R.nn.pad`"},
          {"Pad", 11, pad_by_inputs, "`R.nn.pad`", "widths, value and axes must be constant"},
          {"CenterCropPad", 18, center_crop_pad, "`R.nn.pad`", "sizes must be constant"}};
}

}  // namespace sunmao::onnx
