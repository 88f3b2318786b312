#include "eval/element.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/diagnostic.h"
#include "support/half.h"
#include "support/small_float.h"

namespace sunmao {
namespace {

template <class T>
T read(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void write(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

[[noreturn]] void no_arithmetic(DType dtype) {
  fail("E0506", {}, fmt::format("no arithmetic on elements of type {}", dtype.str()));
}

int64_t wrap(DType dtype, int64_t value) {
  if (dtype.is_bool()) return value != 0;
  if (dtype.bits >= 64) return value;
  uint64_t mask = (uint64_t{1} << dtype.bits) - 1;
  uint64_t low = static_cast<uint64_t>(value) & mask;
  bool negative = dtype.is_int() && ((low >> (dtype.bits - 1)) & 1u);
  return static_cast<int64_t>(negative ? low | ~mask : low);
}

// Converts an integer, which `from` says is signed or unsigned, to a float type with a single rounding.
template <class T>
T to_float(DType from, int64_t value) {
  return from.is_uint() ? static_cast<T>(static_cast<uint64_t>(value)) : static_cast<T>(value);
}

// Truncates towards zero and clamps to the dtype's range, but to int32 for narrower dtypes and to int64 for uint32; NaN
// becomes 0. For uint64, a negative number keeps the bits of the int64.
int64_t to_integer(DType to, double value) {
  if (std::isnan(value)) return 0;
  constexpr double kTwo63 = 0x1p63;
  if (to.is_uint() && to.bits == 64 && value >= kTwo63)
    return static_cast<int64_t>(value >= 2 * kTwo63 ? std::numeric_limits<uint64_t>::max()
                                                    : static_cast<uint64_t>(value));
  if (to.bits < 32 || (to.is_int() && to.bits == 32))
    return static_cast<int64_t>(
        std::clamp(value, double{std::numeric_limits<int32_t>::min()}, double{std::numeric_limits<int32_t>::max()}));
  if (value >= kTwo63) return std::numeric_limits<int64_t>::max();
  return value < -kTwo63 ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(value);
}

// The number that the bits of an element of less than a byte stand for.
Number number_of_code(DType dtype, uint8_t code) {
  if (dtype.is_integral()) return int_number(wrap(dtype, code));
  if (!is_small_float(dtype) || dtype.is_vector()) no_arithmetic(dtype);
  return float_number(double{from_small_float(dtype, code)});
}

uint8_t code_of_number(DType dtype, Number value) {
  if (dtype.is_integral()) return static_cast<uint8_t>(value.i);
  if (!is_small_float(dtype) || dtype.is_vector()) no_arithmetic(dtype);
  return to_small_float(dtype, static_cast<float>(value.f));
}

}  // namespace

Number load_element(DType dtype, const std::byte* data, int64_t index) {
  if (dtype.is_packed()) return number_of_code(dtype, abi::load_bits(data, dtype.bits, static_cast<uint64_t>(index)));
  const std::byte* at = data + index * dtype.bytes();
  switch (dtype.code) {
    case TypeCode::Bool: return int_number(read<uint8_t>(at) != 0);
    case TypeCode::Int:
      switch (dtype.bits) {
        case 16: return int_number(read<int16_t>(at));
        case 32: return int_number(read<int32_t>(at));
        case 64: return int_number(read<int64_t>(at));
        default: return int_number(read<int8_t>(at));
      }
    case TypeCode::UInt:
      switch (dtype.bits) {
        case 16: return int_number(read<uint16_t>(at));
        case 32: return int_number(read<uint32_t>(at));
        case 64: return int_number(static_cast<int64_t>(read<uint64_t>(at)));
        default: return int_number(read<uint8_t>(at));
      }
    case TypeCode::BFloat: return float_number(double{from_bfloat16(read<uint16_t>(at))});
    case TypeCode::Float:
      if (dtype.bits == 16) return float_number(double{from_float16(read<uint16_t>(at))});
      return float_number(dtype.bits == 32 ? double{read<float>(at)} : read<double>(at));
    default:
      if (!is_small_float(dtype)) no_arithmetic(dtype);
      return float_number(double{from_small_float(dtype, read<uint8_t>(at))});
  }
}

void store_element(DType dtype, std::byte* data, int64_t index, Number value) {
  if (dtype.is_packed())
    return abi::store_bits(data, dtype.bits, static_cast<uint64_t>(index), code_of_number(dtype, value));
  std::byte* at = data + index * dtype.bytes();
  switch (dtype.code) {
    case TypeCode::Bool: return write<uint8_t>(at, value.i != 0);
    case TypeCode::Int:
    case TypeCode::UInt:
      switch (dtype.bits) {
        case 16: return write(at, static_cast<uint16_t>(value.i));
        case 32: return write(at, static_cast<uint32_t>(value.i));
        case 64: return write(at, value.i);
        default: return write(at, static_cast<uint8_t>(value.i));
      }
    case TypeCode::BFloat: return write(at, to_bfloat16(static_cast<float>(value.f)));
    case TypeCode::Float:
      if (dtype.bits == 16) return write(at, to_float16(static_cast<float>(value.f)));
      if (dtype.bits == 32) return write(at, static_cast<float>(value.f));
      return write(at, value.f);
    default:
      if (!is_small_float(dtype)) no_arithmetic(dtype);
      return write(at, to_small_float(dtype, static_cast<float>(value.f)));
  }
}

void copy_element(DType dtype, std::byte* to, int64_t to_index, const std::byte* from, int64_t from_index) {
  if (dtype.is_packed() && !dtype.is_vector())
    return abi::store_bits(to, dtype.bits, static_cast<uint64_t>(to_index),
                           abi::load_bits(from, dtype.bits, static_cast<uint64_t>(from_index)));
  const int64_t bytes = dtype.bytes();
  std::memcpy(to + to_index * bytes, from + from_index * bytes, static_cast<size_t>(bytes));
}

Number round_to(DType dtype, Number value) {
  switch (dtype.code) {
    case TypeCode::Bool:
    case TypeCode::Int:
    case TypeCode::UInt: return int_number(wrap(dtype, value.i));
    case TypeCode::BFloat: return float_number(double{from_bfloat16(to_bfloat16(static_cast<float>(value.f)))});
    case TypeCode::Float:
      if (dtype.bits == 16) return float_number(double{from_float16(to_float16(static_cast<float>(value.f)))});
      return float_number(dtype.bits == 32 ? double{static_cast<float>(value.f)} : value.f);
    default:
      if (!is_small_float(dtype)) return value;
      return float_number(double{from_small_float(dtype, to_small_float(dtype, static_cast<float>(value.f)))});
  }
}

Number convert(DType from, DType to, Number value) {
  if (from.is_float() == to.is_float()) {
    if (to.is_bool()) return int_number(value.i != 0);
    return round_to(to, value);
  }
  if (to.is_float()) {
    return round_to(
        to, float_number(to.bits == 64 ? to_float<double>(from, value.i) : double{to_float<float>(from, value.i)}));
  }
  if (to.is_bool()) return int_number(value.f != 0);
  return int_number(wrap(to, to_integer(to, value.f)));
}

double number_at(const Array& a, int64_t index) {
  return convert(a.dtype(), DType::float_(64), load_element(a, index)).f;
}

}  // namespace sunmao
