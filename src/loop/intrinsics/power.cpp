// Powers, and the length of a vector of two.
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "loop/intrinsics/expansions.h"

namespace sunmao::intrinsics {
namespace {

// log2(1 + f) / f for 1 + f in [sqrt(1/2), sqrt(2)], fitted to an error of 2^-35 of the logarithm.
constexpr std::array<double, 13> kLog2{
    1.4426950408687045,   -0.721347520868752,  0.4808983613956203,  -0.3606736748292759, 0.2885372934637171,
    -0.24045316550928522, 0.20617535955581734, -0.1803006032369942, 0.15876980277709776, -0.14315644250760853,
    0.14474842272913696,  -0.1428393845110155, 0.07737047712726045};
// 2^r on [-1/2, 1/2], fitted to an error of 2^-29.
constexpr std::array<double, 7> kPowerOfTwo{0.9999999999190896,  0.6931472067096496,   0.24022651504894207,
                                            0.05550327215761221, 0.009617994531352453, 0.0013400431668782115,
                                            0.000154780176934467};

// The power of a finite number greater than 0, of float32, computed in float64: an exponent of up to 150 multiplies the
// error of the logarithm.
Scalar float_power(const Floats& f, const Scalar& x, const Scalar& y) {
  const Floats d = f.doubled();
  const auto [k, narrow] = fraction_of(f, x);
  const Scalar fraction = d.of_value(narrow);
  const Scalar log = fraction * d.short_polynomial(kLog2, fraction) + d.of_value(k);
  const Scalar exponent = d.clamped(d.of_value(y) * log, -200, 200);
  const Scalar magic = d.number(6755399441055744.0), shifted = exponent + magic, r = exponent - (shifted - magic);
  const Scalar power = d.bits(d.short_polynomial(kPowerOfTwo, r)) + shifted_left(d.bits(shifted), d.word(52));
  return f.of_value(d.of_bits(power));
}

Scalar less(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Lt, a, b); }

// The power of a magnitude, which may be 0 or infinite.
Scalar power_of_magnitude(const Floats& f, const Scalar& size, const Scalar& power, const Scalar& y) {
  const Scalar is_end = either(f.equals(size, 0), f.equals(size, kInfinity)), is_up = f.below(y, 0);
  const Scalar is_zero = differs(f.equals(size, 0), is_up);  // either 0 or a negative exponent
  const Scalar great = choose(Binary::make(BinaryOp::Gt, size, f.number(1)), f.number(kInfinity), f.number(0));
  const Scalar small = choose(Binary::make(BinaryOp::Gt, size, f.number(1)), f.number(0), f.number(kInfinity));
  const Scalar of_endless = choose(is_up, small, great), is_endless = f.equals(magnitude(y), kInfinity);
  return choose(is_end, choose(is_zero, f.number(0), f.number(kInfinity)), choose(is_endless, of_endless, power));
}

// C's special cases: signs, infinities, NaN, and what is 1 whatever the other operand is.
Scalar with_special_powers(const Floats& f, const Scalar& x, const Scalar& y, const Scalar& size, const Scalar& power) {
  const Scalar is_whole = Binary::make(BinaryOp::Eq, truncated(y), y), half = y * f.number(0.5);
  const Scalar is_odd = both(is_whole, differs(truncated(half), half));
  const Scalar is_negative = f.below(with_sign(f.number(1), x), 0);
  const Scalar with_its_sign = choose(both(is_negative, is_odd), negated(power), power);
  const Scalar has_none = both(both(f.below(x, 0), Not::make(is_whole)), f.below(size, kInfinity));
  const Scalar is_unknown = either(has_none, either(is_nan(x), is_nan(y)));
  const Scalar out = choose(is_unknown, f.number(std::nan("")), with_its_sign);
  const Scalar is_unit = both(f.equals(size, 1), f.equals(magnitude(y), kInfinity));
  return choose(either(either(f.equals(y, 0), f.equals(x, 1)), is_unit), f.number(1), out);
}

}  // namespace

Scalar pow(const Floats& f, const Scalar& x, const Scalar& y) {
  const Scalar size = magnitude(x);
  if (f.is_double()) return with_special_powers(f, x, y, size, exp(f, y * log(f, size)));
  return let(float_power(f, size, y), [&](const Scalar& power) {
    const Scalar endless = f.bits(f.number(kInfinity));
    const Scalar is_usual =
        both(both(less(f.word(0), f.bits(x)), less(f.bits(x), endless)), less(f.bits(magnitude(y)), endless));
    const Scalar all = with_special_powers(f, x, y, size, power_of_magnitude(f, size, power, y));
    return branch(Not::make(is_usual), all, power);
  });
}

// If one operand is infinite, the result is, even with NaN.
Scalar hypot(const Floats& f, const Scalar& x, const Scalar& y) {
  const Scalar a = magnitude(x), b = magnitude(y);
  Scalar length;
  if (f.is_double()) {  // the larger operand is factored out, so that squares do not overflow
    const Scalar is_first = Binary::make(BinaryOp::Gt, a, b), large = choose(is_first, a, b);
    const Scalar ratio = divide(choose(is_first, b, a), choose(f.equals(large, 0), f.number(1), large));
    length = large * square_root(f.number(1) + ratio * ratio);
  } else {
    const Floats d = f.doubled();
    const Scalar p = d.of_value(x), q = d.of_value(y);
    length = f.of_value(square_root(p * p + q * q));
  }
  return choose(either(f.equals(a, kInfinity), f.equals(b, kInfinity)), f.number(kInfinity), length);
}

}  // namespace sunmao::intrinsics
