#include "support/small_float.h"

#include <bit>
#include <cmath>
#include <limits>

#include "support/diagnostic.h"

namespace sunmao {
namespace {

constexpr SmallFloat kE3M4{3, 4, 3, 0x6f, 0x70, 0x78};
constexpr SmallFloat kE4M3{4, 3, 7, 0x77, 0x78, 0x7c};
constexpr SmallFloat kE4M3B11FNUZ{4, 3, 11, 0x7f, 0x80, 0x80, false, false};
constexpr SmallFloat kE4M3FN{4, 3, 7, 0x7e, 0x7e, 0x7f};
constexpr SmallFloat kE4M3FNUZ{4, 3, 8, 0x7f, 0x80, 0x80, false, false};
constexpr SmallFloat kE5M2{5, 2, 15, 0x7b, 0x7c, 0x7f};
constexpr SmallFloat kE5M2FNUZ{5, 2, 16, 0x7f, 0x80, 0x80, false, false};
constexpr SmallFloat kE2M3FN{2, 3, 1, 0x1f, 0x1f, 0, true, false};
constexpr SmallFloat kE3M2FN{3, 2, 3, 0x1f, 0x1f, 0, true, false};
constexpr SmallFloat kE2M1FN{2, 1, 1, 0x07, 0x07, 0, true, false};

const SmallFloat* find_layout(TypeCode code) {
  switch (code) {
    case TypeCode::Float8E3M4: return &kE3M4;
    case TypeCode::Float8E4M3: return &kE4M3;
    case TypeCode::Float8E4M3B11FNUZ: return &kE4M3B11FNUZ;
    case TypeCode::Float8E4M3FN: return &kE4M3FN;
    case TypeCode::Float8E4M3FNUZ: return &kE4M3FNUZ;
    case TypeCode::Float8E5M2: return &kE5M2;
    case TypeCode::Float8E5M2FNUZ: return &kE5M2FNUZ;
    case TypeCode::Float6E2M3FN: return &kE2M3FN;
    case TypeCode::Float6E3M2FN: return &kE3M2FN;
    case TypeCode::Float4E2M1FN: return &kE2M1FN;
    default: return nullptr;
  }
}

constexpr uint32_t kInfinity = 0x7f800000u;

float from_power_of_two(uint8_t code) {
  return code == 0xff ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, int{code} - 127);
}

// Returns the float8_e8m0fnu code of the power of two nearest to a magnitude, given as float bits; ties go up. NaN for
// NaN, infinity and 1.5 * 2**127 or more. Between 2**-127 and 2**-126 it rounds up; smaller magnitudes become 2**-127.
uint8_t to_power_of_two(uint32_t magnitude) {
  if (magnitude >= kInfinity) return 0xff;
  const uint32_t half = magnitude < 0x800000u ? 0x3fffffu : 0x400000u;
  return static_cast<uint8_t>((magnitude + half) >> 23);
}

// Returns the code, without sign, of the number nearest to a magnitude (float bits), ties to even; a code greater than
// `f.largest` when the magnitude is too large.
uint32_t nearest_code(const SmallFloat& f, uint32_t magnitude) {
  const int dropped = 23 - f.mantissa_bits;
  if (magnitude < static_cast<uint32_t>(128 - f.bias) << 23) {  // subnormal: the float addition rounds
    const uint32_t step = static_cast<uint32_t>(128 - f.bias + dropped) << 23;
    return std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(step)) - step;
  }
  const uint32_t odd = (magnitude >> dropped) & 1u;
  const uint32_t rounded = magnitude + (1u << (dropped - 1)) - 1 + odd;
  return (rounded >> dropped) - (static_cast<uint32_t>(127 - f.bias) << f.mantissa_bits);
}

}  // namespace

bool is_small_float(DType dtype) { return dtype.code == TypeCode::Float8E8M0FNU || find_layout(dtype.code); }

const SmallFloat& small_float_layout(DType dtype) {
  const SmallFloat* layout = find_layout(dtype.code);
  SUNMAO_CHECK(layout, "{} is no small float", dtype.str());
  return *layout;
}

float largest_small_float(DType dtype) {
  const bool is_power = dtype.code == TypeCode::Float8E8M0FNU;
  return from_small_float(dtype, is_power ? uint8_t{0xfe} : small_float_layout(dtype).largest);
}

float from_small_float(DType dtype, uint8_t code) {
  if (dtype.code == TypeCode::Float8E8M0FNU) return from_power_of_two(code);
  const SmallFloat& f = small_float_layout(dtype);
  const unsigned sign = code & f.sign(), magnitude = code & (f.sign() - 1u);
  const bool is_nan = f.has_negative_zero ? magnitude > f.largest : sign && !magnitude;
  float value = 0;
  if (is_nan) {
    const bool is_infinite = f.has_negative_zero && magnitude == f.overflow;
    value = is_infinite ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  } else {
    const unsigned exponent = magnitude >> f.mantissa_bits, mantissa = magnitude & ((1u << f.mantissa_bits) - 1u);
    const unsigned whole = exponent ? mantissa | (1u << f.mantissa_bits) : mantissa;
    value =
        std::ldexp(static_cast<float>(whole), (exponent ? static_cast<int>(exponent) : 1) - f.bias - f.mantissa_bits);
  }
  return sign ? -value : value;
}

uint8_t to_small_float(DType dtype, float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffu;
  if (dtype.code == TypeCode::Float8E8M0FNU) return to_power_of_two(magnitude);
  const SmallFloat& f = small_float_layout(dtype);
  const auto sign = static_cast<uint8_t>(bits >> 31 ? f.sign() : 0);
  if (magnitude > kInfinity) return static_cast<uint8_t>(f.has_signed_nan ? f.nan | sign : f.nan);
  const uint32_t nearest = nearest_code(f, magnitude);
  const uint32_t code = nearest > f.largest ? f.overflow : nearest;
  if (code == 0 && !f.has_negative_zero) return 0;
  return static_cast<uint8_t>(code | sign);
}

}  // namespace sunmao
