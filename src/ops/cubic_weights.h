// Keys' cubic interpolation kernel.
#pragma once
#include "ops/lowering.h"

namespace sunmao {

/// Returns the kernel's values with parameter `a` at the four neighbours of a coordinate with fractional part `t`.
std::vector<Scalar> cubic_weights(const Scalar& t, double a);

}  // namespace sunmao
