// Decodes hexadecimal digits, in which tests contain golden files of other programs.
#pragma once
#include <string>
#include <string_view>

namespace sunmao::io::test {

inline std::string unhex(std::string_view digits) {
  const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(static_cast<unsigned char>(value(digits[i]) * 16 + value(digits[i + 1])));
  }
  return bytes;
}

}  // namespace sunmao::io::test
