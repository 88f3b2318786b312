// The lowest and the highest number of an integer dtype, as converters of quantisation compute with them.
#pragma once
#include <cmath>

#include "ir/type.h"

namespace sunmao::torch {

inline double least_of(DType t) { return t.is_uint() ? 0 : -std::ldexp(1.0, t.bits - 1); }
inline double greatest_of(DType t) { return std::ldexp(1.0, t.is_uint() ? t.bits : t.bits - 1) - 1; }

}  // namespace sunmao::torch
