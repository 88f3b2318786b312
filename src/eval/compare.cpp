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
    if (d == 0 || (tolerance.only_finite && !std::isfinite(d))) continue;
    const bool is_near = std::isfinite(e) && d <= tolerance.absolute + tolerance.relative * std::abs(e);
    if (!is_near && out.differing++ == 0) out.first = i;
    if (d <= out.largest) continue;
    out.largest = d;
    out.worst = i;
    out.expected = e;
    out.got = g;
  }
  return out;
}

}  // namespace sunmao
