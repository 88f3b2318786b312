// Decimal numbers that a floating-point type does not hold.
#pragma once
#include <string_view>

namespace sunmao::io {

/// True when a decimal number outside the range of its type is too large rather than too small, judged by the position
/// of its first significant digit. `digits` has no sign.
bool is_decimal_too_large(std::string_view digits);

}  // namespace sunmao::io
