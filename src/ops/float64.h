// Arithmetic in float64, in which kernels compute whose rounding errors would add up over many steps.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

constexpr DType kFloat64 = DType::float_(64);
constexpr double kHalfSpacing = 0x1p-53;  // of numbers from 1 on: how far rounding takes them

inline Scalar float64(double value) { return constant(kFloat64, value); }
inline Scalar magnitude(const Scalar& x) { return intrinsic("abs", x); }
inline Scalar differs(const Scalar& a, const Scalar& b) { return Binary::make(BinaryOp::Ne, a, b); }

}  // namespace sunmao
