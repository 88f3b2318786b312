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

constexpr double kCubicParameter = -0.75;

void add_cubic(WeightRows& w, int64_t row, double place) {
  const double low = std::floor(place);
  for (int64_t i = -1; i <= 2; ++i)
    w.add(row, static_cast<int64_t>(low) + i, cubic(place - low - static_cast<double>(i), kCubicParameter));
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

bool is_antialiased(Filter filter) { return filter == Filter::LinearAntialias || filter == Filter::CubicAntialias; }

/// Returns where the middle of an element of the result lies, counted from the middle of the first one of the input;
/// in the precision of `Float`.
template <class Float>
double place_of(int64_t row, const AxisResize& r) {
  const auto step = static_cast<Float>(r.step), at = static_cast<Float>(row);
  return static_cast<double>(r.aligns_corners ? at * step : (at + Float(0.5)) * step - Float(0.5));
}

WeightRows weights_of(const AxisResize& r, bool is_wide) {
  if (r.in < 1 || r.out < 0 || r.out > kMostWeights / r.in) throw UnsupportedUse{"to a size that is too large"};
  WeightRows w(r.in, r.out);
  for (int64_t i = 0; i < r.out; ++i) {
    const double place = is_wide ? place_of<double>(i, r) : place_of<float>(i, r);
    if (is_antialiased(r.filter))
      add_antialias(w, i, r);
    else if (r.filter == Filter::Linear)
      add_linear(w, i, place);
    else
      add_cubic(w, i, place);
  }
  return w;
}

/// Returns the axes with `axis` as the last one.
std::vector<int64_t> with_axis_last(const NodeContext& n, const Expr& x, int64_t axis) {
  std::vector<int64_t> order;
  for (int64_t i = 0; i < n.rank(x); ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  return order;
}

/// Returns the sum of the elements along an axis times weights, of which a row is for an element of the result.
Expr weighed(const NodeContext& n, const Expr& x, int64_t axis, const Expr& rows) {
  const std::vector<int64_t> order = with_axis_last(n, x, axis);
  const Expr weights = permuted(n.builder, rows, {1, 0}, n.span);
  return permuted(n.builder, n.call("matmul", {permuted(n.builder, x, order, n.span), weights}), inverse(order),
                  n.span);
}

/// PyTorch weighs bytes by integers of 16 bits, with as many binary places as the greatest weight leaves, and rounds
/// after each axis.
Expr weighed_bytes(const NodeContext& n, const Expr& x, int64_t axis, const AxisResize& r) {
  constexpr DType kSum = DType::int_(32);
  const WeightRows w = weights_of(r, true);
  const double greatest = w.values().empty() ? 0 : std::ranges::max(w.values());
  int places = 0;
  while (places < 22 && static_cast<int>(0.5 + greatest * (1 << (places + 1))) < 1 << 15) ++places;
  ArrayBuilder data(kSum, {r.out, r.in});
  std::ranges::transform(w.values(), data.as<int32_t>().begin(), [&](double weight) {
    return static_cast<int32_t>((weight < 0 ? -0.5 : 0.5) + weight * (1 << places));
  });
  const auto number = [&](int64_t v) { return integer_constant(kSum, v, n.span); };
  Expr sum = weighed(n, converted(n.builder, x, kSum, n.span), axis, Constant::make(std::move(data).finish(), n.span));
  if (places > 0)
    sum = n.call("right_shift", {n.call("add", {sum, number(int64_t{1} << (places - 1))}), number(places)});
  return converted(n.builder, n.call("minimum", {n.call("maximum", {sum, number(0)}), number(255)}), dtype_of(x),
                   n.span);
}

/// Returns PyTorch's step from one element of the result to the next one.
template <class Float>
Float nearest_step(const NearestResize& r, int64_t in, int64_t out) {
  return r.factor > 0 ? static_cast<Float>(1 / r.factor) : static_cast<Float>(in) / static_cast<Float>(out);
}

bool is_power_of_2(double x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5;
}

/// Returns which element PyTorch takes for each of the result.
template <class Float>
std::vector<int64_t> nearest_places(const NearestResize& r, int64_t in, int64_t out) {
  const auto step = nearest_step<Float>(r, in, out);
  const Float middle = r.filter == Filter::NearestExact ? Float(0.5) : Float(0);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < out; ++i) {
    const auto at = static_cast<float>((static_cast<Float>(i) + middle) * step);
    places.push_back(std::min(static_cast<int64_t>(std::floor(at)), in - 1));
  }
  return places;
}
std::vector<int64_t> nearest_places(const NearestResize& r, DType dtype) {
  const int64_t in = *find_int(r.in), out = *find_int(r.out);
  if (in < 1 || out < 0 || out > kMostWeights) throw UnsupportedUse{"to a size that is too large"};
  return dtype.bits == 64 ? nearest_places<double>(r, in, out) : nearest_places<float>(r, in, out);
}

/// Returns the places of an axis whose sizes only a run knows.
Expr computed_places(const NodeContext& n, const NearestResize& r, DType dtype) {
  const DType real = dtype.bits == 64 ? DType::float_(64) : DType::float_(32);
  const auto size = [&](const Scalar& s) { return tensor_of(n.builder, {s}, false, n.span); };
  const auto real_size = [&](const Scalar& s) { return converted(n.builder, size(s), real, n.span); };
  const Expr step =
      r.factor > 0 ? n.constant(real, 1 / r.factor) : n.call("divide", {real_size(r.in), real_size(r.out)});
  Expr at = n.call("arange", {scalar_operand(int_imm(0)), scalar_operand(r.out), scalar_operand(int_imm(1))},
                   {{"dtype", DType::int_(64)}});
  at = converted(n.builder, at, real, n.span);
  if (r.filter == Filter::NearestExact) at = n.call("add", {at, n.constant(real, 0.5)});
  at = n.call("floor", {converted(n.builder, n.call("multiply", {at, step}), DType::float_(32), n.span)});
  const Expr last = n.call("subtract", {size(r.in), n.constant(DType::int_(64), 1)});
  return n.call("minimum", {converted(n.builder, at, DType::int_(64), n.span), last});
}

}  // namespace

Expr resampled(const NodeContext& n, const Expr& x, int64_t axis, const AxisResize& resize) {
  if (resize.in == resize.out && resize.filter != Filter::Cubic) return x;
  if (!dtype_of(x).is_float()) return resize.in == resize.out ? x : weighed_bytes(n, x, axis, resize);
  const WeightRows w = weights_of(resize, dtype_of(x).bits == 64);
  ArrayBuilder data(DType::float_(64), {resize.out, resize.in});
  std::ranges::copy(w.values(), data.as<double>().begin());
  const Expr rows = Constant::make(std::move(data).finish(), n.span);
  return weighed(n, x, axis, converted(n.builder, rows, dtype_of(x), n.span));
}

bool is_by_quotient(const NearestResize& r, DType dtype) {
  if (!find_int(r.in) || !find_int(r.out)) return r.factor >= 1 && is_power_of_2(r.factor);  // such steps are exact
  const std::vector<int64_t> places = nearest_places(r, dtype);
  const double step = static_cast<double>(*find_int(r.in)) / static_cast<double>(*find_int(r.out));
  for (size_t i = 0; i < places.size(); ++i) {
    const double at = (static_cast<double>(i) + (r.filter == Filter::NearestExact ? 0.5 : 0)) * step;
    const double low = std::floor(at), clear = std::max(1e-4, at * 0x1p-20);  // beyond the op's slack and its rounding
    const bool is_clear = at - low < 1 - clear && (at - low > clear || at < 64 || is_power_of_2(step));
    if (!is_clear || static_cast<int64_t>(low) != places[i]) return false;
  }
  return true;
}

Expr nearest_along(const NodeContext& n, const Expr& x, int64_t axis, const NearestResize& r) {
  if (!find_int(r.in) || !find_int(r.out))
    return n.call("take", {x, computed_places(n, r, dtype_of(x))}, {{"axis", axis}});
  const std::vector<int64_t> places = nearest_places(r, dtype_of(x));
  bool is_same = *find_int(r.in) == *find_int(r.out);
  for (size_t i = 0; i < places.size(); ++i) is_same = is_same && places[i] == static_cast<int64_t>(i);
  return is_same ? x : n.call("take", {x, ints_constant(places, n.span)}, {{"axis", axis}});
}

}  // namespace sunmao::torch
