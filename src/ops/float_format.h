// What the format of floats decides, as scalars of loop IR: significands, exponents, and neighbouring numbers.
#pragma once
#include "sym/scalar.h"

namespace sunmao {

/// The parts of x = m * 2^e where |m| is in [0.5, 1). Of 0, infinities and NaN m is x, and e is 0.
Scalar significand(const Scalar& x);
/// Gives e as int32.
Scalar exponent(const Scalar& x);
/// The number next to `a` in the direction of `b`: `b` where they are equal, and NaN where one is.
Scalar next_after(const Scalar& a, const Scalar& b);

}  // namespace sunmao
