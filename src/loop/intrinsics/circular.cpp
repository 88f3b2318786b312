// Circular functions.
#include <array>
#include <cmath>
#include <functional>
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
// Up to this magnitude either parts leave the angle with an error of less than a spacing of it.
constexpr double kModerate = 0x1p17;

// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4 in r^2, for |r| <= 0.81, fitted to errors of 2^-37 and 2^-42.
constexpr std::array<double, 4> kSine{-0.1666666663387494, 0.008333328501591563, -0.00019839056018059478,
                                      2.715712141512881e-06};
constexpr std::array<double, 4> kCosine{0.04166666660452535, -0.0013888882267331017, 2.4799148015758356e-05,
                                        -2.718093687881281e-07};

// 2 / pi in words of 32 bits, of which the first bit stands for 2^7.
constexpr std::array<int64_t, 7> kTwoOverPi{0x00a2f983, 0x6e4e4415, 0x29fc2757, 0xd1f534dd,
                                            0xc0db6295, 0x993c4390, 0x41fe5163};

// 2 / pi in words of 32 bits, for all of float64.
constexpr std::array<int64_t, 38> kLongTwoOverPi{
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab};

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

// The reduced angle of float64: `rest` is within half a quarter turn.
struct WideAngle {
  Scalar quarters, rest;
};

// Cody and Waite's reduction of float64, for moderate magnitudes.
WideAngle moderate_wide_angle(const Floats& f, const Scalar& x) {
  const Scalar magic = f.number(6755399441055744.0), shifted = x * f.number(2 / std::numbers::pi) + magic;
  const Scalar n = shifted - magic;
  Scalar rest = x;
  for (double part : kQuarterTurn) rest = rest - n * f.number(part);
  return {f.bits(shifted), rest};
}

// Returns `count` words of 2 / pi from word `index` on, which is below 64. By each bit of the index, all move or stay.
std::vector<Scalar> words_from(const Scalar& index, size_t count, const std::function<Scalar(int64_t)>& word) {
  std::vector<Scalar> words{word(0), word(0)};
  for (int64_t w : kLongTwoOverPi) words.push_back(word(w));
  for (size_t step = 32; step > 0; step /= 2) {
    const Scalar moves = differs(bit_and(index, word(static_cast<int64_t>(step))), word(0));
    std::vector<Scalar> left;
    for (size_t i = 0; i < count + step - 1; ++i) {
      const Scalar there = i + step < words.size() ? words[i + step] : word(0), here = words[i];
      left.push_back(choose(moves, there, here));
    }
    words = std::move(left);
  }
  return words;
}

// Payne and Hanek's reduction of float64, for all magnitudes from kModerate on: the mantissa times 192 bits of 2 / pi,
// from the bit on that counts two quarter turns. Words have 32 bits.
WideAngle great_wide_angle(const Floats& f, const Scalar& x) {
  constexpr size_t kWords = 6;
  constexpr int64_t kFirstPlace = 1013;  // the exponent whose two quarter turns are the first bit of the words
  const DType wide = DType::uint(64, f.dtype().lanes), whole = DType::int_(64, f.dtype().lanes);
  const auto word = [&](int64_t v) { return Cast::make(wide, f.word(v)); };
  const auto low_half = [&](const Scalar& v) { return bit_and(v, word(0xffffffff)); };
  const auto high_half = [&](const Scalar& v) { return shifted_right(v, word(32)); };
  const Scalar bits = Cast::make(wide, f.bits(x));
  const Scalar mantissa = bit_or(bit_and(bits, word((int64_t{1} << 52) - 1)), word(int64_t{1} << 52));
  // Smaller exponents belong to other lanes.
  const Scalar place = bit_and(bit_and(shifted_right(bits, word(52)), word(0x7ff)) - word(kFirstPlace), word(0x7ff));
  const Scalar shift = bit_and(place, word(31));
  const std::vector<Scalar> from = words_from(bit_and(shifted_right(place, word(5)), word(63)), kWords + 1, word);
  std::vector<Scalar> p;  // the words from that bit on, the least one first
  for (size_t i = kWords; i-- > 0;)
    p.push_back(low_half(shifted_right(bit_or(shifted_left(from[i], word(32)), from[i + 1]), word(32) - shift)));
  const Scalar low = low_half(mantissa), high = high_half(mantissa);
  std::vector<Scalar> product;
  Scalar carry = word(0);
  for (size_t i = 0; i < kWords; ++i) {
    Scalar sum = carry + low_half(low * p[i]);
    if (i > 0) sum = sum + high_half(low * p[i - 1]) + low_half(high * p[i - 1]);
    if (i > 1) sum = sum + high_half(high * p[i - 2]);
    product.push_back(low_half(sum));
    carry = high_half(sum);
  }
  const auto pair = [&](size_t i) { return bit_or(shifted_left(product[i], word(32)), product[i - 1]); };
  const Scalar turn = pair(5), behind = pair(3);  // 2^62 are a quarter turn
  const Scalar quarters = shifted_right(turn + word(int64_t{1} << 61), word(62));
  const Scalar first = Cast::make(whole, bit_or(shifted_left(turn, word(2)), shifted_right(behind, word(62)))),
               second = bit_or(shifted_left(behind, word(2)), shifted_right(product[1], word(30)));
  const auto number = [&](const Scalar& v) { return f.of_value(Cast::make(whole, v)); };
  const Scalar upper = f.of_value(shifted_right(first, f.word(32))) * f.number(0x1p32),
               lower = number(low_half(Cast::make(wide, first)));
  // Four parts of 32 bits: the sum of the first three may cancel down to the last one.
  const Scalar third = number(high_half(second)) * f.number(0x1p-32),
               fourth = number(low_half(second)) * f.number(0x1p-64);
  const Scalar two = upper + lower, two_off = lower - (two - upper), three = two + third,
               three_off = third - (three - two);
  const Scalar behind_three = (two_off + three_off) + fourth;
  const Scalar sum = three + behind_three, off = behind_three - (sum - three);
  constexpr double kLead = 0x1.921fb54442d18p+0, kOff = 0x1.1a62633145c07p-54;  // a quarter turn
  const Scalar size = (sum * f.number(kLead) + (sum * f.number(kOff) + off * f.number(kLead))) * f.number(0x1p-64);
  const Scalar is_negative = f.below(x, 0), count = Cast::make(whole, quarters);
  return {choose(is_negative, f.word(0) - count, count), choose(is_negative, negated(size), size)};
}

// The sine and the cosine of the rest.
std::array<Scalar, 2> sine_and_cosine(const Floats& f, const WideAngle& a) {
  const Scalar z = a.rest * a.rest;
  return {a.rest * f.polynomial(alternating_factorials(1, 9), z), f.polynomial(alternating_factorials(0, 10), z)};
}
Scalar has_even_quarters(const Floats& f, const Scalar& quarters) {
  return Binary::make(BinaryOp::Eq, bit_and(quarters, f.word(1)), f.word(0));
}

// The sine of the angle and `turn` quarter turns.
Scalar turned_sine(const Floats& f, const WideAngle& a, int turn) {
  const Scalar quarters = turn == 0 ? a.quarters : a.quarters + f.word(turn);
  const auto [sine, cosine] = sine_and_cosine(f, a);
  const Scalar size = choose(has_even_quarters(f, quarters), sine, cosine);
  return f.of_bits(bit_xor(f.bits(size), shifted_left(bit_and(quarters, f.word(2)), f.word(62))));
}

Scalar tangent(const Floats& f, const WideAngle& a) {
  const auto [sine, cosine] = sine_and_cosine(f, a);
  const Scalar is_even = has_even_quarters(f, a.quarters);
  const Scalar size = divide(choose(is_even, sine, cosine), choose(is_even, cosine, sine));
  return choose(is_even, size, negated(size));
}

// Applies `of` to the reduced angle of float64, as `of_angle` does.
template <class Of>
Scalar of_wide_angle(const Floats& f, const Scalar& x, const Of& of) {
  const Scalar size = magnitude(x), is_great = Not::make(f.below(size, kModerate));
  const WideAngle usual = moderate_wide_angle(f, x), great = great_wide_angle(f, x);
  const WideAngle any{choose(is_great, great.quarters, usual.quarters), choose(is_great, great.rest, usual.rest)};
  const Scalar is_finite = f.below(size, kInfinity);
  return branch(is_great, choose(is_finite, of(any), f.number(std::nan(""))), of(usual));
}

}  // namespace

Scalar sin(const Floats& f, const Scalar& x) {
  const auto sine = [&](const auto& angle) { return turned_sine(f, angle, 0); };
  return choose(f.equals(x, 0), x, f.is_double() ? of_wide_angle(f, x, sine) : of_angle(f, x, sine));
}

Scalar cos(const Floats& f, const Scalar& x) {
  const auto cosine = [&](const auto& angle) { return turned_sine(f, angle, 1); };
  return f.is_double() ? of_wide_angle(f, x, cosine) : of_angle(f, x, cosine);
}

Scalar tan(const Floats& f, const Scalar& x) {
  const auto quotient = [&](const auto& angle) { return tangent(f, angle); };
  return choose(f.equals(x, 0), x, f.is_double() ? of_wide_angle(f, x, quotient) : of_angle(f, x, quotient));
}

}  // namespace sunmao::intrinsics
