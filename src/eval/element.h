// Elements of arrays as numbers: load, store, and the rounding that a dtype asks for.
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
/// `value`, computed in the evaluator's wide arithmetic, as the dtype can hold it: rounded, or wrapped around.
Number round_to(DType dtype, Number value);
/// Integers to floats and back, truncating towards zero. A float beyond int32 (int64 for uint32 and wider types)
/// becomes the nearest end of it first, NaN becomes 0; then the low bits are kept.
Number convert(DType from, DType to, Number value);

}  // namespace sunmao
