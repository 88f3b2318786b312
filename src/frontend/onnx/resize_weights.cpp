#include "frontend/onnx/resize_weights.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sunmao::onnx {
namespace {

constexpr std::array kCoordinates{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners",
                                  "asymmetric", "tf_half_pixel_for_nn", "tf_crop_and_resize"};

/// Returns the place in the input of place `at` of the result, computed in T.
template <class T>
T place_in_input(const std::string& mode, const AxisScale& s, T at) {
  const T factor = static_cast<T>(s.factor), from = static_cast<T>(s.from), half = static_cast<T>(0.5);
  const T last = from - 1, width = factor * from;
  if (mode == "asymmetric") return at / factor;
  if (mode == "tf_half_pixel_for_nn") return (at + half) / factor;
  if (mode == "align_corners") return width == 1 ? 0 : at * last / (width - 1);
  if (mode == "tf_crop_and_resize") {
    const T begin = static_cast<T>(s.begin), span = static_cast<T>(s.end) - begin, middle = span * last / 2;
    return begin * last + (width == 1 ? middle : at * span * last / (width - 1));
  }
  if (mode == "pytorch_half_pixel" && width == 1) return -half;
  const T place = (at + half) / factor - half;
  if (mode != "half_pixel_symmetric") return place;
  return from / 2 * (1 - static_cast<T>(s.to) / width) + place;
}

/// Likewise. The nearest pixel is that of float32, as runtimes compute: scales are float32, and 3 / 0.6 is 5 there, but
/// less in more digits.
double pixel_place(const ResizeRule& rule, const AxisScale& s, int64_t at) {
  constexpr double kFar = 1e9;  // beyond any axis
  const double place = rule.mode == "nearest" ? place_in_input(rule.coordinates, s, static_cast<float>(at))
                                              : place_in_input(rule.coordinates, s, static_cast<double>(at));
  return std::clamp(place, -kFar, kFar);
}

int64_t rounded(const std::string& mode, double place) {
  const double low = std::floor(place);
  if (mode == "floor") return static_cast<int64_t>(low);
  if (mode == "ceil") return static_cast<int64_t>(std::ceil(place));
  const double rest = place - low;
  const bool goes_up = mode == "round_prefer_ceil" ? rest >= 0.5 : rest > 0.5;
  return static_cast<int64_t>(low) + (goes_up ? 1 : 0);
}

double kernel(const ResizeRule& rule, double distance) {
  const double x = std::abs(distance), a = rule.cubic;
  if (rule.mode == "linear") return std::max(0.0, 1 - x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// Adds the weights of one place of the result to `row`, one for each element of the input. When the image becomes
/// smaller, an antialiasing kernel is stretched.
void add_weights(const ResizeRule& rule, const AxisScale& s, double place, float* row) {
  const double stretch = rule.antialias ? std::min(s.factor, 1.0) : 1.0,
               reach = (rule.mode == "linear" ? 1 : 2) / stretch;
  const auto first = static_cast<int64_t>(std::floor(place - reach)) + 1,
             last = static_cast<int64_t>(std::ceil(place + reach)) - 1;
  double total = 0;
  std::vector<double> taps;
  for (int64_t i = first; i <= last; ++i) {
    const bool counts = !rule.excludes_outside || (i >= 0 && i < s.from);
    taps.push_back(counts ? kernel(rule, (static_cast<double>(i) - place) * stretch) : 0);
    total += taps.back();
  }
  const double divisor = total == 0 ? 1 : total;
  for (int64_t i = first; i <= last; ++i) {
    const int64_t inside = std::clamp<int64_t>(i, 0, s.from - 1);
    row[inside] += static_cast<float>(taps[static_cast<size_t>(i - first)] / divisor);
  }
}

}  // namespace

bool is_coordinate_mode(const std::string& name) { return std::ranges::find(kCoordinates, name) != kCoordinates.end(); }

ResizeTable resize_table(const ResizeRule& rule, const AxisScale& s, const std::string& nearest_mode) {
  ResizeTable out;
  const bool is_nearest = rule.mode == "nearest";
  if (!is_nearest) out.weights.resize(static_cast<size_t>(s.to * s.from));
  for (int64_t i = 0; i < s.to; ++i) {
    const double place = pixel_place(rule, s, i);
    const bool is_cropped = rule.coordinates == "tf_crop_and_resize";
    out.is_outside.push_back(is_cropped && (place < 0 || place > static_cast<double>(s.from) - 1));
    if (is_nearest)
      out.nearest.push_back(std::clamp<int64_t>(rounded(nearest_mode, place), 0, s.from - 1));
    else
      add_weights(rule, s, place, out.weights.data() + i * s.from);
  }
  return out;
}

}  // namespace sunmao::onnx
