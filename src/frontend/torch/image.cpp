// Converters of ops on images: resizing, sampling, columns of windows.
#include <algorithm>
#include <array>
#include <cmath>

#include "frontend/shapes.h"
#include "frontend/torch/resample.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

/// How a resize samples, in the words of `R.image.resize2d`.
struct Sampling {
  Filter filter;
  const char* method;
  const char* coordinates;
  const char* rounding = "";
};
constexpr Sampling kNearest{Filter::Nearest, "nearest_neighbor", "asymmetric", "floor"},
    kNearestExact{Filter::NearestExact, "nearest_neighbor", "half_pixel", "round_prefer_ceil"};

Sampling smooth(const NodeContext& n, Filter filter) {
  return {filter, filter == Filter::Linear ? "linear" : "cubic",
          n.boolean("align_corners", false) ? "align_corners" : "half_pixel"};
}

Expr input_of(const NodeContext& n) { return n.tensor(n.has("input") ? "input" : "self"); }

/// Returns the factors that the caller gave, one for each axis; empty when there are none.
std::vector<double> factors_of(const NodeContext& n, size_t spatial) {
  if (std::optional<std::vector<double>> factors = n.reals("scale_factors")) return *factors;
  std::vector<double> out;
  constexpr std::array<const char*, 3> kNames{"scales_d", "scales_h", "scales_w"};
  for (size_t i = 3 - spatial; i < 3; ++i) {
    const char* name = spatial == 1 ? "scales" : kNames[i];
    if (n.has(name)) out.push_back(n.real(name));
  }
  return out.size() == spatial ? out : std::vector<double>();
}

/// PyTorch samples by the factor that it was given, the op by the sizes: the same where their quotient is the factor.
bool is_quotient(double factor, const Scalar& in, const Scalar& out) {
  const int64_t *from = find_int(in), *to = find_int(out);
  if (!from || !to) return factor == std::round(factor);
  return std::abs(static_cast<double>(*from) * factor - static_cast<double>(*to)) <= 1e-12 * static_cast<double>(*to);
}

/// Returns the new sizes: `output_size`, else those that the exporter recorded.
std::vector<Scalar> new_sizes(const NodeContext& n, size_t spatial) {
  std::vector<Scalar> sizes = n.sizes("output_size");
  if (!sizes.empty()) return sizes;
  const auto* recorded = find<TensorType>(n.recorded());
  if (!recorded || !recorded->dims() || recorded->dims()->size() < spatial)
    throw UnsupportedUse{"without a recorded shape"};
  return {recorded->dims()->end() - static_cast<std::ptrdiff_t>(spatial), recorded->dims()->end()};
}

/// What a caller asks for: new sizes, and the factors that it gave, one for each axis or none.
struct Wanted {
  std::vector<Scalar> sizes;
  std::vector<double> factors;
  double factor(size_t i) const { return factors.empty() ? 0 : factors[i]; }
};

Wanted wanted(const NodeContext& n, size_t spatial) {
  if (n.rank(input_of(n)) != static_cast<int64_t>(spatial) + 2) n.malformed("input");
  Wanted out{new_sizes(n, spatial), factors_of(n, spatial)};
  if (out.sizes.size() != spatial) n.malformed("output_size");
  return out;
}

/// Resizes by the op; one spatial axis is resized as a second one beside one of size 1.
Expr resized_by_op(const NodeContext& n, Expr x, const Sampling& how, std::vector<Scalar> sizes) {
  const size_t spatial = sizes.size();
  if (spatial == 1) {
    x = with_axes(n.builder, x, {2}, n.span);
    sizes.insert(sizes.begin(), int_imm(1));
  }
  Expr y = n.call(spatial == 3 ? "image.resize3d" : "image.resize2d", {x, ShapeExpr::make(sizes)},
                  {{"method", how.method},
                   {"coordinate_transformation_mode", how.coordinates},
                   {"rounding_method", how.rounding},
                   {"cubic_alpha", -0.75}});
  return spatial == 1 ? without_axes(n.builder, y, {2}, n.span) : y;
}

/// Resizes (batch, channels, …) axis by axis, the last one first, by steps that are known.
Expr resized_by_steps(const NodeContext& n, Filter filter, const Wanted& w, bool aligns_corners) {
  Expr x = input_of(n);
  for (size_t i = w.sizes.size(); i-- > 0;) {
    const int64_t *in = find_int(n.dims(x).at(i + 2)), *out = find_int(w.sizes[i]);
    if (!in || !out) throw UnsupportedUse{"by this factor, with sizes that only a run knows: give `size`"};
    AxisResize r{.filter = filter, .in = *in, .out = *out, .step = 0, .aligns_corners = aligns_corners};
    if (aligns_corners)
      r.step = *out > 1 ? static_cast<double>(*in - 1) / static_cast<double>(*out - 1) : 0;
    else
      r.step = w.factor(i) > 0 ? 1 / w.factor(i) : static_cast<double>(*in) / static_cast<double>(*out);
    x = resampled(n, x, static_cast<int64_t>(i) + 2, r);
  }
  return x;
}

/// Takes the nearest elements, by the op where it takes the same ones. Of images whose size stays, PyTorch copies those
/// with two spatial axes.
Expr nearest_of(const NodeContext& n, size_t spatial, const Sampling& how) {
  Expr x = input_of(n);
  const Wanted w = wanted(n, spatial);
  const std::vector<Scalar> dims = n.dims(x);
  bool by_op = true, is_copy = spatial == 2 && how.filter == Filter::Nearest;
  std::vector<NearestResize> axes;
  for (size_t i = 0; i < spatial; ++i) {
    axes.push_back({.filter = how.filter, .in = dims[i + 2], .out = w.sizes[i], .factor = w.factor(i)});
    is_copy = is_copy && n.builder.can_prove(Binary::make(BinaryOp::Eq, axes[i].in, axes[i].out));
  }
  if (is_copy) return x;
  for (const NearestResize& axis : axes) by_op = by_op && is_by_quotient(axis, dtype_of(x));
  if (by_op) return resized_by_op(n, x, how, w.sizes);
  for (size_t i = 0; i < spatial; ++i) x = nearest_along(n, x, static_cast<int64_t>(i) + 2, axes[i]);
  return x;
}

/// Interpolates; with aligned corners the factor does not count.
Expr interpolated(const NodeContext& n, size_t spatial, const Sampling& how) {
  Expr x = input_of(n);
  Wanted w = wanted(n, spatial);
  const bool aligns_corners = n.boolean("align_corners", false);
  if (aligns_corners) w.factors.clear();
  bool by_sizes = true, is_known = true;
  for (size_t i = 0; i < spatial; ++i) {
    const Scalar& in = n.dims(x).at(i + 2);
    is_known = is_known && find_int(in) && find_int(w.sizes[i]);
    by_sizes = by_sizes && (w.factors.empty() || is_quotient(w.factors[i], in, w.sizes[i]));
  }
  if (!by_sizes || (is_known && !dtype_of(x).is_float())) return resized_by_steps(n, how.filter, w, aligns_corners);
  if (dtype_of(x).is_float()) return resized_by_op(n, x, how, w.sizes);
  const DType real = DType::float_(32);
  const auto number = [&](double v) { return n.constant(real, v); };
  Expr y = n.call("round", {resized_by_op(n, converted(n.builder, x, real, n.span), how, w.sizes)});
  y = n.call("minimum", {n.call("maximum", {y, number(0)}), number(255)});
  return converted(n.builder, y, dtype_of(x), n.span);
}

template <size_t spatial>
Results nearest(const NodeContext& n) {
  return nearest_of(n, spatial, kNearest);
}
template <size_t spatial>
Results nearest_exact(const NodeContext& n) {
  return nearest_of(n, spatial, kNearestExact);
}
template <size_t spatial>
Results linear(const NodeContext& n) {
  return interpolated(n, spatial, smooth(n, Filter::Linear));
}
Results bicubic(const NodeContext& n) { return interpolated(n, 2, smooth(n, Filter::Cubic)); }

/// Converts a resize in which a reduction weighs all pixels under a wider kernel.
template <Filter filter>
Results antialiased(const NodeContext& n) {
  return resized_by_steps(n, filter, wanted(n, 2), n.boolean("align_corners", false));
}

/// The grid holds (x, y) last, which the op wants as axis 1.
Results grid_sampler(const NodeContext& n) {
  Expr x = n.tensor("input"), grid = n.tensor("grid");
  constexpr const char* kMethods[] = {"bilinear", "nearest", "bicubic"};
  constexpr const char* kPadding[] = {"zeros", "border", "reflection"};
  const int64_t method = n.integer("interpolation_mode"), padding = n.integer("padding_mode");
  if (method < 0 || method > 2 || padding < 0 || padding > 2) n.malformed("interpolation_mode");
  const bool is_volume = n.rank(x) == 5;
  grid = permuted(n.builder, grid, is_volume ? std::vector<int64_t>{0, 4, 1, 2, 3} : std::vector<int64_t>{0, 3, 1, 2},
                  n.span);
  return n.call("image.grid_sample", {x, grid},
                {{"method", kMethods[method]},
                 {"layout", is_volume ? "NCDHW" : "NCHW"},
                 {"padding_mode", kPadding[padding]},
                 {"align_corners", n.boolean("align_corners", false)}});
}

Results affine_grid(const NodeContext& n) {
  const std::vector<Scalar> size = n.sizes("size");
  if (size.size() != 4 && size.size() != 5) n.malformed("size");
  Expr grid = n.call("image.affine_grid", {n.tensor("theta"), ShapeExpr::make({size.begin() + 2, size.end()})},
                     {{"align_corners", n.boolean("align_corners", false)}});
  return with_channels_last(n.builder, grid, n.span);
}

std::vector<int64_t> pair_of(const NodeContext& n, std::string_view name, int64_t otherwise) {
  std::vector<int64_t> list = n.integers(name).value_or(std::vector<int64_t>{otherwise});
  if (list.size() == 1) list.push_back(list[0]);
  if (list.size() != 2) n.malformed(name);
  return list;
}

/// Converts the columns of windows: (batch, channels * taps, windows).
Results im2col(const NodeContext& n) {
  Expr self = n.tensor("self"), x = n.rank(self) == 3 ? with_axes(n.builder, self, {0}, n.span) : self;
  const auto kernel = pair_of(n, "kernel_size", 1), stride = pair_of(n, "stride", 1),
             padding = pair_of(n, "padding", 0), dilation = pair_of(n, "dilation", 1);
  const std::vector<Scalar> dims = n.dims(x);
  x = n.call("nn.pad", {x},
             {{"pad_width", AttrValue::ints({0, 0, 0, 0, padding[0], padding[0], padding[1], padding[1]})}});
  for (size_t i : {0, 1}) {
    x = n.call(
        "sliding_window", {x},
        {{"axis", static_cast<int64_t>(i) + 2}, {"size", dilation[i] * (kernel[i] - 1) + 1}, {"step", stride[i]}});
    const int64_t last = n.rank(x) - 1;
    x = sliced(n.builder, x, {{last, int_imm(0), n.dims(x).at(static_cast<size_t>(last)), dilation[i]}}, n.span);
  }
  x = permuted(n.builder, x, {0, 1, 4, 5, 2, 3}, n.span);  // batch, channels, taps, windows
  const std::vector<Scalar> windows = n.dims(x);
  const Scalar rows = n.builder.simplify(dims.at(1) * int_imm(kernel[0] * kernel[1])),
               columns = n.builder.simplify(windows[4] * windows[5]);
  if (n.rank(self) == 3) return reshaped(n.builder, x, {rows, columns}, n.span);
  return reshaped(n.builder, x, {dims.at(0), rows, columns}, n.span);
}

Results col2im(const NodeContext& n) {
  Expr self = n.tensor("self"), x = n.rank(self) == 2 ? with_axes(n.builder, self, {0}, n.span) : self;
  Expr y = n.call("nn.col2im", {x},
                  {{"output_size", AttrValue::ints(pair_of(n, "output_size", 1))},
                   {"kernel_size", AttrValue::ints(pair_of(n, "kernel_size", 1))},
                   {"strides", AttrValue::ints(pair_of(n, "stride", 1))},
                   {"padding", AttrValue::ints(pair_of(n, "padding", 0))},
                   {"dilation", AttrValue::ints(pair_of(n, "dilation", 1))}});
  return n.rank(self) == 2 ? without_axes(n.builder, y, {0}, n.span) : y;
}

}  // namespace

std::vector<Converter> image_converters() {
  const char *resize = "`R.image.resize2d`", *resize_3d = "`R.image.resize3d`",
             *nearest_2d = "`R.image.resize2d`; by steps that are not the quotient of the sizes `R.take`",
             *nearest_3d = "`R.image.resize3d`; by steps that are not the quotient of the sizes `R.take`",
             *factor = "a scale factor must be whole, or the sizes be known",
             *products = "`R.matmul` by constant weights, axis by axis", *known = "the sizes must be known";
  std::vector<Converter> rows;
  auto add = [&](Convert convert, const char* becomes, const char* plain, const char* vec) {
    const char* limits = std::string_view(plain).find("nearest") == std::string_view::npos ? factor : "";
    rows.push_back({plain, convert, becomes, limits});
    rows.push_back({vec, convert, becomes, limits});
  };
  add(nearest<1>, nearest_2d, "aten.upsample_nearest1d.default", "aten.upsample_nearest1d.vec");
  add(nearest<2>, nearest_2d, "aten.upsample_nearest2d.default", "aten.upsample_nearest2d.vec");
  add(nearest<3>, nearest_3d, "aten.upsample_nearest3d.default", "aten.upsample_nearest3d.vec");
  add(nearest_exact<1>, nearest_2d, "aten._upsample_nearest_exact1d.default", "aten._upsample_nearest_exact1d.vec");
  add(nearest_exact<2>, nearest_2d, "aten._upsample_nearest_exact2d.default", "aten._upsample_nearest_exact2d.vec");
  add(nearest_exact<3>, nearest_3d, "aten._upsample_nearest_exact3d.default", "aten._upsample_nearest_exact3d.vec");
  add(in_opmath<linear<1>>, resize, "aten.upsample_linear1d.default", "aten.upsample_linear1d.vec");
  add(in_opmath<linear<2>>, resize, "aten.upsample_bilinear2d.default", "aten.upsample_bilinear2d.vec");
  add(in_opmath<linear<3>>, resize_3d, "aten.upsample_trilinear3d.default", "aten.upsample_trilinear3d.vec");
  add(in_opmath<bicubic>, resize, "aten.upsample_bicubic2d.default", "aten.upsample_bicubic2d.vec");
  for (const char* target : {"aten._upsample_bilinear2d_aa.default", "aten._upsample_bilinear2d_aa.vec"})
    rows.push_back({target, antialiased<Filter::LinearAntialias>, products, known});
  for (const char* target : {"aten._upsample_bicubic2d_aa.default", "aten._upsample_bicubic2d_aa.vec"})
    rows.push_back({target, antialiased<Filter::CubicAntialias>, products, known});
  for (const char* target :
       {"aten.grid_sampler.default", "aten.grid_sampler_2d.default", "aten.grid_sampler_3d.default"})
    rows.push_back({target, grid_sampler, "`R.image.grid_sample`"});
  rows.push_back({"aten.affine_grid_generator.default", affine_grid, "`R.image.affine_grid`"});
  rows.push_back({"aten.im2col.default", im2col, "`R.sliding_window`, `R.permute_dims` and `R.reshape`"});
  rows.push_back({"aten.col2im.default", col2im, "`R.nn.col2im`"});
  return rows;
}

}  // namespace sunmao::torch
