// Converters that put something around a tensor: Pad, CenterCropPad.
#include <algorithm>

#include "frontend/onnx/compose.h"

namespace sunmao::onnx {
namespace {

std::string padding_mode(const NodeContext& n) {
  const std::string mode = n.string_attr("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    n.fail("`mode` is none of \"constant\", \"reflect\", \"edge\" and \"wrap\"");
  return mode;
}

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
  const std::string mode = padding_mode(n);
  return n.call(
      "nn.pad", {n.tensor(0)},
      {{"pad_width", AttrValue::ints(pairs)}, {"pad_mode", mode == "wrap" ? "circular" : mode}, {"pad_value", value}});
}

/// An axis with what is put before and behind it, which are no numbers both.
struct PaddedAxis {
  int64_t axis;
  Scalar before, behind;
};

Expr put_around(const NodeContext& n, const Expr& x, const PaddedAxis& a, const Expr& value) {
  const auto block = [&](const Scalar& width) {
    std::vector<Scalar> dims = sizes_of(x);
    dims[static_cast<size_t>(a.axis)] = width;
    return n.call("full", {ShapeExpr::make(std::move(dims), n.span), value});
  };
  return joined(n, {block(a.before), x, block(a.behind)}, a.axis);
}

/// Takes elements again, at places that are bent back into the axis.
Expr repeat_around(const NodeContext& n, const Expr& x, const PaddedAxis& a, const std::string& mode) {
  const Scalar size = sizes_of(x)[static_cast<size_t>(a.axis)];
  const auto number = [&](const Scalar& s) { return tensor_of(n.builder, {s}, false, n.span); };
  const Scalar whole = bounded(n.builder.simplify(a.before + size + a.behind));
  Expr place = binary(n, "subtract", places_along(n, whole, DType::int_(64), 0, 1), number(a.before));
  const Expr last = binary(n, "subtract", number(size), 1);
  if (mode == "wrap") place = binary(n, "floor_mod", place, number(size));
  if (mode == "edge") place = binary(n, "minimum", binary(n, "maximum", place, 0), last);
  if (mode == "reflect") {
    const Expr period = binary(n, "maximum", binary(n, "multiply", last, 2), 1);
    const Expr there = binary(n, "floor_mod", place, period);
    place = binary(n, "minimum", there, binary(n, "subtract", period, there));
  }
  return n.call("take", {x, place}, {{"axis", a.axis}});
}

/// Widths that are symbolic, or that data decides: each axis in turn.
Expr padded_by_sizes(const NodeContext& n, const std::vector<Scalar>& widths, std::vector<int64_t> axes) {
  if (axes.empty()) axes = axes_between(0, n.rank(0));
  if (widths.size() != 2 * axes.size())
    n.fail(fmt::format("{} widths for {} axes", widths.size(), axes.size()), "two for each axis");
  const std::string mode = padding_mode(n);
  Expr x = n.tensor(0);
  Expr value = n.constant(dtype_of(x), 0);
  if (n.has_input(2)) value = reshaped(n.builder, n.tensor(2), {}, n.span);
  for (size_t i = 0; i < axes.size(); ++i) {
    const PaddedAxis a{axis_of(n, axes[i], n.rank(0)), widths[i], widths[i + axes.size()]};
    if (is_number(a.before, 0) && is_number(a.behind, 0)) continue;
    for (const Scalar& width : {a.before, a.behind})
      if (find_int(width) && *find_int(width) < 0)
        throw UnsupportedUse{"that cuts off beside widths that are no numbers"};
    x = mode == "constant" ? put_around(n, x, a, value) : repeat_around(n, x, a, mode);
  }
  return x;
}

Results pad_by_attributes(const NodeContext& n) {
  return padded(n, n.ints_attr("pads").value_or(std::vector<int64_t>{}), {}, n.float_attr("value", 0));
}

bool are_numbers(const std::vector<Scalar>& widths) {
  return std::ranges::all_of(widths, [](const Scalar& w) { return find_int(w) != nullptr; });
}

Results pad_by_inputs(const NodeContext& n) {
  const std::vector<int64_t> axes = n.has_input(3) ? n.ints(3, "axes") : std::vector<int64_t>{};
  const std::vector<Scalar> widths = n.sizes(1);
  const bool is_known = are_numbers(widths) && (!n.has_input(2) || n.builder.data(n.tensor(2)));
  if (!is_known) return padded_by_sizes(n, widths, axes);
  return padded(n, n.ints(1, "widths"), axes, n.has_input(2) ? n.number(2, "values") : 0);
}

/// Likewise for sizes that are no numbers: an axis is cut off to what is smaller, then zeros are put around it.
Expr center_cropped(const NodeContext& n, const std::vector<Scalar>& wanted, const std::vector<int64_t>& axes) {
  Expr x = n.tensor(0);
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = axis_of(n, axes[i], n.rank(0));
    const Scalar own = sizes_of(x)[static_cast<size_t>(axis)], zero = int_imm(0), two = int_imm(2);
    const auto most = [&](const Scalar& s) { return n.builder.simplify(Binary::make(BinaryOp::Max, s, zero)); };
    const Scalar kept = n.builder.simplify(Binary::make(BinaryOp::Min, own, wanted[i]));
    const Scalar begin = n.builder.simplify(floor_div(most(own - wanted[i]), two)), more = most(wanted[i] - own);
    x = sliced(n.builder, x, {{.axis = axis, .begin = begin, .end = bounded(begin + kept)}}, n.span);
    const Scalar before = n.builder.simplify(floor_div(more, two));
    x = put_around(n, x, {axis, before, n.builder.simplify(more - before)}, n.constant(dtype_of(x), 0));
  }
  return x;
}

/// Cuts an axis off at both ends, or puts zeros there, up to the wanted size.
Results center_crop_pad(const NodeContext& n) {
  const int64_t rank = n.rank(0);
  std::vector<int64_t> axes = n.ints_attr("axes").value_or(std::vector<int64_t>{});
  if (axes.empty()) axes = axes_between(0, rank);
  const std::vector<Scalar> sizes = n.sizes(1);
  if (sizes.size() != axes.size()) n.fail(fmt::format("{} sizes for {} axes", sizes.size(), axes.size()));
  if (!are_numbers(sizes) || !are_numbers(n.dims(0))) return center_cropped(n, sizes, axes);
  const std::vector<int64_t> wanted = n.ints(1, "sizes");
  std::vector<int64_t> widths(2 * static_cast<size_t>(rank));
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axis_of(n, axes[i], rank));
    const int64_t* size = find_int(n.dims(0).at(axis));
    if (wanted[i] < 0 || wanted[i] > kLargestSize) n.fail(fmt::format("a size is {}", wanted[i]));
    const int64_t more = wanted[i] - *size, before = more >= 0 ? more / 2 : -(-more / 2);
    widths[2 * axis] = before;
    widths[2 * axis + 1] = more - before;
  }
  return n.call("nn.pad", {n.tensor(0)}, {{"pad_width", AttrValue::ints(widths)}});
}

}  // namespace

std::vector<Converter> pad_converters() {
  return {
      {"Pad", 2, pad_by_attributes, "`R.nn.pad`"},
      {"Pad", 11, pad_by_inputs, "`R.nn.pad`; by widths that are no numbers `R.concat`, `R.full`, or `R.take`",
       "axes must be constant"},
      {"CenterCropPad", 18, center_crop_pad, "`R.nn.pad`; to sizes that are no numbers `R.strided_slice`, `R.concat`"}};
}

}  // namespace sunmao::onnx
