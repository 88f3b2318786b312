// Logarithms, and the inverses of hyperbolic functions.
#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

#include "loop/intrinsics/expansions.h"

namespace sunmao::intrinsics {
namespace {

struct LogFormat {
  int64_t root_half;  // the bits of sqrt(1/2)
  int mantissa_bits;
  double ln2_high, ln2_low;  // ln 2 in two parts; the product of the first with an exponent is exact
  double least_normal, scale;
  int scale_bits, terms;
};
constexpr LogFormat kLogFloat{std::bit_cast<int32_t>(static_cast<float>(std::numbers::sqrt2 / 2)),
                              23,
                              0.693359375,
                              -2.12194440054690583e-4,
                              0x1p-126,
                              0x1p25,
                              25,
                              5};
constexpr LogFormat kLogDouble{std::bit_cast<int64_t>(std::numbers::sqrt2 / 2),
                               52,
                               0.6931471803691238,
                               1.9082149292705877e-10,
                               0x1p-1022,
                               0x1p54,
                               54,
                               11};

// (log(1 + f) - f) / f^2 for 1 + f in [sqrt(1/2), sqrt(2)], fitted to an error of 2^-27 of the logarithm.
constexpr std::array<double, 9> kLogRest{-0.49999988314082927, 0.3333332550719491,   -0.2500158481149784,
                                         0.2000198459394651,   -0.16609056635710787, 0.14181634882220776,
                                         -0.1324298117972349,  0.12905503424785128,  -0.07623061135057096};

// Puts what a logarithm is of 0, infinity, negative numbers and NaN in place of `result`.
Scalar with_ends(const Floats& f, const Scalar& x, const Scalar& result) {
  const Scalar known = choose(f.equals(x, 0), f.number(-kInfinity), choose(f.equals(x, kInfinity), x, result));
  return choose(Binary::make(BinaryOp::Ge, x, f.number(0)), known, f.number(std::nan("")));
}

// The logarithm of float32 to a base whose own logarithm is 1 / `scale`; the logarithm of 2 is `high` + `low`, of which
// the product of the first with an exponent is exact. The greater terms are added with their rounding errors.
Scalar scaled_log(const Floats& f, const Scalar& x, double scale, double high, double low) {
  const auto [k, fraction] = fraction_of(f, x);
  std::vector<double> rest(kLogRest.begin(), kLogRest.end());
  for (double& c : rest) c *= scale;
  const auto lead = static_cast<float>(scale);
  const Scalar first = fraction * f.number(lead);
  Scalar off = fused(fraction, f.number(lead), negated(first));
  off = fraction * f.number(scale - static_cast<double>(lead)) + off;
  if (low != 0) off = off + k * f.number(low);
  const Scalar whole = k * f.number(high), sum = whole + first;
  const Scalar lost = (whole - sum) + first;
  return with_ends(f, x, sum + (lost + (off + fraction * fraction * f.short_polynomial(rest, fraction))));
}

// A number as a sum of two, of which the second is at most a rounding error of the first.
struct Pair {
  Scalar lead, off;
};
Pair sum_of(const Scalar& a, const Scalar& b) {
  const Scalar sum = a + b, added = sum - a;
  return {sum, (a - (sum - added)) + (b - added)};
}

// The logarithm of a pair of float32, times 2^`doublings`.
Scalar log_of_pair(const Floats& f, const Pair& x, const Scalar& doublings) {
  const auto [k, fraction] = fraction_of(f, x.lead);
  const Scalar exponent = k + doublings, whole = exponent * f.number(kLogFloat.ln2_high), sum = whole + fraction;
  const Scalar lost = (whole - sum) + fraction, off = divide(x.off, x.lead) + exponent * f.number(kLogFloat.ln2_low);
  return with_ends(f, x.lead, sum + (lost + (off + fraction * fraction * f.short_polynomial(kLogRest, fraction))));
}

// 1 + x.
Pair one_and(const Floats& f, const Pair& x) {
  const Pair sum = sum_of(f.number(1), x.lead);
  return {sum.lead, sum.off + x.off};
}

// Returns log(near), and log(2 x) from an x on that makes the two alike.
Scalar log_of_near_or_double(const Floats& f, const Pair& near, const Scalar& x) {
  const Scalar is_large = f.above(x, 0x1p30), zero = f.number(0);
  return log_of_pair(f, {choose(is_large, x, near.lead), choose(is_large, zero, near.off)},
                     choose(is_large, f.number(1), zero));
}

// asinh(x) = log(1 + x + x^2 / (1 + root)), where root^2 = x^2 + 1.
Scalar float_asinh(const Floats& f, const Scalar& x) {
  const Scalar size = magnitude(x), root = square_root(fused(size, size, f.number(1)));
  const Pair near = one_and(f, sum_of(size, divide(size * size, f.number(1) + root)));
  return with_sign(log_of_near_or_double(f, near, size), x);
}

// acosh(x) = log(1 + y + root), where y = x - 1 and root^2 = y^2 + 2 y, which is made more exact.
Scalar float_acosh(const Floats& f, const Scalar& x) {
  const Scalar over = x - f.number(1), twice = over + over, square = fused(over, over, twice);
  const Scalar square_off = fused(over, over, twice - square), root = square_root(square);
  const Scalar lost = fused(negated(root), root, square) + square_off;
  const Scalar root_off = choose(f.above(root, 0), divide(lost, root + root), f.number(0));
  const Pair sum = sum_of(root, over);
  const Scalar known = log_of_near_or_double(f, one_and(f, {sum.lead, sum.off + root_off}), x);
  return choose(f.below(x, 1), f.number(std::nan("")), known);
}

// atanh(x) = log(1 + 2 x / (1 - x)) / 2.
Scalar float_atanh(const Floats& f, const Scalar& x) {
  const Scalar size = magnitude(x), twice = size + size;
  const Pair under = sum_of(f.number(1), negated(size));
  const Scalar quotient = divide(twice, under.lead);
  const Scalar lost = fused(negated(quotient), under.lead, twice) - quotient * under.off;
  const Pair one_and_quotient = one_and(f, {quotient, divide(lost, under.lead)});
  return with_sign(f.number(0.5) * log_of_pair(f, one_and_quotient, f.number(0)), x);
}

}  // namespace

Fraction fraction_of(const Floats& f, const Scalar& x) {
  const LogFormat& c = f.is_double() ? kLogDouble : kLogFloat;
  const Scalar is_tiny = f.below(x, c.least_normal);
  const Scalar bits = f.bits(choose(is_tiny, x * f.number(c.scale), x)) - f.word(c.root_half);
  const Scalar mantissa = bit_and(bits, f.word((int64_t{1} << c.mantissa_bits) - 1));
  const Scalar k = f.of_value(shifted_right(bits, f.word(c.mantissa_bits)));
  return {choose(is_tiny, k - f.number(c.scale_bits), k), f.of_bits(mantissa + f.word(c.root_half)) - f.number(1)};
}

// log(x) = k ln 2 + log(m), m in [sqrt(1/2), sqrt(2)); log(m) = 2 atanh(s), s = (m - 1) / (m + 1).
Scalar log(const Floats& f, const Scalar& x) {
  const LogFormat& c = f.is_double() ? kLogDouble : kLogFloat;
  const auto [k, fraction] = fraction_of(f, x);
  const Scalar s = divide(fraction, f.number(2) + fraction), z = s * s;
  std::vector<double> series;
  for (int i = 0; i < c.terms; ++i) series.push_back(2.0 / (2 * i + 3));
  const Scalar rest = s * z * f.polynomial(series, z);
  return with_ends(f, x, k * f.number(c.ln2_high) + ((s + s) + (rest + k * f.number(c.ln2_low))));
}

Scalar log2(const Floats& f, const Scalar& x) {
  return f.is_double() ? divide(log(f, x), f.number(std::numbers::ln2)) : scaled_log(f, x, std::numbers::log2e, 1, 0);
}

Scalar log10(const Floats& f, const Scalar& x) {
  return f.is_double() ? divide(log(f, x), f.number(std::numbers::ln10))
                       : scaled_log(f, x, std::numbers::log10e, 0.301025390625, 4.605038981195214e-06);
}

// In float64, log(1 + x) is corrected by the rounding error of 1 + x.
Scalar log1p(const Floats& f, const Scalar& x) {
  if (!f.is_double()) return choose(f.equals(x, 0), x, log_of_pair(f, sum_of(f.number(1), x), f.number(0)));
  const Scalar w = f.number(1) + x, plain = log(f, w);
  const Scalar lost = divide(x - (w - f.number(1)), w);
  const Scalar is_end = either(f.equals(w, 0), f.equals(w, kInfinity));
  return with_sign(choose(is_end, plain, plain + lost), x);
}

Scalar asinh(const Floats& f, const Scalar& x) {
  if (!f.is_double()) return float_asinh(f, x);
  const Scalar size = magnitude(x), square = size * size;
  const Scalar near = log1p(f, size + divide(square, f.number(1) + square_root(f.number(1) + square)));
  return with_sign(choose(f.above(size, 1e150), log(f, size) + f.number(std::numbers::ln2), near), x);
}

Scalar acosh(const Floats& f, const Scalar& x) {
  if (!f.is_double()) return float_acosh(f, x);
  const Scalar over = x - f.number(1);
  const Scalar near = log1p(f, over + square_root(over * (x + f.number(1))));
  const Scalar known = choose(f.above(x, 1e150), log(f, x) + f.number(std::numbers::ln2), near);
  return choose(f.below(x, 1), f.number(std::nan("")), known);
}

Scalar atanh(const Floats& f, const Scalar& x) {
  if (!f.is_double()) return float_atanh(f, x);
  const Scalar size = magnitude(x);
  const Scalar twice = divide(f.number(2) * size, f.number(1) - size);
  return with_sign(f.number(0.5) * log1p(f, twice), x);
}

}  // namespace sunmao::intrinsics
