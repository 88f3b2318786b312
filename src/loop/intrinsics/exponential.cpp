// Exponentials, what is made of them, and erf.
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "loop/intrinsics/expansions.h"

namespace sunmao::intrinsics {
namespace {

struct ExpFormat {
  double ln2_high, ln2_low;      // ln 2 in two parts; the product of the first with an exponent is exact
  double log10_high, log10_low;  // log10(2) likewise
  double lowest, highest;        // exp is 0 below and infinity above
  double magic;                  // 1.5 * 2^(bits of the mantissa): adding it rounds to an integer
  int exp_less_one_terms;
};
constexpr ExpFormat kExpFloat{
    0.693359375, -2.12194440054690583e-4, 0.301025390625, 4.605038981195214e-06, -104.0, 89.0, 12582912.0, 8};
constexpr ExpFormat kExpDouble{0.6931471803691238,
                               1.9082149292705877e-10,
                               0.3010299955494702,
                               1.1451100898021838e-10,
                               -746.0,
                               710.0,
                               6755399441055744.0,
                               14};
const ExpFormat& exp_format_of(const Floats& f) { return f.is_double() ? kExpDouble : kExpFloat; }

// (2^r - 1) / r on [-1/2, 1/2] and (10^r - 1) / r on [-0.1506, 0.1506], fitted to errors of 2^-34 of the power.
constexpr std::array<double, 7> kTwoLessOne{0.693147180541654,     0.24022651075853493,  0.05550410962571362,
                                            0.009618036910837673,  0.001333343078789885, 0.00015467110346290697,
                                            1.5314946539168872e-05};
constexpr std::array<double, 7> kTenLessOne{2.3025850929330103, 2.6509490973091703, 2.0346786276363997,
                                            1.1712438961578138, 0.5393777655980135, 0.20785121650840058,
                                            0.06836739913567712};

// exp(r) on [-ln 2 / 2, ln 2 / 2], fitted to an error of 2^-28 of the function.
constexpr std::array<double, 7> kExp{
    1, 1, 0.49999993432114603, 0.16666520399003015, 0.04166839078656799, 0.008368745112583682, 0.0013814540026601992};

// erf(x) / x on [0, 3.95] as a rational function of x^2, fitted to a relative error of 2.2e-9.
constexpr std::array<double, 7> kErfAbove{1.1283791695531293,     0.18510746424819197,    0.05431448008401873,
                                          0.003847165344615071,   0.00037998309589199673, 4.696012569742727e-06,
                                          -1.3248414805709605e-08};
constexpr std::array<double, 6> kErfBelow{
    1.0, 0.4973806380063316, 0.11392794725509571, 0.015458310798344806, 0.0013076027528297351, 6.322111938404652e-05};

// (tanh(x) - x) / x^3 in x^2 for |x| <= 1 / 2, fitted to an error of 2^-26 of tanh.
constexpr std::array<double, 4> kTanhRest{-0.33333143900971834, 0.13325879061729073, -0.053045501030420376,
                                          0.01724150495727348};

// Returns 1 / first!, 1 / (first + 1)!, …
std::vector<double> inverse_factorials(int first, int count) {
  std::vector<double> out;
  double value = 1;
  for (int i = 1; i < first + count; value /= i++)
    if (i > first) out.push_back(value);
  out.push_back(value);
  return out;
}

/// Returns exp(r) for |r| <= ln 2 / 2.
Scalar exp_near_zero(const Floats& f, const Scalar& r) {
  return f.is_double() ? f.polynomial(inverse_factorials(0, 14), r) : f.polynomial(kExp, r);
}

// (sinh(x) - x) / x^3 in x^2 for |x| <= 1, and (exp(r) - 1 - r) / r^2 for |r| <= ln 2 / 2, fitted to errors of 2^-33
// and 2^-34 of the function.
constexpr std::array<double, 4> kSinhRest{0.16666666450178136, 0.008333353335640016, 0.00019835528794958136,
                                          2.8205593182395817e-06};
constexpr std::array<double, 6> kExpRest{0.5000000078002166,   0.1666666685579144,   0.04166626973007663,
                                         0.008333265423723677, 0.001394608403907238, 0.00019917826518461778};

// x = n * ln 2 + rest, where n is the nearest integer; the low bits of `sum` are n + `offset`.
struct Reduced {
  Scalar sum, n, rest;
};
Reduced reduced(const Floats& f, const Scalar& x, int offset = 0) {
  const ExpFormat& c = exp_format_of(f);
  const Scalar magic = f.number(c.magic + offset);
  const Scalar sum = x * f.number(std::numbers::log2e) + magic, n = sum - magic;
  return {sum, n, (x - n * f.number(c.ln2_high)) - n * f.number(c.ln2_low)};
}

/// Returns 2^up * exp(x) of float32, with one power of two, where n + up is above -127. It is infinite from 128 on.
Scalar exp_by_one_power(const Floats& f, const Scalar& x, int up = 0) {
  constexpr int kMantissa = 23, kBias = 127;
  const Reduced r = reduced(f, x, kBias + up);
  return exp_near_zero(f, r.rest) * f.of_bits(shifted_left(f.bits(r.sum), f.word(kMantissa)));
}

// Returns the magnitude of x, at most `limit`; NaN as it is.
Scalar limited(const Floats& f, const Scalar& x, double limit) {
  const Scalar size = magnitude(x);
  return choose(f.above(size, limit), f.number(limit), size);
}

// Returns (exp(x) + sign * exp(-x)) / 2 of float32, for x >= 0. Up to the doubling at the end nothing overflows, and
// the greatest part, a power of two, is exact.
Scalar half_of_exps(const Floats& f, const Scalar& x, double sign) {
  const auto [sum, n, r] = reduced(f, f.clamped(x, 0, 90));
  const Scalar less_one = r + r * r * f.polynomial(kExpRest, r);
  const Scalar inverse = divide(f.number(0.25 * sign), scaled(f.number(1) + less_one, n)), power = n - f.number(2);
  return f.number(2) * (scaled(f.number(1), power) + (scaled(less_one, power) + inverse));
}

}  // namespace

// exp(x) = 2^n * exp(r), where n is the nearest integer to x / ln 2.
Scalar exp(const Floats& f, const Scalar& x) {
  const ExpFormat& c = exp_format_of(f);
  const Reduced r = reduced(f, f.clamped(x, c.lowest, c.highest));
  return scaled(exp_near_zero(f, r.rest), r.n);
}

// exp(min(x, 0)). n is at least -150, so one power of two makes a normal number, and the product with the other one is
// rounded once.
Scalar exp_at_most_one(const Floats& f, const Scalar& x) {
  if (f.is_double()) return exp(f, choose(f.above(x, 0), f.number(0), x));
  constexpr int kUp = 25;
  return exp_by_one_power(f, f.clamped(x, kExpFloat.lowest, 0), kUp) * f.number(1.0 / (1 << kUp));
}

// 2^x = 2^n * 2^(x - n), where n is the nearest integer.
Scalar exp2(const Floats& f, const Scalar& x) {
  const ExpFormat& c = exp_format_of(f);
  const Scalar clamped = f.clamped(x, c.lowest / std::numbers::ln2, c.highest / std::numbers::ln2);
  const Scalar n = (clamped + f.number(c.magic)) - f.number(c.magic), r = clamped - n;
  if (f.is_double()) return scaled(exp_near_zero(f, r * f.number(std::numbers::ln2)), n);
  return scaled(r * f.polynomial(kTwoLessOne, r) + f.number(1), n);
}

// 10^x = 2^n * 10^r, where n is the nearest integer to x / log10(2).
Scalar exp10(const Floats& f, const Scalar& x) {
  const ExpFormat& c = exp_format_of(f);
  const Scalar clamped = f.clamped(x, c.lowest / std::numbers::ln10, c.highest / std::numbers::ln10);
  const Scalar n = (clamped * f.number(std::numbers::ln10 / std::numbers::ln2) + f.number(c.magic)) - f.number(c.magic);
  const Scalar r = (clamped - n * f.number(c.log10_high)) - n * f.number(c.log10_low);
  if (f.is_double()) return scaled(exp_near_zero(f, r * f.number(std::numbers::ln10)), n);
  return scaled(r * f.polynomial(kTenLessOne, r) + f.number(1), n);
}

// Near 0 it is the power series without its constant term, since the subtraction would cancel.
Scalar exp_less_one(const Floats& f, const Scalar& x) {
  const Scalar series = x * f.polynomial(inverse_factorials(1, exp_format_of(f).exp_less_one_terms), x);
  return choose(f.below(magnitude(x), 0.35), series, exp(f, x) - f.number(1));
}

// 1 / (1 + exp(-x)). In float32 one power of two scales the exponential: what it does for large x is lost in the sum,
// and for small ones it is infinite, at n = 128.
Scalar sigmoid(const Floats& f, const Scalar& x) {
  if (f.is_double()) return divide(f.number(1), f.number(1) + exp(f, negated(x)));
  const Scalar e = exp_by_one_power(f, f.clamped(negated(x), -80, kExpFloat.highest));
  return divide(f.number(1), f.number(1) + e);
}

// In float32 a series for small x; elsewhere 1 - 2 / (1 + exp(2 |x|)), whose difference loses one bit at most.
Scalar tanh(const Floats& f, const Scalar& x) {
  if (!f.is_double()) {
    const Scalar size = limited(f, x, 20), square = size * size;
    const Scalar small = size + size * square * f.polynomial(kTanhRest, square);
    const Scalar e = exp_by_one_power(f, f.number(2) * size);
    return with_sign(choose(f.below(size, 0.5), small, f.number(1) - divide(f.number(2), f.number(1) + e)), x);
  }
  const Scalar e = exp_less_one(f, f.number(2) * limited(f, x, 20));
  return with_sign(divide(e, e + f.number(2)), x);
}

Scalar sinh(const Floats& f, const Scalar& x) {
  const Scalar size = magnitude(x);
  if (!f.is_double()) {
    const Scalar z = x * x, near = x + x * z * f.polynomial(kSinhRest, z);
    return choose(f.below(size, 1), near, with_sign(half_of_exps(f, size, -1), x));
  }
  const Scalar e = exp_less_one(f, size), half = exp(f, f.number(0.5) * size);
  const Scalar near = f.number(0.5) * (e + divide(e, e + f.number(1)));
  return with_sign(choose(f.above(size, 700), f.number(0.5) * half * half, near), x);
}

Scalar cosh(const Floats& f, const Scalar& x) {
  const Scalar size = magnitude(x);
  if (!f.is_double()) return half_of_exps(f, size, 1);
  const Scalar e = exp(f, size), half = exp(f, f.number(0.5) * size);
  const Scalar near = f.number(0.5) * (e + divide(f.number(1), e));
  return choose(f.above(size, 700), f.number(0.5) * half * half, near);
}

Scalar erf(const Floats& f, const Scalar& x) {
  const Scalar size = magnitude(x);
  if (!f.is_double()) {
    const Scalar t = limited(f, x, 3.95), square = t * t;
    const Scalar near = divide(t * f.polynomial(kErfAbove, square), f.polynomial(kErfBelow, square));
    return with_sign(choose(f.above(size, 3.92), f.number(1), near), x);
  }
  // erf(x) = 2 / sqrt(pi) x exp(-x^2) (1 + 2x^2 / 3 + (2x^2)^2 / (3 5) + …); all terms are positive, so nothing
  // cancels.
  constexpr int kTerms = 130;
  const Scalar t = limited(f, x, 6), square = t * t, z = f.number(2) * square;
  Scalar sum = f.number(1);
  for (int i = kTerms; i > 0; --i) sum = f.number(1) + sum * (z * f.number(1.0 / (2 * i + 1)));
  const Scalar near = f.number(2 * std::numbers::inv_sqrtpi) * t * exp(f, negated(square)) * sum;
  return with_sign(choose(f.above(size, 5.95), f.number(1), near), x);
}

}  // namespace sunmao::intrinsics
