// Array elements as numbers: load, store, and rounding to a dtype.
#pragma once
#include <cstddef>
#include <cstdint>

#include "support/dtype.h"

namespace sunmao {

/// A number of any dtype: integers and bools in `i`, floats in `f`.
union Number {
  int64_t i;
  double f;
};

inline Number int_number(int64_t i) { return {.i = i}; }
inline Number float_number(double f) {
  Number n;
  n.f = f;
  return n;
}

Number load_element(DType dtype, const std::byte* at);
void store_element(DType dtype, std::byte* at, Number value);
/// Rounds or wraps `value`, computed in the evaluator's 64-bit arithmetic, to the dtype's values.
Number round_to(DType dtype, Number value);
/// Converts between integers and floats; floats are truncated towards zero. A float is first clamped to int32 (int64
/// for uint32 and wider dtypes), and NaN becomes 0; then only the dtype's low bits are kept.
Number convert(DType from, DType to, Number value);

}  // namespace sunmao
