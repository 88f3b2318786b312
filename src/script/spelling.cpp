#include "script/spelling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "io/decimal.h"

namespace sunmao::script {

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
          out += fmt::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        else
          out += c;
    }
  }
  return out + "\"";
}

namespace {

template <class T>
std::string spell(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string without_underscores(std::string_view text) {
  std::string out(text);
  std::erase(out, '_');
  return out;
}

template <class T>
std::optional<T> read_decimal(std::string_view text) {
  std::string plain = without_underscores(text);
  T value = 0;
  auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (end != plain.data() + plain.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    const bool is_negative = plain.starts_with('-');
    const T magnitude = io::is_decimal_too_large(plain.substr(is_negative)) ? std::numeric_limits<T>::infinity() : T{0};
    return is_negative ? -magnitude : magnitude;
  }
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

constexpr std::array<std::string_view, 35> kWords{
    "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
    "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
    "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
    "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};

bool may_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

std::string spell_float(double value) { return spell(value); }
std::string spell_float(float value) { return spell(value); }

bool is_name(std::string_view text) {
  if (text.empty() || !may_start(text[0]) || std::ranges::find(kWords, text) != kWords.end()) return false;
  return std::ranges::all_of(text, [](char c) { return may_start(c) || (c >= '0' && c <= '9'); });
}

std::string to_name(std::string_view hint) {
  std::string out;
  if (hint.empty() || (hint[0] >= '0' && hint[0] <= '9')) out += 'v';
  for (char c : hint) out += may_start(c) || (c >= '0' && c <= '9') ? c : '_';
  if (!is_name(out)) out += '_';
  return out;
}

std::optional<uint64_t> read_integer(std::string_view text) {
  std::string plain = without_underscores(text);
  int base = 10;
  size_t skip = 0;
  if (plain.size() > 1 && plain[0] == '0') {
    char mark = plain[1];
    base = mark == 'x' || mark == 'X' ? 16 : mark == 'o' || mark == 'O' ? 8 : mark == 'b' || mark == 'B' ? 2 : 10;
    skip = base == 10 ? 0 : 2;
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(plain.data() + skip, plain.data() + plain.size(), value, base);
  if (error != std::errc() || end != plain.data() + plain.size()) return std::nullopt;
  return value;
}

std::optional<double> read_double(std::string_view text) { return read_decimal<double>(text); }
std::optional<float> read_float(std::string_view text) { return read_decimal<float>(text); }

bool is_float_text(std::string_view text) {
  if (text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) return false;
  return text.find_first_of(".eE") != std::string_view::npos;
}

}  // namespace sunmao::script
