#include "eval/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "eval/element.h"

namespace sunmao {
namespace {

double element_as_double(const Array& a, int64_t index) {
  const Number n = load_element(a, index);
  return a.dtype().is_float() ? n.f : static_cast<double>(n.i);
}

// Returns |expected - got|; 0 also for two NaN or equal infinities, infinity if only one is NaN.
double distance(double expected, double got) {
  if (expected == got || (std::isnan(expected) && std::isnan(got))) return 0;
  const double d = std::abs(expected - got);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

std::string type_text(const Array& a) { return fmt::format("{} ({})", a.dtype().str(), fmt::join(a.shape(), ", ")); }

}  // namespace

Tolerance tolerance_of(DType dtype) {
  if (!dtype.is_float()) return {};
  if (dtype.bits >= 64) return {.absolute = 1e-10, .relative = 1e-10};
  if (dtype.bits == 32) return {.absolute = 1e-5, .relative = 1e-4};
  if (dtype == DType::float_(16)) return {.absolute = 1e-3, .relative = 1e-2};
  return {.absolute = 1e-2, .relative = 5e-2};  // bfloat16 and smaller
}

bool accepts(Tolerance tolerance, double expected, double distance) {
  if (distance == 0) return true;
  return std::isfinite(expected) && distance <= tolerance.absolute + tolerance.relative * std::abs(expected);
}

std::vector<double> distances(const Array& expected, const Array& got) {
  std::vector<double> out(static_cast<size_t>(expected.count()));
  for (size_t i = 0; i < out.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    out[i] = distance(element_as_double(expected, at), element_as_double(got, at));
  }
  return out;
}

Comparison compare(const Array& expected, const Array& got, Tolerance tolerance) {
  Comparison out;
  if (expected.dtype() != got.dtype() || expected.shape() != got.shape()) {
    out.mismatch = fmt::format("expected {}, got {}", type_text(expected), type_text(got));
    return out;
  }
  out.count = expected.count();
  for (int64_t i = 0; i < out.count; ++i) {
    const double e = element_as_double(expected, i), g = element_as_double(got, i);
    const double d = distance(e, g);
    if (!accepts(tolerance, e, d) && out.differing++ == 0) out.first = i;
    if (d <= out.largest) continue;
    out.largest = d;
    out.worst = i;
    out.expected = e;
    out.got = g;
  }
  return out;
}

}  // namespace sunmao
