// Floats of 8, 6 and 4 bits: what their codes mean, and the code of a float. Numbers round to the nearest, ties to
// even.
#pragma once
#include <cstdint>

#include "support/dtype.h"

namespace sunmao {

/// How a kind is laid out, from the top: a sign, `exponent_bits`, `mantissa_bits`. A code is the low bits of a byte.
/// The codes below are magnitudes, without a sign.
struct SmallFloat {
  int exponent_bits, mantissa_bits, bias;
  uint8_t largest;   // the greatest number
  uint8_t overflow;  // what infinity and greater numbers become: infinity, the greatest number, or NaN
  uint8_t nan;       // what NaN becomes
  /// Whether 0 and NaN have a sign. Where they have none, the sign alone is the one NaN, or there is no NaN and it
  /// becomes 0.
  bool has_negative_zero = true, has_signed_nan = true;

  uint8_t sign() const { return static_cast<uint8_t>(1u << (exponent_bits + mantissa_bits)); }
};

/// Whether the dtype is one of them.
bool is_small_float(DType dtype);
/// The layout of such a kind, but for float8_e8m0fnu: its codes are powers of two alone, from 2**-127 (0) on, and NaN
/// (255).
const SmallFloat& small_float_layout(DType dtype);

/// The greatest number of the kind.
float largest_small_float(DType dtype);

/// The number that a code is; bits beyond the kind's width do not count.
float from_small_float(DType dtype, uint8_t code);
uint8_t to_small_float(DType dtype, float value);

}  // namespace sunmao
