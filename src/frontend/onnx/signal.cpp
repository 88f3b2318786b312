// Converters of signals: DFT, STFT, windows, MelWeightMatrix. Windows and matrices are constants.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "frontend/onnx/compose.h"
#include "frontend/onnx/tensors.h"

namespace sunmao::onnx {
namespace {

Expr dft_along(const NodeContext& n, int64_t axis) {
  AttrMap attrs{
      {"axis", axis}, {"inverse", n.int_attr("inverse", 0) != 0}, {"onesided", n.int_attr("onesided", 0) != 0}};
  if (n.has_input(1)) attrs["length"] = n.integer(1, "lengths");
  return n.call("signal.dft", {n.tensor(0)}, std::move(attrs));
}

Results dft_by_attribute(const NodeContext& n) { return dft_along(n, axis_of(n, n.int_attr("axis", 1), n.rank(0))); }

Results dft(const NodeContext& n) {
  return dft_along(n, axis_of(n, n.has_input(2) ? n.integer(2, "axes") : -2, n.rank(0)));
}

/// A signal without a last axis of its parts is real. Without a window all weigh 1.
Results stft(const NodeContext& n) {
  Expr x = n.tensor(0), window;
  if (n.rank(0) == 2) x = with_axes(n.builder, x, {2}, n.span);
  if (n.has_input(2)) {
    window = n.tensor(2);
  } else if (n.has_input(3)) {
    window =
        n.call("ones", {ShapeExpr::make({int_imm(n.integer(3, "frame lengths"))}, n.span)}, {{"dtype", dtype_of(x)}});
  } else {
    n.fail("it has neither a window nor the length of frames");
  }
  return n.call("signal.stft", {x, window},
                {{"step", n.integer(1, "steps")}, {"onesided", n.int_attr("onesided", 1) != 0}});
}

constexpr int64_t kMostElements = int64_t{1} << 24;  // of a constant that is made while reading

DType output_dtype(const NodeContext& n) {
  const int64_t type = n.int_attr("output_datatype", static_cast<int64_t>(ElementType::Float));
  const DType dtype = dtype_of_element(type);
  if (dtype.is_void()) throw UnsupportedUse{"of " + name_of_element(type)};
  return dtype;
}

/// Returns a constant of float64, then of the wanted dtype.
Expr constant_of(const NodeContext& n, std::vector<int64_t> shape, const std::vector<double>& values) {
  const Expr wide = Constant::make(Array::copy(DType::float_(64), shape, std::as_bytes(std::span(values))), n.span);
  return converted(n.builder, wide, output_dtype(n), n.span);
}

int64_t size_of(const NodeContext& n, size_t input, const char* what) {
  const int64_t size = n.integer(input, what);
  if (size < 0 || size > kMostElements) throw UnsupportedUse{fmt::format("with {} of {}", what, size)};
  return size;
}

/// A sum of cosines: a - b cos(x) + c cos(2 x), x from 0 to 2 pi.
Results window(const NodeContext& n, double a, double b, double c) {
  const int64_t size = size_of(n, 0, "sizes"), steps = n.int_attr("periodic", 1) ? size : size - 1;
  std::vector<double> values;
  for (int64_t i = 0; i < size; ++i) {
    const double x = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(std::max<int64_t>(steps, 1));
    values.push_back(a - b * std::cos(x) + c * std::cos(2 * x));
  }
  return constant_of(n, {size}, values);
}

Results hann_window(const NodeContext& n) { return window(n, 0.5, 0.5, 0); }
Results hamming_window(const NodeContext& n) { return window(n, 25.0 / 46, 21.0 / 46, 0); }
Results blackman_window(const NodeContext& n) { return window(n, 0.42, 0.5, 0.08); }

double mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

/// Triangles over the bins of a spectrum, equally wide on the mel scale.
Results mel_weight_matrix(const NodeContext& n) {
  const int64_t count = size_of(n, 0, "numbers of bands"), length = size_of(n, 1, "numbers of points");
  const double rate = n.number(2, "sample rates"), low = mel(n.number(3, "lower edges")),
               high = mel(n.number(4, "upper edges"));
  const int64_t bins = length / 2 + 1;
  if (count * bins > kMostElements) throw UnsupportedUse{"of that size"};
  std::vector<int64_t> edges;
  for (int64_t i = 0; i < count + 2; ++i) {
    const double place = low + static_cast<double>(i) * (high - low) / static_cast<double>(count + 2);
    edges.push_back(whole(std::floor(static_cast<double>(length + 1) * hertz(place) / rate)));
  }
  std::vector<double> values(static_cast<size_t>(bins * count));
  const auto set = [&](int64_t bin, int64_t band, double value) {
    if (bin >= 0 && bin < bins) values[static_cast<size_t>(bin * count + band)] = value;
  };
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = edges[static_cast<size_t>(i)], top = edges[static_cast<size_t>(i + 1)],
                  end = edges[static_cast<size_t>(i + 2)];
    if (top == begin) set(top, i, 1);
    for (int64_t j = std::max<int64_t>(begin, 0); top != begin && j <= std::min(top, bins); ++j)
      set(j, i, static_cast<double>(j - begin) / static_cast<double>(top - begin));
    for (int64_t j = std::max<int64_t>(top, 0); end != top && j < std::min(end, bins); ++j)
      set(j, i, static_cast<double>(end - j) / static_cast<double>(end - top));
  }
  return constant_of(n, {bins, count}, values);
}

}  // namespace

std::vector<Converter> signal_converters() {
  const char* kSize = "the size must be constant";
  return {{"DFT", 17, dft_by_attribute, "`R.signal.dft`", "the length must be constant"},
          {"DFT", 20, dft, "`R.signal.dft`", "axis and length must be constant"},
          {"STFT", 17, stft, "`R.signal.stft`", "step and length must be constant"},
          {"HannWindow", 17, hann_window, "a constant", kSize},
          {"HammingWindow", 17, hamming_window, "a constant", kSize},
          {"BlackmanWindow", 17, blackman_window, "a constant", kSize},
          {"MelWeightMatrix", 17, mel_weight_matrix, "a constant", "all inputs must be constant"}};
}

}  // namespace sunmao::onnx
