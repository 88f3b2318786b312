// Joins pieces of text and integers into one string. It formats nothing else: no widths, no floating point.
#pragma once
#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace sunmao::io {

namespace concat_detail {
inline void append(std::string& out, std::string_view text) { out += text; }
inline void append(std::string& out, char c) { out += c; }
template <std::integral T>
  requires(!std::same_as<T, bool> && !std::same_as<T, char>)
void append(std::string& out, T value) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
}
}  // namespace concat_detail

/// concat("entry `", name, "` has ", size, " bytes")
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (concat_detail::append(out, parts), ...);
  return out;
}

/// quoted(text): `text` in backquotes, cut to 120 bytes, with bytes as \xHH that are no UTF-8, or no visible character:
/// for names out of hostile files. An object, so that a std::string argument does not bring in std::quoted.
struct Quoted {
  std::string operator()(std::string_view text) const;
};
inline constexpr Quoted quoted;

}  // namespace sunmao::io
