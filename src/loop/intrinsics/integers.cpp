#include "loop/intrinsics/integers.h"

namespace sunmao::intrinsics {
namespace {

bool is_within(DType t, int64_t count) { return count >= 0 && count < (t.is_bool() ? 1 : t.bits); }

}  // namespace

int64_t same_integer(DType /*dtype*/, const int64_t* x) { return x[0]; }

int64_t magnitude_of_integer(DType dtype, const int64_t* x) {
  const bool is_negative = dtype.is_int() && x[0] < 0;
  return is_negative ? static_cast<int64_t>(-static_cast<uint64_t>(x[0])) : x[0];
}

int64_t and_of_integers(DType /*dtype*/, const int64_t* x) { return x[0] & x[1]; }
int64_t or_of_integers(DType /*dtype*/, const int64_t* x) { return x[0] | x[1]; }
int64_t xor_of_integers(DType /*dtype*/, const int64_t* x) { return x[0] ^ x[1]; }
int64_t not_of_integer(DType /*dtype*/, const int64_t* x) { return ~x[0]; }

int64_t shift_left_of_integers(DType dtype, const int64_t* x) {
  return is_within(dtype, x[1]) ? static_cast<int64_t>(static_cast<uint64_t>(x[0]) << x[1]) : 0;
}

int64_t shift_right_of_integers(DType dtype, const int64_t* x) {
  if (dtype.is_int()) return x[0] >> (is_within(dtype, x[1]) ? x[1] : dtype.bits - 1);
  return is_within(dtype, x[1]) ? static_cast<int64_t>(static_cast<uint64_t>(x[0]) >> x[1]) : 0;
}

int64_t power_of_integers(DType dtype, const int64_t* x) {
  const int64_t base = x[0], power = x[1];
  if (!dtype.is_uint() && power < 0) return base == 1 ? 1 : base == -1 ? (power % 2 ? -1 : 1) : 0;
  uint64_t result = 1, square = static_cast<uint64_t>(base);
  for (uint64_t exponent = static_cast<uint64_t>(power); exponent > 0; exponent >>= 1, square *= square)
    if (exponent & 1) result *= square;
  return static_cast<int64_t>(result);
}

}  // namespace sunmao::intrinsics
