#include "ops/special_functions.h"

#include <array>
#include <cmath>
#include <numbers>

#include "ops/float64.h"
#include "ops/statements.h"

namespace sunmao {
namespace {

/// Returns body(x) in float64, in the dtype of `x`.
template <class Body>
Scalar in_double(const Scalar& x, const Body& body) {
  const Ref<SymVar> given = SymVar::make("given", kFloat64);
  return cast_to(x->dtype, Let::make(given, cast_to(kFloat64, x), body(Scalar(given))));
}
/// Returns body(value), in which the value is computed once.
template <class Body>
Scalar with(const char* name, const Scalar& value, const Body& body) {
  const Ref<SymVar> v = SymVar::make(name, value->dtype);
  return Let::make(v, value, body(Scalar(v)));
}

// A rational function: the coefficients of two polynomials in ascending order.
struct Quotient {
  std::array<double, 8> above, below;
};
template <size_t N>
Scalar polynomial(const std::array<double, N>& c, const Scalar& x) {
  Scalar sum = number_like(x, c.back());
  for (size_t i = c.size() - 1; i-- > 0;) sum = sum * x + number_like(x, c[i]);
  return sum;
}
Scalar quotient_at(const Quotient& q, const Scalar& x) {
  return Binary::make(BinaryOp::Div, polynomial(q.above, x), polynomial(q.below, x));
}

// Wichura's algorithm AS 241: the quantile of the normal distribution at (1 + x) / 2 is sqrt(2) erfinv(x).
constexpr Quotient kQuantileNearZero{
    {3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, 45921.953931549871457,
     67265.770927008700853, 33430.575583588128105, 2509.0809287301226727},
    {1.0, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867,
     39307.89580009271061, 28729.085735721942674, 5226.495278852545925}};
constexpr Quotient kQuantileFar{
    {1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504,
     1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4},
    {1.0, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
     0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9}};
constexpr Quotient kQuantileAtTheEnds{
    {6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123,
     0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525, 7.868691311456132591e-4,
     1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15}};
// log(erfc(z) exp(z^2) / t) in powers of 2 t - 1, where t = 2 / (2 + z): interpolated at Chebyshev's points, z >= 0.
constexpr std::array<double, 27> kTail{
    -0.6717940840566923,     0.672643223977656,       0.04734330684190443,     -0.04689561023108302,
    -0.009872689366389882,   0.008824938553738641,    0.0017589335577973741,   -0.0023458124448003763,
    -0.00014624686335965785, 0.000673678269692608,    -9.373503129322979e-05,  -0.0001742998492598844,
    7.140101465136976e-05,   3.1733105760593347e-05,  -3.018788605740555e-05,  1.6992383252214351e-07,
    8.562626387199065e-06,   -3.007646187500745e-06,  -1.2723159217745516e-06, 1.3267821041887541e-06,
    -1.6849433286292907e-07, -3.168346059488266e-07,  1.5334128945111602e-07,  3.972220671603761e-08,
    -3.917107384956083e-08,  -1.5867317826338417e-09, 4.060768409738465e-09};

/// Returns the logarithm of exp(z^2) erfc(z) / t, where t = 2 / (2 + z), for z >= 0.
Scalar log_of_tail(const Scalar& t) { return polynomial(kTail, float64(2) * t - float64(1)); }
/// Returns exp(factor z^2) exp(added), for a power of 2 of either sign: the square is that of a rounded number, whose
/// square is exact, and a rest.
Scalar exp_of_square(const Scalar& z, double factor, const Scalar& added) {
  const Scalar rounded = Cast::make(kFloat64, Cast::make(DType::float_(32), z));
  const Scalar rest = float64(factor) * (z - rounded) * (z + rounded);
  return intrinsic("exp", float64(factor) * rounded * rounded) * intrinsic("exp", rest + added);
}
/// Returns exp(z^2) erfc(z) for z >= 0.
Scalar tail_at(const Scalar& z) {
  return with("t", divide(float64(2), float64(2) + z),
              [&](const Scalar& t) { return t * intrinsic("exp", log_of_tail(t)); });
}

/// Returns the quantile for a probability of (1 - size) / 2 = rest, where size is not near 0.
Scalar far_quantile(const Scalar& rest) {
  const Ref<SymVar> depth = SymVar::make("depth", rest->dtype);
  const Scalar far =
      choose(less(depth, number_like(depth, 5)), quotient_at(kQuantileFar, depth - number_like(depth, 1.6)),
             quotient_at(kQuantileAtTheEnds, depth - number_like(depth, 5)));
  const Scalar end = choose(equals(rest, number_like(rest, 0)), number_like(rest, HUGE_VAL), far);
  return Let::make(depth, intrinsic("sqrt", intrinsic("log", rest) * number_like(rest, -1)), end);
}

// exp(-x) I(x) for x in [0, 8] in powers of x / 4 - 1, of order 1 divided by x; and sqrt(x) exp(-x) I(x) for x > 8 in
// powers of 16 / x - 1: interpolated at Chebyshev's points.
constexpr std::array<double, 30> kBessel0Near{
    0.2070019212239867,     -0.11300432688620549,    0.09451562853995103,    -0.08904344136075991,
    0.08734341617552291,    -0.08496338091615124,    0.07927522590716898,    -0.06954119561742342,
    0.056777032019843215,   -0.04298594945226738,    0.03017791202356886,    -0.019682654708082413,
    0.011960077903963348,   -0.006792399792271578,   0.0036171264596770616,  -0.0018118870527295522,
    0.0008563152483951447,  -0.0003829015089457559,  0.0001624054672701359,  -6.550956130635514e-05,
    2.5202271984440893e-05, -9.25059710625537e-06,   3.2293850630678377e-06, -1.0891964284507317e-06,
    3.675592893288293e-07,  -1.1339523685907105e-07, 2.6273368345256394e-08, -7.860369707508212e-09,
    4.469372581856615e-09,  -1.1662904878442954e-09};
constexpr std::array<double, 23> kBessel0Far{
    0.4021765094450081,      0.0033605519836677235,  0.00013621607439187193, 1.1143033802583682e-05,
    1.4838475863096976e-06,  2.9735956581528157e-07, 8.872154618944625e-08,  3.932926571091252e-08,
    2.155681110989874e-08,   7.532386417555123e-09,  -6.805980075129678e-09, -1.331979859201994e-08,
    -5.162517880939013e-09,  7.323310735122893e-09,  6.789790403895736e-09,  -3.11851456121224e-09,
    -4.8482509221176966e-09, 1.0924527246468664e-09, 2.3981927228949238e-09, -2.748111637276033e-10,
    -7.473844621887592e-10,  3.525321019700796e-11,  1.0881994785468934e-10};
constexpr std::array<double, 30> kBessel1Near{
    0.044687709875608835,   -0.06112433802966629,    0.0680575999095116,     -0.0684826062058255,
    0.0637674037134072,     -0.05528003922705058,    0.044674572621255064,   -0.03367135551994034,
    0.023686016957724227,   -0.01557130925657511,    0.00958396215077406,    -0.005534567760544582,
    0.003005762419557192,   -0.0015388749636515487,  0.000744512345281566,   -0.0003411747437353928,
    0.00014842124144631648, -6.142651349494123e-05,  2.4233756432468166e-05, -9.131846315273642e-06,
    3.2938951625746042e-06, -1.1380759138279984e-06, 3.759400376008922e-07,  -1.2000364861910367e-07,
    3.8028049651067336e-08, -1.1191257727176943e-08, 2.6037822441041467e-09, -7.379291130374042e-10,
    3.727630409237771e-10,  -9.365751909742237e-11};
constexpr std::array<double, 23> kBessel1Far{
    0.38939845902587233,     -0.009749577193235609,   -0.000219235763833829,   -1.503854721127423e-05,
    -1.8349101539664522e-06, -3.483853071371078e-07,  -1.0001220638799958e-07, -4.31323156237458e-08,
    -2.3382691353601083e-08, -8.407326839577817e-09,  6.795073490187386e-09,   1.3952625102162603e-08,
    5.722677527454156e-09,   -7.432535335623792e-09,  -7.222524178953976e-09,  3.0717395650769477e-09,
    5.094016301574338e-09,   -1.0476127785270019e-09, -2.5062162405593894e-09, 2.582169443152386e-10,
    7.79067217908059e-10,    -3.2677656089803323e-11, -1.13288885034257e-10};

}  // namespace

Scalar erfinv(const Scalar& x) {
  const DType wide = accumulator(x->dtype);
  Ref<SymVar> given = SymVar::make("given", wide);
  const Scalar one = number_like(given, 1), half = number_like(given, 0.5) * given, size = intrinsic("abs", given);
  const Scalar near = half * quotient_at(kQuantileNearZero, number_like(given, 0.180625) - half * half);
  // 1 - |x| is exact where |x| is near 1; for |x| > 1 the logarithm is NaN.
  const Scalar beyond = far_quantile((one - size) * number_like(given, 0.5));
  const Scalar signed_beyond = choose(less(given, number_like(given, 0)), beyond * number_like(given, -1), beyond);
  const Scalar quantile = choose(less(size, number_like(given, 0.85)), near, signed_beyond);
  return cast_to(x->dtype, Let::make(given, cast_to(wide, x), quantile * number_like(given, std::numbers::sqrt2 / 2)));
}
// In float64, since a probability near 1 / 2 less that half has few digits.
Scalar normal_quantile(const Scalar& x) {
  return in_double(x, [](const Scalar& given) {
    const Scalar centred = given - float64(0.5);
    const Scalar near = centred * quotient_at(kQuantileNearZero, float64(0.180625) - centred * centred);
    const Scalar beyond = far_quantile(min(given, float64(1) - given));
    const Scalar signed_beyond = choose(less(centred, float64(0)), beyond * float64(-1), beyond);
    return choose(at_most(magnitude(centred), float64(0.425)), near, signed_beyond);
  });
}

// In float64, since the exponential multiplies the error of its operand. Beyond 30 the tail is 0.
Scalar erfc(const Scalar& x) {
  return in_double(x, [](const Scalar& given) {
    return with("size", min(magnitude(given), float64(30)), [&](const Scalar& size) {
      return with("t", divide(float64(2), float64(2) + size), [&](const Scalar& t) {
        const Scalar tail = t * exp_of_square(size, -1, log_of_tail(t));
        return choose(less(given, float64(0)), float64(2) - tail, tail);
      });
    });
  });
}
Scalar scaled_erfc(const Scalar& x) {
  return in_double(x, [](const Scalar& given) {
    return with("tail", tail_at(magnitude(given)), [&](const Scalar& tail) {
      const Scalar twice = float64(2) * exp_of_square(max(given, float64(-30)), 1, float64(0));
      return choose(less(given, float64(0)), twice - tail, tail);
    });
  });
}
// The tail is erfc(|x| / sqrt(2)) / 2, whose square is that of x itself: a rounded place would err in it by many
// spacings. Far below 0 the logarithm is that of the scaled tail, from which the square is taken.
Scalar log_normal_probability(const Scalar& x) {
  return in_double(x, [](const Scalar& given) {
    const Scalar size = magnitude(given), place = size * float64(std::numbers::sqrt2 / 2);
    return with("t", divide(float64(2), float64(2) + place), [&](const Scalar& t) {
      const Scalar square = exp_of_square(min(size, float64(40)), -0.5, log_of_tail(t));
      return with("tail", float64(0.5) * t * square, [&](const Scalar& tail) {
        const Scalar half_tail = float64(0.5) * t * intrinsic("exp", log_of_tail(t));
        const Scalar far = intrinsic("log", half_tail) - float64(0.5) * given * given;
        const Scalar below = choose(less(given, float64(-1)), far, intrinsic("log", tail));
        return choose(less(given, float64(0)), below, intrinsic("log1p", float64(-1) * tail));
      });
    });
  });
}

// Lanczos approximation with g = 7, in float64, since its terms cancel. Below 1 / 2 the reflection log(pi / |sin(pi
// x)|) - lgamma(1 - x) applies, with the sine of the distance to the nearest integer.
Scalar lgamma(const Scalar& x) {
  constexpr std::array<double, 8> kTerms{676.5203681218851,     -1259.1392167224028,  771.32342877765313,
                                         -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
                                         9.9843695780195716e-6, 1.5056327351493116e-7};
  const DType wide = DType::float_(64);
  Ref<SymVar> given = SymVar::make("given", wide), above = SymVar::make("above", wide);  // 1 less, and at least -1 / 2
  const Scalar is_low = less(given, number_like(given, 0.5));
  Scalar sum = number_like(above, 0.99999999999980993);
  for (size_t i = 0; i < kTerms.size(); ++i)
    sum = sum + divide(number_like(above, kTerms[i]), above + number_like(above, static_cast<double>(i) + 1));
  const Scalar half = number_like(above, 0.5), base = above + number_like(above, 7.5);
  const Scalar series = (above + half) * intrinsic("log", base) - base +
                        intrinsic("log", sum * number_like(above, std::sqrt(2 * std::numbers::pi)));
  const Scalar turn = (given - intrinsic("round", given)) * number_like(given, std::numbers::pi);
  const Scalar mirror =
      number_like(given, std::log(std::numbers::pi)) - intrinsic("log", intrinsic("abs", intrinsic("sin", turn)));
  const Scalar argument = choose(is_low, number_like(given, 0) - given, given - number_like(given, 1));
  const Scalar known = Let::make(above, argument, choose(is_low, mirror - series, series));
  const Scalar is_infinite = equals(intrinsic("abs", given), number_like(given, HUGE_VAL));
  const Scalar value = choose(is_infinite, number_like(given, HUGE_VAL), known);
  return cast_to(x->dtype, Let::make(given, cast_to(wide, x), value));
}

// The asymptotic series, 10 steps of digamma(x) = digamma(x + 1) - 1 / x above; below 0 by reflection, where integers
// are NaN. At 0 it is infinite, with the sign of the side.
Scalar digamma(const Scalar& x) {
  constexpr int kSteps = 10;
  constexpr std::array<double, 8> kSeries{0,          1.0 / 12,  -1.0 / 120,     1.0 / 252,
                                          -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12};  // B(2k) / 2k
  return in_double(x, [&](const Scalar& given) {
    const Scalar is_low = less(given, float64(0));
    const Scalar above = with("above", choose(is_low, float64(1) - given, given), [&](const Scalar& z) {
      return with("far", z + float64(kSteps), [&](const Scalar& w) {
        Scalar value = intrinsic("log", w) - divide(float64(0.5), w) - polynomial(kSeries, divide(float64(1), w * w)) -
                       divide(float64(1), z);
        for (int k = 1; k < kSteps; ++k) value = value - divide(float64(1), z + float64(k));
        return value;
      });
    });
    const Scalar turn = (given - intrinsic("round", given)) * float64(std::numbers::pi);
    const Scalar mirror = above - divide(float64(std::numbers::pi), intrinsic("tan", turn));
    const Scalar is_pole = equals(turn, float64(0));
    return choose(is_low, choose(is_pole, float64(std::nan("")), mirror), above);
  });
}

namespace {

template <size_t N, size_t M>
Scalar scaled_bessel(const std::array<double, N>& near, const std::array<double, M>& far, const Scalar& size) {
  return choose(at_most(size, float64(8)), polynomial(near, size * float64(0.25) - float64(1)),
                divide(polynomial(far, divide(float64(16), size) - float64(1)), intrinsic("sqrt", size)));
}
Scalar scaled_i0(const Scalar& given) { return scaled_bessel(kBessel0Near, kBessel0Far, magnitude(given)); }
Scalar scaled_i1(const Scalar& given) {
  const Scalar size = magnitude(given), value = scaled_bessel(kBessel1Near, kBessel1Far, size);
  const Scalar with_factor = choose(at_most(size, float64(8)), size * value, value);
  return choose(less(given, float64(0)), float64(-1) * with_factor, with_factor);
}
/// Returns exp(|x|) times a scaled value, `end` for infinite x. Each half of the exponent is within the numbers as long
/// as the result is.
Scalar unscaled(const Scalar& given, const Scalar& scaled, const Scalar& end) {
  return with("growth", intrinsic("exp", magnitude(given) * float64(0.5)), [&](const Scalar& growth) {
    return choose(equals(growth, float64(HUGE_VAL)), end, growth * scaled * growth);
  });
}

}  // namespace

Scalar scaled_bessel_i0(const Scalar& x) { return in_double(x, scaled_i0); }
Scalar scaled_bessel_i1(const Scalar& x) { return in_double(x, scaled_i1); }
Scalar bessel_i0(const Scalar& x) {
  return in_double(x, [](const Scalar& given) { return unscaled(given, scaled_i0(given), float64(HUGE_VAL)); });
}
Scalar bessel_i1(const Scalar& x) {
  return in_double(x, [](const Scalar& given) {
    const Scalar end = choose(less(given, float64(0)), float64(-HUGE_VAL), float64(HUGE_VAL));
    return unscaled(given, scaled_i1(given), end);
  });
}

}  // namespace sunmao
