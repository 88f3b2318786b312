// Intrinsics of integers as the evaluator computes them, in int64: results are wrapped to the dtype by the caller.
#pragma once
#include <cstdint>

#include "support/dtype.h"

namespace sunmao::intrinsics {

int64_t same_integer(DType dtype, const int64_t* x);
int64_t magnitude_of_integer(DType dtype, const int64_t* x);
int64_t and_of_integers(DType dtype, const int64_t* x);
int64_t or_of_integers(DType dtype, const int64_t* x);
int64_t xor_of_integers(DType dtype, const int64_t* x);
int64_t not_of_integer(DType dtype, const int64_t* x);
/// Shifts by at least the width give 0, or the sign for right shifts of signed integers.
int64_t shift_left_of_integers(DType dtype, const int64_t* x);
int64_t shift_right_of_integers(DType dtype, const int64_t* x);
/// The power wraps around; a negative exponent gives 0, unless the base is 1 or -1.
int64_t power_of_integers(DType dtype, const int64_t* x);

}  // namespace sunmao::intrinsics
