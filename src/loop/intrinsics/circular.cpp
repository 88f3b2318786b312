// Circular functions.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "loop/intrinsics/expansions.h"

namespace sunmao::intrinsics {
namespace {

// A quarter turn in parts of 25 bits, whose product with an integer of up to 28 bits is exact.
constexpr std::array<double, 4> kQuarterTurn{0x1.921fb50000000p+0, 0x1.110b460000000p-26, 0x1.1a62630000000p-54,
                                             0x1.8a2e030000000p-81};
// A quarter turn in parts of float32.
constexpr std::array<double, 3> kFloatQuarterTurn{0x1.921fb6p+0, -0x1.777a5cp-25, -0x1.ee59dap-50};
// Up to this magnitude those three parts leave the angle with an error of less than a spacing of float32.
constexpr double kModerate = 0x1p17;

// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2, for |r| <= 0.81, fitted to errors of 2^-37 and 2^-42.
constexpr std::array<double, 4> kSine{-0.1666666663387494, 0.008333328501591563, -0.00019839056018059478,
                                      2.715712141512881e-06};
constexpr std::array<double, 4> kCosine{0.04166666660452535, -0.0013888882267331017, 2.4799148015758356e-05,
                                        -2.718093687881281e-07};

// 2 / pi in words of 32 bits, of which the first bit stands for 2^7.
constexpr std::array<int64_t, 7> kTwoOverPi{0x00a2f983, 0x6e4e4415, 0x29fc2757, 0xd1f534dd,
                                            0xc0db6295, 0x993c4390, 0x41fe5163};

// Returns 1 / first!, -1 / (first + 2)!, …
std::vector<double> alternating_factorials(int first, int count) {
  std::vector<double> out;
  double value = 1;
  int at = 0;
  for (int i = 0; i < count; ++i) {
    for (; at < first + 2 * i; ++at) value /= at + 1;
    out.push_back(i % 2 ? -value : value);
  }
  return out;
}

// An angle is `quarters` quarter turns (of which the last two bits count) and `rest` + `off`.
struct Angle {
  Scalar quarters, rest, off;
};

// Cody and Waite's reduction of float32, for moderate magnitudes. The second part is subtracted with its rounding
// errors, since what is left may be small.
Angle moderate_angle(const Floats& f, const Scalar& x) {
  const auto& part = kFloatQuarterTurn;
  const Scalar magic = f.number(12582912.0), shifted = x * f.number(2 / std::numbers::pi) + magic, n = shifted - magic;
  const Scalar first = fused(n, f.number(-part[0]), x), second = n * f.number(-part[1]);
  const Scalar second_off = fused(n, f.number(-part[1]), negated(second)), rest = first + second;
  const Scalar added = rest - first, lost = (first - (rest - added)) + (second - added);
  return {f.bits(shifted), rest, fused(n, f.number(-part[2]), lost + second_off)};
}

// The same for targets without `fma`, in float64.
Angle moderate_angle_in_double(const Floats& f, const Scalar& x) {
  const Floats d = f.doubled();
  const Scalar wide = d.of_value(x), magic = d.number(6755399441055744.0);
  const Scalar shifted = wide * d.number(2 / std::numbers::pi) + magic, n = shifted - magic;
  Scalar rest = wide;
  for (double part : kQuarterTurn) rest = rest - n * d.number(part);
  const Scalar lead = f.of_value(rest);
  return {Cast::make(DType::int_(32, f.dtype().lanes), d.bits(shifted)), lead, f.of_value(rest - d.of_value(lead))};
}

// Payne and Hanek's reduction of float32, for all magnitudes from kModerate on: the mantissa times 96 bits of 2 / pi,
// from the bit on that counts two quarter turns.
Angle great_angle(const Floats& f, const Scalar& x) {
  const DType wide = DType::uint(64, f.dtype().lanes);
  const Floats d = f.doubled();
  auto word = [&](int64_t v) { return Cast::make(wide, d.word(v)); };
  const Scalar bits = f.bits(x), mantissa = bit_or(bit_and(bits, f.word(0x7fffff)), f.word(0x800000));
  const Scalar at = bit_and(shifted_right(bits, f.word(23)), f.word(255)) - f.word(144);
  const Scalar place = Cast::make(wide, at), shift = bit_and(place, word(31)), index = shifted_right(place, word(5));
  auto table_at = [&](size_t offset) {
    Scalar out = word(kTwoOverPi[offset]);
    for (int64_t i = 1; i < 4; ++i)
      out = choose(Binary::make(BinaryOp::Eq, index, word(i)), word(kTwoOverPi[offset + static_cast<size_t>(i)]), out);
    return out;
  };
  const Scalar high = bit_or(shifted_left(table_at(0), word(32)), table_at(1)), next = table_at(2);
  const Scalar low = bit_or(shifted_left(next, word(32)), table_at(3));
  const Scalar first = bit_or(shifted_left(high, shift), shifted_right(next, word(32) - shift));
  const Scalar second = shifted_right(shifted_left(low, shift), word(32)), m = Cast::make(wide, mantissa);
  const Scalar turn = m * first + shifted_right(m * second, word(32));  // 2^62 are a quarter turn
  const Scalar quarters = shifted_right(turn + word(int64_t{1} << 61), word(62));
  const Scalar is_negative = f.below(x, 0);
  const Scalar signed_rest = Cast::make(DType::int_(64, f.dtype().lanes), shifted_left(turn, word(2)));
  const Scalar size = d.of_value(signed_rest) * d.number(std::numbers::pi / 2 * 0x1p-64);
  const Scalar rest = choose(is_negative, negated(size), size), lead = f.of_value(rest);
  const Scalar count = Cast::make(DType::int_(32, f.dtype().lanes), quarters);
  return {choose(is_negative, f.word(0) - count, count), lead, f.of_value(rest - d.of_value(lead))};
}

// The sine and the cosine of the rest, each as a sum of a number and what is small beside it.
struct Sum {
  Scalar lead, off;
};
Sum sine_of(const Floats& f, const Angle& a) {
  const Scalar z = a.rest * a.rest;
  return {a.rest, a.rest * z * f.polynomial(kSine, z) + a.off};
}
Sum cosine_of(const Floats& f, const Angle& a) {
  const Scalar z = a.rest * a.rest, half = f.number(0.5) * z, lead = f.number(1) - half;
  const Scalar lost = (f.number(1) - lead) - half;
  return {lead, lost + (z * z * f.polynomial(kCosine, z) - a.rest * a.off)};
}

// The sine of the angle and `turn` quarter turns.
Scalar turned_sine(const Floats& f, const Angle& a, int turn) {
  const Scalar quarters = turn == 0 ? a.quarters : a.quarters + f.word(turn);
  const Sum sine = sine_of(f, a), cosine = cosine_of(f, a);
  const Scalar is_even = Binary::make(BinaryOp::Eq, bit_and(quarters, f.word(1)), f.word(0));
  const Scalar size = choose(is_even, sine.lead + sine.off, cosine.lead + cosine.off);
  const Scalar sign = shifted_left(bit_and(quarters, f.word(2)), f.word(30));
  return f.of_bits(bit_xor(f.bits(size), sign));
}

Scalar tangent(const Floats& f, const Angle& a) {
  const Scalar is_even = Binary::make(BinaryOp::Eq, bit_and(a.quarters, f.word(1)), f.word(0));
  auto exact = [](const Sum& s) {  // such that the greater part is the rounded sum
    const Scalar sum = s.lead + s.off;
    return Sum{sum, s.off - (sum - s.lead)};
  };
  const Sum sine = exact(sine_of(f, a)), cosine = exact(cosine_of(f, a));
  const Scalar over = choose(is_even, sine.lead, cosine.lead), over_off = choose(is_even, sine.off, cosine.off);
  const Scalar under = choose(is_even, cosine.lead, sine.lead), under_off = choose(is_even, cosine.off, sine.off);
  if (!f.has_fma()) {
    const Floats d = f.doubled();
    const Scalar wide = divide(d.of_value(over) + d.of_value(over_off), d.of_value(under) + d.of_value(under_off));
    return choose(is_even, f.of_value(wide), negated(f.of_value(wide)));
  }
  const Scalar quotient = divide(over, under);
  const Scalar left = fused(negated(quotient), under, over) + (over_off - quotient * under_off);
  const Scalar size = quotient + divide(left, under);
  return choose(is_even, size, negated(size));
}

// Applies `of` to the reduced angle of float32. A great magnitude in any lane takes the slower path.
template <class Of>
Scalar of_angle(const Floats& f, const Scalar& x, const Of& of) {
  const Scalar size = magnitude(x);
  const Scalar is_great = Not::make(f.below(size, kModerate));
  const Angle usual = f.has_fma() ? moderate_angle(f, x) : moderate_angle_in_double(f, x), great = great_angle(f, x);
  const Angle any{choose(is_great, great.quarters, usual.quarters), choose(is_great, great.rest, usual.rest),
                  choose(is_great, great.off, usual.off)};
  const Scalar is_finite = f.below(size, kInfinity);
  return branch(is_great, choose(is_finite, of(any), f.number(std::nan(""))), of(usual));
}

// sin or cos of x = n * pi / 2 + r with |r| <= pi / 4, of float64: n selects sin(r) or cos(r), and the sign.
Scalar circular(const Floats& f, const Scalar& x, int quarter) {
  const Scalar n = nearest(x * f.number(2 / std::numbers::pi));
  Scalar r = x;
  for (double part : kQuarterTurn) r = r - n * f.number(part);
  // For huge x the argument reduction has no valid digits, so its result r is clamped.
  r = f.clamped(r, -1, 1);
  const Scalar z = r * r;
  const Scalar sine = r * f.polynomial(alternating_factorials(1, 9), z),
               cosine = f.polynomial(alternating_factorials(0, 10), z);
  // n modulo 4 in floating point, since a conversion to integer could overflow.
  const Scalar place = quarter == 0 ? n : n + f.number(quarter);
  const Scalar fourth = place - f.number(4) * ScalarCall::make("floor", f.dtype(), {place * f.number(0.25)});
  const Scalar known = choose(either(f.equals(fourth, 1), f.equals(fourth, 3)), cosine, sine);
  const Scalar turned = choose(f.above(fourth, 1.5), negated(known), known);
  return quarter == 0 ? choose(f.equals(x, 0), x, turned) : turned;
}

}  // namespace

Scalar sin(const Floats& f, const Scalar& x) {
  if (f.is_double()) return circular(f, x, 0);
  const Scalar sine = of_angle(f, x, [&](const Angle& a) { return turned_sine(f, a, 0); });
  return choose(f.equals(x, 0), x, sine);
}

Scalar cos(const Floats& f, const Scalar& x) {
  if (f.is_double()) return circular(f, x, 1);
  return of_angle(f, x, [&](const Angle& a) { return turned_sine(f, a, 1); });
}

Scalar tan(const Floats& f, const Scalar& x) {
  if (f.is_double()) return divide(circular(f, x, 0), circular(f, x, 1));
  const Scalar size = of_angle(f, x, [&](const Angle& a) { return tangent(f, a); });
  return choose(f.equals(x, 0), x, size);
}

}  // namespace sunmao::intrinsics
