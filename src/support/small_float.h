// Conversions between float and the codes of 8-, 6- and 4-bit floats, rounding to nearest: ties to even, for
// float8_e8m0fnu up.
#pragma once
#include <cstdint>

#include "support/dtype.h"

namespace sunmao {

/// The layout of a code, from the most significant bit: sign, `exponent_bits`, `mantissa_bits`. A code is stored in the
/// low bits of a byte. `largest`, `overflow` and `nan` have sign bit 0, unless the NaN of the format is the code with
/// only that bit set.
struct SmallFloat {
  int exponent_bits, mantissa_bits, bias;
  uint8_t largest;   // the greatest finite number
  uint8_t overflow;  // the code for infinity and larger numbers: infinity, the greatest number, or NaN
  uint8_t nan;       // the code for NaN
  /// Whether 0 and NaN have a sign. Formats without negative zero have a single NaN: the code with only the sign bit
  /// set. Formats with negative zero but without signed NaN have no NaN; converting NaN to them gives 0.
  bool has_negative_zero = true, has_signed_nan = true;

  uint8_t sign() const { return static_cast<uint8_t>(1u << (exponent_bits + mantissa_bits)); }
};

/// True for the float dtypes of 8, 6 or 4 bits.
bool is_small_float(DType dtype);
/// Returns the layout of the dtype, which must not be float8_e8m0fnu: its codes are powers of two from 2**-127 (code 0)
/// on, and NaN (255).
const SmallFloat& small_float_layout(DType dtype);

/// Returns the greatest finite number of the dtype.
float largest_small_float(DType dtype);

/// Returns the value of a code; bits above the dtype's width are ignored.
float from_small_float(DType dtype, uint8_t code);
uint8_t to_small_float(DType dtype, float value);

}  // namespace sunmao
