// Inverses of circular functions. Those of float32 are a known angle and what is left, which is small: its rounding
// error is added apart.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "loop/intrinsics/expansions.h"

namespace sunmao::intrinsics {
namespace {

constexpr double kHalfTurn = std::numbers::pi;

// (atan(t) - t) / t^3 in t^2 for t in [0, 1], fitted to an error of 2^-28 of the angle.
constexpr std::array<double, 9> kArcTangent{-0.33333299089146284,  0.19998548284931086,  -0.14264241686741816,
                                            0.10952185805604442,   -0.0840345040466167,  0.0579575946588942,
                                            -0.031177846735659567, 0.010914606126030827, -0.0017936217735097812};
// (asin(t) - t) / t^3 in t^2 for t in [0, 1/2], fitted to an error of 2^-31 of the angle.
constexpr std::array<double, 6> kArcSine{0.16666659871894465, 0.07500510918261886,  0.044515720079709636,
                                         0.03181761355150859, 0.014402597328519055, 0.037565214502225885};

// Returns base + lead + off, for |lead| <= base unless that is 0. `base` is a multiple of pi / 2, rounded to float32
// twice.
Scalar beside(const Floats& f, const Scalar& base, const Scalar& lead, const Scalar& off) {
  const Scalar sum = base + lead, lost = (base - sum) + lead;
  // What float32 rounds pi by is in proportion to the multiple.
  constexpr double kRounded = static_cast<float>(kHalfTurn);
  return sum + (lost + (off + base * f.number((kHalfTurn - kRounded) / kRounded)));
}

// The angle whose tangent is `ratio` + `off`, in [0, 1], is ratio plus what this returns.
Scalar arc_rest(const Floats& f, const Scalar& ratio, const Scalar& off) {
  const Scalar z = ratio * ratio;
  return ratio * z * f.short_polynomial(kArcTangent, z) + off * (f.number(1) - f.number(0.5) * z);
}

// atan(x) = pi / 2 - atan(1 / x) for x > 1.
Scalar float_atan(const Floats& f, const Scalar& x) {
  constexpr double kGreat = 0x1p100;  // its angle is rounded to pi / 2
  const Scalar own = magnitude(x), size = choose(f.above(own, kGreat), f.number(kGreat), own);
  const Scalar is_big = f.above(size, 1), inverse = divide(f.number(1), size);
  const Scalar ratio = choose(is_big, inverse, size);
  const Scalar lost = choose(is_big, fused(negated(inverse), size, f.number(1)) * inverse, f.number(0));
  const Scalar rest = arc_rest(f, ratio, lost), base = choose(is_big, f.number(kHalfTurn / 2), f.number(0));
  return with_sign(beside(f, base, choose(is_big, negated(ratio), ratio), choose(is_big, negated(rest), rest)), x);
}

// The angle from the nearer axis, whose tangent is at most 1, added to that of the axis or subtracted from it.
Scalar float_atan2(const Floats& f, const Scalar& y, const Scalar& x) {
  const Scalar high = magnitude(y), far = magnitude(x), is_steep = Binary::make(BinaryOp::Gt, high, far);
  const Scalar is_left = Binary::make(BinaryOp::Lt, f.bits(x), f.word(0));
  const Scalar most = choose(is_steep, high, far), least = choose(is_steep, far, high);
  const Scalar is_small = f.below(most, 0x1p-60);  // then what a quotient lacks could be below all numbers
  auto grown = [&](const Scalar& v) { return choose(is_small, v * f.number(0x1p80), v); };
  const Scalar over = grown(least), under = choose(f.equals(most, 0), f.number(1), grown(most));
  const Scalar is_endless = f.equals(most, kInfinity), quotient = divide(over, under);
  const Scalar corner = choose(f.equals(least, kInfinity), f.number(1), f.number(0));
  const Scalar ratio = choose(is_endless, corner, quotient);
  const Scalar lost = divide(fused(negated(quotient), under, over), under);
  const Scalar rest = arc_rest(f, ratio, choose(is_endless, f.number(0), lost));
  const Scalar of_flat = choose(is_left, f.number(kHalfTurn), f.number(0));
  const Scalar base = choose(is_steep, f.number(kHalfTurn / 2), of_flat), goes_back = differs(is_steep, is_left);
  const Scalar angle =
      beside(f, base, choose(goes_back, negated(ratio), ratio), choose(goes_back, negated(rest), rest));
  return choose(either(is_nan(x), is_nan(y)), f.number(std::nan("")), with_sign(angle, y));
}

// For magnitudes above 1/2 the angle at the other corner, whose sine is the root of (1 - |x|) / 2, counts twice.
struct HalfAngle {
  Scalar is_outer, sine, rest;
};
HalfAngle half_angle(const Floats& f, const Scalar& size) {
  const Scalar is_outer = f.above(size, 0.5), part = f.number(0.5) * (f.number(1) - size);
  const Scalar root = square_root(part), z = choose(is_outer, part, size * size);
  const Scalar lost = divide(fused(negated(root), root, part), root + root);
  const Scalar is_root = both(is_outer, f.above(root, 0)), sine = choose(is_outer, root, size);
  const Scalar rest = sine * z * f.short_polynomial(kArcSine, z);
  return {is_outer, sine, choose(is_root, rest + lost, rest)};
}

Scalar float_asin(const Floats& f, const Scalar& x) {
  const auto [is_outer, sine, rest] = half_angle(f, magnitude(x));
  const Scalar base = choose(is_outer, f.number(kHalfTurn / 2), f.number(0)), minus_two = f.number(-2);
  return with_sign(beside(f, base, choose(is_outer, sine * minus_two, sine), choose(is_outer, rest * minus_two, rest)),
                   x);
}

Scalar float_acos(const Floats& f, const Scalar& x) {
  const auto [is_outer, sine, rest] = half_angle(f, magnitude(x));
  const Scalar is_left = f.below(x, 0), of_outer = choose(is_left, f.number(kHalfTurn), f.number(0));
  const Scalar base = choose(is_outer, of_outer, f.number(kHalfTurn / 2));
  const Scalar of_left = choose(is_outer, f.number(-2), f.number(1));
  const Scalar times = choose(is_left, of_left, choose(is_outer, f.number(2), f.number(-1)));
  return beside(f, base, sine * times, rest * times);
}

}  // namespace

// atan(x) = pi / 2 - atan(1 / x) for x > 1; then the nearest of the angles 0, pi / 8 and pi / 4 is subtracted.
Scalar atan(const Floats& f, const Scalar& x) {
  if (!f.is_double()) return float_atan(f, x);
  const Scalar size = magnitude(x), is_big = f.above(size, 1);
  const Scalar y = choose(is_big, divide(f.number(1), size), size);
  constexpr double kEighth = 0.4142135623730950488;  // tan(pi / 8)
  const Scalar is_high = f.above(y, 0.66817863791929892), is_middle = f.above(y, 0.19891236737965801);
  const Scalar c = choose(is_high, f.number(1), choose(is_middle, f.number(kEighth), f.number(0)));
  const Scalar base = choose(is_high, f.number(kHalfTurn / 4), choose(is_middle, f.number(kHalfTurn / 8), f.number(0)));
  const Scalar t = divide(y - c, f.number(1) + y * c);
  std::vector<double> series;
  for (int i = 0; i < 13; ++i) series.push_back((i % 2 ? -1.0 : 1.0) / (2 * i + 1));
  const Scalar angle = base + t * f.polynomial(series, t * t);
  return with_sign(choose(is_big, f.number(kHalfTurn / 2) - angle, angle), x);
}

// In float64 the factors 1 - x and 1 + x avoid cancellation near 1 and -1.
Scalar asin(const Floats& f, const Scalar& x) {
  if (!f.is_double()) return float_asin(f, x);
  return atan(f, divide(x, square_root((f.number(1) - x) * (f.number(1) + x))));
}
Scalar acos(const Floats& f, const Scalar& x) {
  if (!f.is_double()) return float_acos(f, x);
  return f.number(2) * atan(f, square_root(divide(f.number(1) - x, f.number(1) + x)));
}

Scalar atan2(const Floats& f, const Scalar& y, const Scalar& x) {
  if (!f.is_double()) return float_atan2(f, y, x);
  const Scalar high = magnitude(y), far = magnitude(x);
  const Scalar is_origin = both(f.equals(high, 0), f.equals(far, 0));
  const Scalar is_corner = both(f.equals(high, kInfinity), f.equals(far, kInfinity));
  const Scalar ratio = choose(is_corner, f.number(1), choose(is_origin, f.number(0), divide(high, far)));
  const Scalar angle = atan(f, ratio);
  const Scalar is_left = f.below(with_sign(f.number(1), x), 0);
  const Scalar turned = with_sign(choose(is_left, f.number(kHalfTurn) - angle, angle), y);
  return choose(either(is_nan(x), is_nan(y)), f.number(std::nan("")), turned);
}

}  // namespace sunmao::intrinsics
