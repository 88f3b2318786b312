// Expansions of intrinsics to arithmetic (floats.h), for float32 and float64. Their operands are leaves. What is
// written for float64 alone serves float32 through `in_double` (table.cpp).
#pragma once
#include "loop/intrinsics/floats.h"

namespace sunmao::intrinsics {

// exponential.cpp
Scalar exp(const Floats& f, const Scalar& x);
Scalar exp_at_most_one(const Floats& f, const Scalar& x);
Scalar exp2(const Floats& f, const Scalar& x);
Scalar exp10(const Floats& f, const Scalar& x);
Scalar exp_less_one(const Floats& f, const Scalar& x);
Scalar sigmoid(const Floats& f, const Scalar& x);
Scalar tanh(const Floats& f, const Scalar& x);
Scalar sinh(const Floats& f, const Scalar& x);
Scalar cosh(const Floats& f, const Scalar& x);
Scalar erf(const Floats& f, const Scalar& x);

// logarithm.cpp
/// x = 2^exponent * (1 + fraction), with 1 + fraction in [sqrt(1/2), sqrt(2)), for finite x > 0.
struct Fraction {
  Scalar exponent, fraction;
};
Fraction fraction_of(const Floats& f, const Scalar& x);
Scalar log(const Floats& f, const Scalar& x);
Scalar log2(const Floats& f, const Scalar& x);
Scalar log10(const Floats& f, const Scalar& x);
Scalar log1p(const Floats& f, const Scalar& x);
Scalar asinh(const Floats& f, const Scalar& x);
Scalar acosh(const Floats& f, const Scalar& x);
Scalar atanh(const Floats& f, const Scalar& x);

// circular.cpp
Scalar sin(const Floats& f, const Scalar& x);
Scalar cos(const Floats& f, const Scalar& x);
Scalar tan(const Floats& f, const Scalar& x);

// inverse_circular.cpp
Scalar asin(const Floats& f, const Scalar& x);
Scalar acos(const Floats& f, const Scalar& x);
Scalar atan(const Floats& f, const Scalar& x);
Scalar atan2(const Floats& f, const Scalar& y, const Scalar& x);

// power.cpp
Scalar pow(const Floats& f, const Scalar& x, const Scalar& y);
Scalar hypot(const Floats& f, const Scalar& x, const Scalar& y);

}  // namespace sunmao::intrinsics
