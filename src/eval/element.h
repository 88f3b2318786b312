// Array elements as numbers: load, store, and rounding to a dtype.
#pragma once
#include <cstddef>
#include <cstdint>

#include "support/array.h"

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

/// Returns element `index` of the elements that begin at `data`. Packed elements have no address of their own.
Number load_element(DType dtype, const std::byte* data, int64_t index);
inline Number load_element(const Array& a, int64_t index) { return load_element(a.dtype(), a.data(), index); }
/// Returns element `index` as a float64, of any dtype.
double number_at(const Array& a, int64_t index);
/// Stores element `index`. Elements that share its byte stay.
void store_element(DType dtype, std::byte* data, int64_t index, Number value);
/// Copies element `from_index` of `from` to element `to_index` of `to`, bit by bit.
void copy_element(DType dtype, std::byte* to, int64_t to_index, const std::byte* from, int64_t from_index);
/// Rounds or wraps `value`, computed in the evaluator's 64-bit arithmetic, to the dtype's values.
Number round_to(DType dtype, Number value);
/// Converts a number to another dtype: integers wrap, floats are rounded, and a bool is true unless the number is 0.
/// From float to integer, the number is truncated towards zero, NaN becomes 0, and numbers out of range are clamped to
/// int32 (to int64 for uint32 and int64, to [int64's minimum, uint64's maximum] for uint64) before it wraps.
Number convert(DType from, DType to, Number value);

}  // namespace sunmao
