#include "io/utf8.h"

namespace sunmao::io {

size_t utf8_length(std::string_view text) {
  const auto at = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](size_t i) { return (at(i) & 0xc0) == 0x80; };
  const unsigned lead = at(0);
  if (text.empty()) return 0;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || !follows(1)) return 0;
  if (lead < 0xe0) return 2;
  if (!follows(2)) return 0;
  if (lead < 0xf0) {
    const bool is_overlong = lead == 0xe0 && at(1) < 0xa0;
    const bool is_surrogate = lead == 0xed && at(1) >= 0xa0;
    return is_overlong || is_surrogate ? 0 : 3;
  }
  const bool is_overlong = lead == 0xf0 && at(1) < 0x90;
  const bool is_too_large = lead > 0xf4 || (lead == 0xf4 && at(1) >= 0x90);
  return is_overlong || is_too_large || !follows(3) ? 0 : 4;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

size_t encode_utf8(uint32_t code_point, char* out) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((code_point >> shift) & 0x3f)); };
  if (code_point < 0x80) {
    out[0] = static_cast<char>(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = static_cast<char>(0xc0 | code_point >> 6);
    out[1] = tail(0);
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = static_cast<char>(0xe0 | code_point >> 12);
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xf0 | code_point >> 18);
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

}  // namespace sunmao::io
