#include "frontend/torch/resample.h"

#include <algorithm>
#include <cmath>

#include "frontend/shapes.h"
#include "frontend/torch/indexed.h"

namespace sunmao::torch {
namespace {

constexpr int64_t kMostWeights = int64_t{1} << 22;

/// The weights of inputs for each element of the result, in row-major order.
class WeightRows {
 public:
  WeightRows(int64_t in, int64_t out) : in_(in), values_(static_cast<size_t>(in * out)) {}
  void add(int64_t row, int64_t column, double weight) {
    values_[static_cast<size_t>(row * in_ + std::clamp<int64_t>(column, 0, in_ - 1))] += weight;
  }
  const std::vector<double>& values() const { return values_; }

 private:
  int64_t in_;
  std::vector<double> values_;
};

/// Returns the cubic convolution kernel with the parameter `a`.
double cubic(double x, double a) {
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

void add_linear(WeightRows& w, int64_t row, double place) {
  place = std::max(place, 0.0);
  const double low = std::floor(place);
  w.add(row, static_cast<int64_t>(low), 1 - (place - low));
  w.add(row, static_cast<int64_t>(low) + 1, place - low);
}

void add_cubic(WeightRows& w, int64_t row, double place) {
  constexpr double kA = -0.75;
  const double low = std::floor(place);
  for (int64_t i = -1; i <= 2; ++i)
    w.add(row, static_cast<int64_t>(low) + i, cubic(place - low - static_cast<double>(i), kA));
}

/// Weighs all inputs under the kernel, which a reduction widens.
void add_antialias(WeightRows& w, int64_t row, const AxisResize& r) {
  constexpr double kA = -0.5;
  const bool is_cubic = r.filter == Filter::CubicAntialias;
  const double widening = std::max(r.step, 1.0), support = (is_cubic ? 2 : 1) * widening;
  const double center = r.step * (static_cast<double>(row) + 0.5);
  const auto first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
  const auto last = std::min<int64_t>(static_cast<int64_t>(center + support + 0.5), r.in);
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = first; i < last; ++i) {
    const double x = (static_cast<double>(i) - center + 0.5) / widening;
    weights.push_back(is_cubic ? cubic(x, kA) : std::max(0.0, 1 - std::abs(x)));
    sum += weights.back();
  }
  for (int64_t i = first; i < last; ++i) w.add(row, i, weights[static_cast<size_t>(i - first)] / sum);
}

Expr weight_matrix(const NodeContext& n, const AxisResize& r, DType dtype) {
  if (r.in < 1 || r.out < 0 || r.out > kMostWeights / r.in) throw UnsupportedUse{"to a size that is too large"};
  WeightRows w(r.in, r.out);
  for (int64_t i = 0; i < r.out; ++i) {
    const double middle = (static_cast<double>(i) + 0.5) * r.step - 0.5;
    if (r.filter == Filter::Linear)
      add_linear(w, i, middle);
    else if (r.filter == Filter::Cubic)
      add_cubic(w, i, middle);
    else
      add_antialias(w, i, r);
  }
  ArrayBuilder data(DType::float_(64), {r.out, r.in});
  std::ranges::copy(w.values(), data.as<double>().begin());
  return converted(n.builder, Constant::make(std::move(data).finish(), n.span), dtype, n.span);
}

std::vector<int64_t> nearest_places(const AxisResize& r) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < r.out; ++i) {
    const auto at = static_cast<float>(i) + (r.filter == Filter::NearestExact ? 0.5F : 0.0F);
    places.push_back(std::min(static_cast<int64_t>(std::floor(at * static_cast<float>(r.step))), r.in - 1));
  }
  return places;
}

}  // namespace

Expr resampled(const NodeContext& n, const Expr& x, int64_t axis, const AxisResize& resize) {
  if (resize.filter == Filter::Nearest || resize.filter == Filter::NearestExact)
    return n.call("take", {x, ints_constant(nearest_places(resize), n.span)}, {{"axis", axis}});
  std::vector<int64_t> order;
  for (int64_t i = 0; i < n.rank(x); ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  Expr weights = permuted(n.builder, weight_matrix(n, resize, dtype_of(x)), {1, 0}, n.span);
  return permuted(n.builder, n.call("matmul", {permuted(n.builder, x, order, n.span), weights}), inverse(order),
                  n.span);
}

}  // namespace sunmao::torch
