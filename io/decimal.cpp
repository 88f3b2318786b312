#include "io/decimal.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sunmao::io {

bool is_decimal_too_large(std::string_view digits) {
  const size_t exponent_at = std::min(digits.find_first_of("eE"), digits.size());
  const std::string_view mantissa = digits.substr(0, exponent_at);
  const auto point = static_cast<int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const size_t first = mantissa.find_first_of("123456789");
  if (first == std::string_view::npos) return false;
  std::string_view exponent_text = digits.substr(std::min(exponent_at + 1, digits.size()));
  const bool is_negative = exponent_text.starts_with('-');
  if (is_negative || exponent_text.starts_with('+')) exponent_text.remove_prefix(1);
  int64_t exponent = 0;
  for (const char c : exponent_text) exponent = std::min<int64_t>(exponent * 10 + (c - '0'), int64_t{1} << 40);
  return point - static_cast<int64_t>(first) + (is_negative ? -exponent : exponent) > 0;
}

}  // namespace sunmao::io
