// Converters of Fourier transforms.
#include <cmath>
#include <numeric>

#include "frontend/shapes.h"
#include "frontend/torch/complex.h"
#include "frontend/torch/rows.h"

namespace sunmao::torch {
namespace {

using Axes = std::vector<int64_t>;

/// One transform along an axis; `half` stands for a spectrum of a real signal, of which the first half is there.
struct Transform {
  int64_t axis;
  bool inverse = false, half = false;
  std::optional<int64_t> points = {};  // the signal is cut to them, or filled with 0
};

Complex scaled_parts(const NodeContext& n, const Complex& z, double factor) {
  return {scaled(n.builder, z.re, factor, n.span), z.im ? scaled(n.builder, z.im, factor, n.span) : Expr()};
}

/// `R.signal.dft` divides by the number of points where it is inverse.
Complex transformed(const NodeContext& n, const Complex& z, const Transform& t) {
  const bool is_real = !z.im && !t.inverse;
  const Expr given =
      is_real ? with_axes(n.builder, z.re, {n.rank(z.re)}, n.span) : stacked(n.builder, complex_of(n, z), n.span);
  AttrMap attrs{{"axis", t.axis}, {"inverse", t.inverse}, {"onesided", t.half}};
  if (t.points) attrs["length"] = *t.points;
  const Expr out = n.call("signal.dft", {given}, std::move(attrs));
  if (t.inverse && t.half) return {without_axes(n.builder, out, {n.rank(z.re)}, n.span), nullptr};
  return complex_parts(unstacked(n.builder, out, n.span));
}

int64_t points_of(const NodeContext& n, const Expr& x, const Transform& t) {
  const int64_t* size = find_int(n.dims(x).at(static_cast<size_t>(t.axis)));
  if (!size && !t.points) throw UnsupportedUse{"of a symbolic number of points, scaled by it"};
  return t.points ? *t.points : t.inverse && t.half ? 2 * (*size - 1) : *size;
}

enum class Scale : uint8_t { None, Root, Points };  // what a transform is divided by: 1, the points' root, the points

/// Transforms along several axes, the last of them first where it makes half a spectrum, and last where it takes one.
Complex transformed(const NodeContext& n, Complex z, std::vector<Transform> steps, Scale scale) {
  const bool inverse = steps.front().inverse;
  double points = 1;
  if (scale != (inverse ? Scale::Points : Scale::None))
    for (const Transform& t : steps) points *= static_cast<double>(points_of(n, z.re, t));
  if (!inverse) std::ranges::reverse(steps);
  for (const Transform& t : steps) z = transformed(n, z, t);
  const double divisor = scale == Scale::None ? 1 : scale == Scale::Root ? std::sqrt(points) : points;
  return scaled_parts(n, z, (inverse ? points : 1) / divisor);
}

Results spectrum(const NodeContext& n, const Complex& z) { return z.im ? complex_of(n, z) : z.re; }

Expr float_self(const NodeContext& n) {
  const Expr self = n.tensor("self");
  return find<Tuple>(self) ? self : float_tensor(n, "self");
}

Axes axes_in(const NodeContext& n, std::optional<Axes> given, const Expr& x) {
  Axes axes(static_cast<size_t>(n.rank(x)));
  std::iota(axes.begin(), axes.end(), 0);
  if (!given) return axes;
  for (int64_t& axis : *given) axis = from_front(axis, n.rank(x), "E0704", n.span);
  return *given;
}

Scale scale_of(const NodeContext& n, bool inverse) {
  const std::string norm = n.string("norm", "backward");
  if (norm == "ortho") return Scale::Root;
  return (norm == "forward") == inverse ? Scale::None : Scale::Points;
}

/// Converts the transforms of the module `torch.fft`: along `dim`, with the sizes `n` or `s`.
Results of_module(const NodeContext& n, bool inverse, bool half, const Axes* otherwise) {
  Complex z = complex_parts(float_self(n));
  const bool is_along_one = n.target.ends_with("fft.default");
  if (!inverse && half && z.im) throw UnsupportedUse{"on complex numbers"};
  const std::optional<Axes> sizes = n.integers(is_along_one ? "n" : "s");
  std::optional<Axes> dim = n.integers("dim");
  if (!dim && otherwise) dim = *otherwise;
  Axes axes = axes_in(n, dim, z.re);
  if (sizes && !dim && sizes->size() < axes.size()) axes.erase(axes.begin(), axes.end() - std::ssize(*sizes));
  if (axes.empty()) throw UnsupportedUse{"along no axis"};
  if (sizes && sizes->size() != axes.size()) n.malformed("dim");
  std::vector<Transform> steps;
  for (size_t i = 0; i < axes.size(); ++i) {
    const bool is_half = half && i + 1 == axes.size();
    Transform t{.axis = axes[i], .inverse = inverse, .half = is_half};
    if (sizes && (*sizes)[i] >= 1) t.points = (*sizes)[i];
    steps.push_back(t);
  }
  return spectrum(n, transformed(n, z, std::move(steps), scale_of(n, inverse)));
}

template <bool inverse, bool half>
Results along_one(const NodeContext& n) {
  const Axes last{-1};
  return of_module(n, inverse, half, &last);
}
template <bool inverse, bool half>
Results along_two(const NodeContext& n) {
  const Axes last{-2, -1};
  return of_module(n, inverse, half, &last);
}
template <bool inverse, bool half>
Results along_all(const NodeContext& n) {
  return of_module(n, inverse, half, nullptr);
}

std::vector<Transform> steps_of(const NodeContext& n, const Expr& x, Transform every) {
  std::vector<Transform> out;
  for (int64_t axis : axes_in(n, n.integers("dim"), x)) {
    out.push_back(every);
    out.back().axis = axis;
  }
  if (out.empty()) throw UnsupportedUse{"along no axis"};
  return out;
}
/// Prims do not scale.
Scale scale_number(const NodeContext& n) {
  const int64_t number = n.target.starts_with("prims.") ? 0 : n.integer("normalization");
  if (number < 0 || number > 2) n.malformed("normalization");
  return static_cast<Scale>(number);
}

/// Converts the ops that those become when a program is decomposed: from real to complex numbers, and so on.
Results real_to_complex(const NodeContext& n) {
  const Expr x = n.tensor("self");
  std::vector<Transform> steps = steps_of(n, x, {});
  steps.back().half = n.boolean("onesided");
  return spectrum(n, transformed(n, {x, nullptr}, std::move(steps), scale_number(n)));
}
Results complex_to_complex(const NodeContext& n) {
  const Complex z = complex_parts(n.tensor("self"));
  return spectrum(n,
                  transformed(n, z, steps_of(n, z.re, {.axis = 0, .inverse = !n.boolean("forward")}), scale_number(n)));
}
Results complex_to_real(const NodeContext& n) {
  const Complex z = complex_parts(n.tensor("self"));
  std::vector<Transform> steps = steps_of(n, z.re, {.axis = 0, .inverse = true});
  steps.back().half = true;
  steps.back().points = n.integer("last_dim_size");
  return spectrum(n, transformed(n, z, std::move(steps), scale_number(n)));
}

/// Puts the second half of each axis before the first.
Results halves_swapped(const NodeContext& n, bool back) {
  Expr x = n.tensor("self");
  for (int64_t axis : axes_in(n, n.integers("dim"), x)) {
    const Scalar size = n.dims(x).at(static_cast<size_t>(axis));
    const Scalar middle = n.builder.simplify(floor_div(back ? size : size + int_imm(1), int_imm(2)));
    const Expr second = sliced(n.builder, x, {{axis, middle, size}}, n.span),
               first = sliced(n.builder, x, {{axis, int_imm(0), middle}}, n.span);
    x = n.call("concat", {Tuple::make({second, first})}, {{"axis", axis}});
  }
  return x;
}
Results halves_shifted(const NodeContext& n) { return halves_swapped(n, false); }
Results halves_shifted_back(const NodeContext& n) { return halves_swapped(n, true); }

/// Returns the window of a short-time transform, filled with 0 on both sides to the size of a frame.
Expr frame_window(const NodeContext& n, DType dtype, int64_t frame) {
  const int64_t size = n.has("win_length") ? n.integer("win_length") : frame;
  if (size < 1 || size > frame) n.malformed("win_length");
  if (n.has("window") && find<Tuple>(n.tensor("window"))) throw UnsupportedUse{"with a window of complex numbers"};
  Expr window = n.has("window")
                    ? converted(n.builder, n.tensor("window"), dtype, n.span)
                    : n.call("full", {ShapeExpr::make({int_imm(size)}), n.constant(dtype, 1)}, {{"dtype", dtype}});
  if (size == frame) return window;
  const int64_t before = (frame - size) / 2;
  return n.call("nn.pad", {window}, {{"pad_width", AttrValue::ints({before, frame - size - before})}});
}

int64_t step_of(const NodeContext& n, int64_t frame) {
  return n.has("hop_length") ? n.integer("hop_length") : std::max<int64_t>(frame / 4, 1);
}

Results short_time(const NodeContext& n) {
  const Expr self = n.tensor("self");
  Complex x = complex_parts(self);
  const int64_t frame = n.integer("n_fft");
  const bool is_vector = n.rank(x.re) == 1, onesided = n.boolean("onesided", !x.im);
  Expr signal = x.im ? stacked(n.builder, self, n.span) : with_axes(n.builder, self, {n.rank(self)}, n.span);
  if (is_vector) signal = with_axes(n.builder, signal, {0}, n.span);
  const Expr window = frame_window(n, dtype_of(x.re), frame);
  Expr out = n.call("signal.stft", {signal, window}, {{"step", step_of(n, frame)}, {"onesided", onesided}});
  out = permuted(n.builder, out, {0, 2, 1, 3}, n.span);
  if (is_vector) out = without_axes(n.builder, out, {0}, n.span);
  if (n.boolean("normalized", false)) out = scaled(n.builder, out, 1 / std::sqrt(static_cast<double>(frame)), n.span);
  return find<TupleType>(n.recorded()) ? unstacked(n.builder, out, n.span) : out;
}

/// Adds frames (batch, points, frames) that lie `step` apart.
Expr overlapped(const NodeContext& n, const Expr& frames, int64_t step) {
  const int64_t *points = find_int(n.dims(frames).at(1)), *count = find_int(n.dims(frames).at(2));
  if (!points || !count) throw UnsupportedUse{"of a symbolic number of frames"};
  const Expr sum = n.call("nn.col2im", {frames},
                          {{"output_size", AttrValue::ints({1, *points + step * (*count - 1)})},
                           {"kernel_size", AttrValue::ints({1, *points})},
                           {"strides", AttrValue::ints({1, step})}});
  return without_axes(n.builder, sum, {1, 2}, n.span);
}

Results short_time_inverse(const NodeContext& n) {
  Complex z = complex_parts(n.tensor("self"));
  const int64_t frame = n.integer("n_fft"), step = step_of(n, frame), rank = n.rank(z.re);
  if (!z.im || n.boolean("return_complex", false) || !n.boolean("onesided", true))
    throw UnsupportedUse{"that gives complex numbers"};
  if (rank == 2) z = {with_axes(n.builder, z.re, {0}, n.span), with_axes(n.builder, z.im, {0}, n.span)};
  Expr frames = transformed(n, z, {.axis = 1, .inverse = true, .half = true, .points = frame}).re;
  if (n.boolean("normalized", false)) frames = scaled(n.builder, frames, std::sqrt(static_cast<double>(frame)), n.span);
  const Expr window = with_axes(n.builder, frame_window(n, dtype_of(frames), frame), {0, 2}, n.span);
  const std::vector<Scalar> each{int_imm(1), int_imm(frame), n.dims(frames).at(2)};
  const Expr sum = overlapped(n, n.call("multiply", {frames, window}), step);
  const Expr weight = overlapped(n, broadcast(n.builder, n.call("multiply", {window, window}), each, n.span), step);
  Expr out = n.call("divide", {sum, weight});
  const int64_t total = *find_int(n.dims(out).at(1)), begin = n.boolean("center", true) ? frame / 2 : 0;
  const int64_t end = n.has("length") ? begin + n.integer("length") : total - begin;
  if (end > total) throw UnsupportedUse{"with a length beyond the frames"};
  out = sliced(n.builder, out, {{1, int_imm(begin), int_imm(end)}}, n.span);
  return rank == 2 ? without_axes(n.builder, out, {0}, n.span) : out;
}

}  // namespace

std::vector<Converter> fft_converters() {
  const char* dft = "`R.signal.dft`";
  const char* known = "sizes must be known where the result is scaled by them";
  return {{"aten.fft_fft.default", along_one<false, false>, dft, known},
          {"aten.fft_ifft.default", along_one<true, false>, dft, known},
          {"aten.fft_rfft.default", along_one<false, true>, dft, known},
          {"aten.fft_irfft.default", along_one<true, true>, dft, known},
          {"aten.fft_fft2.default", along_two<false, false>, dft, known},
          {"aten.fft_ifft2.default", along_two<true, false>, dft, known},
          {"aten.fft_rfft2.default", along_two<false, true>, dft, known},
          {"aten.fft_irfft2.default", along_two<true, true>, dft, known},
          {"aten.fft_fftn.default", along_all<false, false>, dft, known},
          {"aten.fft_ifftn.default", along_all<true, false>, dft, known},
          {"aten.fft_rfftn.default", along_all<false, true>, dft, known},
          {"aten.fft_irfftn.default", along_all<true, true>, dft, known},
          {"aten._fft_r2c.default", real_to_complex, dft, known},
          {"aten._fft_c2c.default", complex_to_complex, dft, known},
          {"aten._fft_c2r.default", complex_to_real, dft, known},
          {"prims.fft_r2c.default", real_to_complex, dft, known},
          {"prims.fft_c2c.default", complex_to_complex, dft, known},
          {"prims.fft_c2r.default", complex_to_real, dft, known},
          {"aten.fft_fftshift.default", halves_shifted, "`R.concat`"},
          {"aten.fft_ifftshift.default", halves_shifted_back, "`R.concat`"},
          {"aten.stft.default", short_time, "`R.signal.stft`"},
          {"aten.istft.default", short_time_inverse, "`R.signal.dft` and `R.nn.col2im`",
           "the number of frames must be known"}};
}

}  // namespace sunmao::torch
