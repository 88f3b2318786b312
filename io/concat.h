// concat: joins text and integers into one string. It has no other formatting: no widths, no floating point.
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

/// Example: concat("entry `", name, "` has ", size, " bytes").
template <class... Parts>
std::string concat(const Parts&... parts) {
  std::string out;
  (concat_detail::append(out, parts), ...);
  return out;
}

/// quoted(text) returns `text` in backquotes for messages: at most 120 bytes of it, then "...", with the bytes of
/// invalid or invisible characters as \xHH; for names from untrusted files. It is an object to prevent
/// argument-dependent lookup of std::quoted for std::string arguments.
struct Quoted {
  std::string operator()(std::string_view text) const;
};
inline constexpr Quoted quoted;

}  // namespace sunmao::io
