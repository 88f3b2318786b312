// Converters of Resize and Upsample. Where the library's op has no such form, an axis is resized by a product with
// weights that are constants.
#include <algorithm>
#include <cmath>

#include "frontend/onnx/compose.h"
#include "frontend/onnx/resize_weights.h"

namespace sunmao::onnx {
namespace {

/// An axis that changes.
struct ResizedAxis {
  int64_t axis = 0;
  Scalar from, to;
  std::optional<double> scale;  // where it is given, and not `to` divided by `from`
  double begin = 0, end = 1;    // the region of interest
  std::string nearest;
};

class Resizing {
 public:
  Resizing(const NodeContext& n, ResizeRule rule, std::vector<ResizedAxis> axes)
      : n_(n), rule_(std::move(rule)), axes_(std::move(axes)) {}

  Expr result() const {
    if (axes_.empty()) return n_.tensor(0);
    return is_plain() ? by_op() : by_weights();
  }

 private:
  /// True when the library's op computes this.
  bool is_plain() const {
    const bool has_form = rule_.coordinates != "tf_crop_and_resize" && !(rule_.antialias && rule_.mode != "nearest");
    const int64_t span = axes_.back().axis - axes_.front().axis + 1;
    return has_form && span <= 3 && std::ranges::all_of(axes_, [&](const ResizedAxis& a) {
             return !a.scale && a.nearest == axes_.front().nearest;
           });
  }

  Expr by_op() const {
    const std::vector<Scalar>& dims = n_.dims(0);
    const auto first = static_cast<size_t>(axes_.front().axis), last = static_cast<size_t>(axes_.back().axis);
    std::vector<Scalar> wanted = dims;
    for (const ResizedAxis& a : axes_) wanted[static_cast<size_t>(a.axis)] = a.to;
    if (dims.size() == 4 && first >= 2) return called(n_.tensor(0), {wanted[2], wanted[3]}, "NCHW");
    if (dims.size() == 4 && first == 1 && last == 2) return called(n_.tensor(0), {wanted[1], wanted[2]}, "NHWC");
    if (dims.size() == 5 && first == 2 && last == 4)
      return called(n_.tensor(0), {wanted[2], wanted[3], wanted[4]}, "NCDHW");
    // What stands before the axes is the batch, what stands behind them the channels.
    const std::span<const Scalar> all(dims);
    std::vector<Scalar> image{product(n_.builder, all.first(first))},
        size(wanted.begin() + first, wanted.begin() + last + 1);
    image.insert(image.end(), dims.begin() + first, dims.begin() + last + 1);
    if (first == last) {
      image.insert(image.begin() + 1, int_imm(1));
      size.insert(size.begin(), int_imm(1));
    }
    image.push_back(product(n_.builder, all.subspan(last + 1)));
    const char* layout = size.size() == 2 ? "NHWC" : "NDHWC";
    const Expr resized = called(reshaped(n_.builder, n_.tensor(0), image, n_.span), size, layout);
    return reshaped(n_.builder, resized, wanted, n_.span);
  }

  Expr called(const Expr& x, std::vector<Scalar> size, const char* layout) const {
    const char* op = size.size() == 2 ? "image.resize2d" : "image.resize3d";
    const std::string method = rule_.mode == "nearest" ? "nearest_neighbor" : rule_.mode;
    const std::string coordinates = rule_.coordinates == "half_pixel_symmetric" ? "half_pixel" : rule_.coordinates;
    return n_.call(op, {x, ShapeExpr::make(std::move(size), n_.span)},
                   {{"layout", layout},
                    {"method", method},
                    {"coordinate_transformation_mode", coordinates},
                    {"rounding_method", axes_.front().nearest},
                    {"cubic_alpha", rule_.cubic},
                    {"cubic_exclude", int64_t{rule_.excludes_outside}}});
  }

  Expr by_weights() const {
    Expr x = n_.tensor(0);
    const DType dtype = dtype_of(x);
    for (const ResizedAxis& a : axes_) x = along(x, a);
    return converted(n_.builder, x, dtype, n_.span);
  }

  Expr along(const Expr& x, const ResizedAxis& a) const {
    const int64_t *from = find_int(a.from), *to = find_int(a.to);
    if (!from || !to) throw UnsupportedUse{"in this mode along an axis of symbolic size"};
    constexpr int64_t kLargestTable = int64_t{1} << 25;  // elements
    if (*from < 1 || *to < 0 || *to > kLargestTable || (rule_.mode != "nearest" && *to > kLargestTable / *from))
      throw UnsupportedUse{fmt::format("of an axis from {} to {} elements", *from, *to)};
    const AxisScale scale{.from = *from,
                          .to = *to,
                          .factor = a.scale.value_or(static_cast<double>(*to) / static_cast<double>(*from)),
                          .begin = a.begin,
                          .end = a.end};
    const ResizeTable table = resize_table(rule_, scale, a.nearest);
    const Expr y = rule_.mode == "nearest"
                       ? n_.call("take", {x, ints_constant(table.nearest, n_.span)}, {{"axis", a.axis}})
                       : weighted(x, a.axis, table, scale);
    if (std::ranges::none_of(table.is_outside, [](uint8_t b) { return b != 0; })) return y;
    const Expr outside =
        Constant::make(Array::copy(DType::bool_(), {scale.to}, std::as_bytes(std::span(table.is_outside))), n_.span);
    std::vector<int64_t> others;
    for (int64_t i = 0; i < n_.rank(0); ++i)
      if (i != a.axis) others.push_back(i);
    return chosen(n_, with_axes(n_.builder, outside, others, n_.span), n_.constant(dtype_of(y), rule_.extrapolation),
                  y);
  }

  /// The product of the weights with the tensor seen as (before, axis, behind).
  Expr weighted(const Expr& x, int64_t axis, const ResizeTable& table, const AxisScale& scale) const {
    const std::vector<Scalar> dims = *dims_of(x);
    const std::span<const Scalar> all(dims);
    const auto place = static_cast<size_t>(axis);
    const Scalar before = product(n_.builder, all.first(place)), behind = product(n_.builder, all.subspan(place + 1));
    const bool is_wide = dtype_of(x) == DType::float_(64);
    Expr weights = Constant::make(Array::from_floats({scale.to, scale.from}, table.weights), n_.span);
    if (is_wide) weights = converted(n_.builder, weights, DType::float_(64), n_.span);
    const Expr matrices = reshaped(n_.builder, converted(n_.builder, x, dtype_of(weights), n_.span),
                                   {before, dims[place], behind}, n_.span);
    std::vector<Scalar> result = dims;
    result[place] = int_imm(scale.to);
    return reshaped(n_.builder, binary(n_, "matmul", weights, matrices), result, n_.span);
  }

  const NodeContext& n_;
  const ResizeRule rule_;
  const std::vector<ResizedAxis> axes_;
};

/// Returns the axes in order, without those that stay.
std::vector<ResizedAxis> changed(const NodeContext& n, std::vector<ResizedAxis> axes) {
  std::erase_if(axes, [&](const ResizedAxis& a) {
    return a.begin == 0 && a.end == 1 && (!a.scale || *a.scale == 1) &&
           n.builder.can_prove(Binary::make(BinaryOp::Eq, a.from, a.to));
  });
  std::ranges::sort(axes, {}, &ResizedAxis::axis);
  return axes;
}

std::vector<ResizedAxis> axes_of(const NodeContext& n) {
  std::vector<int64_t> axes = n.ints_attr("axes").value_or(std::vector<int64_t>{});
  if (axes.empty()) axes = axes_between(0, n.rank(0));
  std::vector<ResizedAxis> out;
  for (int64_t a : axes) {
    const int64_t axis = axis_of(n, a, n.rank(0));
    out.push_back(
        {.axis = axis, .from = n.dims(0).at(static_cast<size_t>(axis)), .to = {}, .scale = {}, .nearest = {}});
  }
  return out;
}

/// The size is rounded down. A scale that is not the quotient of the sizes is kept, since places follow it.
void set_scales(const NodeContext& n, std::vector<ResizedAxis>& axes, const std::vector<double>& scales) {
  if (scales.size() != axes.size()) n.fail(fmt::format("{} scales for {} axes", scales.size(), axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) {
    const double scale = scales[i];
    if (!(scale > 0 && scale <= static_cast<double>(kLargestSize))) n.fail(fmt::format("a scale is {}", scale));
    if (!find_int(axes[i].from)) {
      if (scale != std::floor(scale)) throw UnsupportedUse{"by a fraction along an axis of symbolic size"};
      axes[i].to = n.builder.simplify(axes[i].from * int_imm(whole(scale)));
      continue;
    }
    const auto from = static_cast<float>(*find_int(axes[i].from));
    const float to = std::floor(from * static_cast<float>(scale));
    axes[i].to = int_imm(whole(static_cast<double>(to)));
    if (static_cast<double>(from) * scale != static_cast<double>(to)) axes[i].scale = scale;
  }
}

/// Scales all axes by one factor, so that no size is larger, or none smaller, than asked for.
void keep_aspect_ratio(const NodeContext& n, std::vector<ResizedAxis>& axes, bool is_not_larger) {
  std::optional<double> common;
  for (const ResizedAxis& a : axes) {
    if (!find_int(a.from) || !find_int(a.to)) throw UnsupportedUse{"that keeps the aspect ratio of symbolic sizes"};
    const double scale = static_cast<double>(*find_int(a.to)) / static_cast<double>(*find_int(a.from));
    common = !common ? scale : is_not_larger ? std::min(*common, scale) : std::max(*common, scale);
  }
  if (!common) n.fail("it has no axes");
  for (ResizedAxis& a : axes) {
    const double exact = *common * static_cast<double>(*find_int(a.from));
    a.to = int_imm(whole(std::floor(exact + 0.5)));
    if (exact != std::floor(exact)) a.scale = *common;
  }
}

void set_sizes(const NodeContext& n, std::vector<ResizedAxis>& axes, const std::vector<Scalar>& sizes) {
  if (sizes.size() != axes.size()) n.fail(fmt::format("{} sizes for {} axes", sizes.size(), axes.size()));
  for (size_t i = 0; i < axes.size(); ++i) axes[i].to = sizes[i];
  const std::string policy = n.string_attr("keep_aspect_ratio_policy", "stretch");
  if (policy == "not_larger" || policy == "not_smaller")
    keep_aspect_ratio(n, axes, policy == "not_larger");
  else if (policy != "stretch")
    n.fail("`keep_aspect_ratio_policy` is none of \"stretch\", \"not_larger\" and \"not_smaller\"");
}

void set_region(const NodeContext& n, std::vector<ResizedAxis>& axes) {
  const std::vector<double> roi = n.numbers(1, "regions of interest");
  if (roi.size() != 2 * axes.size()) n.fail(fmt::format("`roi` holds {} numbers for {} axes", roi.size(), axes.size()));
  for (double edge : roi)
    if (!(std::abs(edge) <= static_cast<double>(kLargestSize))) n.fail(fmt::format("`roi` holds {}", edge));
  for (size_t i = 0; i < axes.size(); ++i) axes[i].begin = roi[i], axes[i].end = roi[i + axes.size()];
}

std::string mode_of(const NodeContext& n) {
  const std::string mode = n.string_attr("mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "cubic") n.fail("`mode` is no known one");
  return mode;
}

bool is_given(const NodeContext& n, size_t input) {
  if (!n.has_input(input)) return false;
  const std::vector<Scalar>* dims = dims_of(n.tensor(input));  // older exporters write empty tensors
  return !dims || dims->empty() || !find_int((*dims)[0]) || *find_int((*dims)[0]) != 0;
}

Results resize(const NodeContext& n) {
  const ResizeRule rule{.mode = mode_of(n),
                        .coordinates = n.string_attr("coordinate_transformation_mode", "half_pixel"),
                        .cubic = n.float_attr("cubic_coeff_a", -0.75),
                        .extrapolation = n.float_attr("extrapolation_value", 0),
                        .excludes_outside = n.int_attr("exclude_outside", 0) != 0,
                        .antialias = n.int_attr("antialias", 0) != 0};
  if (!is_coordinate_mode(rule.coordinates)) n.fail("`coordinate_transformation_mode` is no known one");
  std::vector<ResizedAxis> axes = axes_of(n);
  if (is_given(n, 2))
    set_scales(n, axes, n.numbers(2, "scales"));
  else
    set_sizes(n, axes, n.sizes(3));
  if (rule.coordinates == "tf_crop_and_resize") set_region(n, axes);
  for (ResizedAxis& a : axes) a.nearest = n.string_attr("nearest_mode", "round_prefer_floor");
  return Resizing(n, rule, changed(n, std::move(axes))).result();
}

/// The older ops: places are divided by the scale. A nearest pixel is the one before, in Resize of a smaller image the
/// one behind.
Results by_scales(const NodeContext& n, const std::vector<double>& scales, const char* nearest_if_smaller) {
  std::vector<ResizedAxis> axes = axes_of(n);
  set_scales(n, axes, scales);
  for (size_t i = 0; i < axes.size(); ++i) axes[i].nearest = scales[i] < 1 ? nearest_if_smaller : "floor";
  return Resizing(n, {.mode = mode_of(n), .coordinates = "asymmetric"}, changed(n, std::move(axes))).result();
}

Results resize_by_scales(const NodeContext& n) { return by_scales(n, n.numbers(1, "scales"), "ceil"); }
Results upsample(const NodeContext& n) { return by_scales(n, n.numbers(1, "scales"), "floor"); }
Results upsample_by_attribute(const NodeContext& n) {
  return by_scales(n, n.floats_attr("scales").value_or(std::vector<double>{}), "floor");
}

}  // namespace

std::vector<Converter> resize_converters() {
  const char* kBecomes = "`R.image.resize2d`, `R.image.resize3d`; else `R.matmul` with constant weights, or `R.take`";
  return {{"Resize", 10, resize_by_scales, kBecomes, "scales must be constant"},
          {"Resize", 11, resize, kBecomes,
           "scales must be constant; symbolic sizes not with `antialias`, a region of interest or a kept aspect ratio"},
          {"Upsample", 7, upsample_by_attribute, kBecomes},
          {"Upsample", 9, upsample, kBecomes, "scales must be constant"}};
}

}  // namespace sunmao::onnx
