// Special functions of one number, as scalars of loop IR: error functions, quantiles, gamma and Bessel functions.
#pragma once
#include "sym/scalar.h"

namespace sunmao {

Scalar erfinv(const Scalar& x);
Scalar erfc(const Scalar& x);
/// exp(x^2) erfc(x)
Scalar scaled_erfc(const Scalar& x);
/// The number below which a normal variable lies with probability x; and the logarithm of the probability that it lies
/// below x.
Scalar normal_quantile(const Scalar& x);
Scalar log_normal_probability(const Scalar& x);
Scalar lgamma(const Scalar& x);
/// The derivative of `lgamma`.
Scalar digamma(const Scalar& x);
/// The modified Bessel functions of order 0 and 1; `scaled` ones are multiplied by exp(-|x|).
Scalar bessel_i0(const Scalar& x);
Scalar bessel_i1(const Scalar& x);
Scalar scaled_bessel_i0(const Scalar& x);
Scalar scaled_bessel_i1(const Scalar& x);

}  // namespace sunmao
