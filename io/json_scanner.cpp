#include "io/json_scanner.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <charconv>
#include <cstring>

#include "io/concat.h"
#include "io/decimal.h"
#include "io/json_storage.h"
#include "io/utf8.h"

namespace sunmao::io::json_detail {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }
bool is_plain(char c) { return !is_control(c) && static_cast<unsigned char>(c) < 0x80 && c != '"' && c != '\\'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view view(const char* from, const char* to) { return {from, static_cast<size_t>(to - from)}; }

}  // namespace

char Scanner::peek() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t')) ++at_;
  return at_ != end_ ? *at_ : '\0';
}

std::string Scanner::position() const {
  const std::string_view before = view(begin_, at_);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t column = before.size() - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  return concat(line, ":", column);
}

bool Scanner::fail(const char* code, std::string message) {
  if (status_.ok()) status_ = Status::error(code, concat("JSON at ", position(), ": ", message));
  return false;
}

/// Returns the first byte from `at` on that is not plain ASCII string content: a quote, backslash, control character,
/// byte above 0x7f, or the end.
const char* Scanner::plain_end(const char* at) const {
  if constexpr (std::endian::native == std::endian::little) {
    constexpr uint64_t kOnes = 0x0101010101010101;
    constexpr uint64_t kHigh = 0x8080808080808080;
    for (; end_ - at >= 8; at += 8) {
      uint64_t word;
      memcpy(&word, at, 8);
      const uint64_t quotes = word ^ (kOnes * '"');
      const uint64_t backslashes = word ^ (kOnes * '\\');
      // The subtraction sets the high bit of a byte that is zero (or below 0x20). A borrow may set it in later bytes
      // too, which does not matter as only the first set bit is used.
      const uint64_t stops = ((quotes - kOnes) & ~quotes) | ((backslashes - kOnes) & ~backslashes) |
                             ((word - kOnes * 0x20) & ~word) | word;
      if ((stops & kHigh) != 0) return at + std::countr_zero(stops & kHigh) / 8;
    }
  }
  while (at != end_ && is_plain(*at)) ++at;
  return at;
}

bool Scanner::string(Storage& storage, Node& out) {
  if (peek() != '"') return fail("E0820", "expected a string");
  const char* first = ++at_;
  for (;;) {
    at_ = plain_end(at_);
    if (at_ == end_) return fail("E0820", "the text ends inside a string");
    if (*at_ == '"') break;
    if (*at_ == '\\') return unescape(first, storage, out);
    if (is_control(*at_)) return fail("E0821", "control character in a string; write it as \\u00XX");
    const size_t length = utf8_length(view(at_, end_));
    if (length == 0) return fail("E0821", "string is not UTF-8");
    at_ += length;
  }
  out.text = first;
  out.size = static_cast<uint32_t>(at_ - first);
  out.kind = JsonKind::String;
  ++at_;
  return true;
}

/// Reads the rest of a string that began at `first` and whose first backslash is here. No escape is shorter than its
/// decoded form, so the length up to the closing quote bounds the memory.
bool Scanner::unescape(const char* first, Storage& storage, Node& out) {
  const char* escape_at = at_;
  if (!skip_string()) return false;
  const char* close = at_ - 1;
  at_ = escape_at;
  char* text = storage.allocate<char>(static_cast<size_t>(close - first));
  char* put = std::copy(first, escape_at, text);
  while (at_ != close) {
    if (*at_ == '\\') {
      if (!escape(put)) return false;
      continue;
    }
    const char* stop = plain_end(at_);
    if (stop == at_) {
      const size_t length = utf8_length(view(at_, close));
      if (length == 0) return fail("E0821", "string is not UTF-8");
      if (is_control(*at_)) return fail("E0821", "control character in a string; write it as \\u00XX");
      stop = at_ + length;
    }
    put = std::copy(at_, stop, put);
    at_ = stop;
  }
  out.text = text;
  out.size = static_cast<uint32_t>(put - text);
  out.kind = JsonKind::String;
  at_ = close + 1;
  return true;
}

bool Scanner::hex4(uint32_t& value) {
  const char* stop = at_ + std::min<ptrdiff_t>(4, end_ - at_);
  const std::from_chars_result result = std::from_chars(at_, stop, value, 16);
  if (result.ptr != at_ + 4) return fail("E0821", "expected four hexadecimal digits after \\u");
  at_ += 4;
  return true;
}

bool Scanner::escape(char*& out) {
  constexpr std::string_view kNames = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  const char name = at_[1];  // in bounds, as a closing quote follows
  at_ += 2;
  if (name != 'u') {
    const size_t index = kNames.find(name);
    if (index == std::string_view::npos) return fail("E0821", "unknown escape in a string");
    *out++ = kMeanings[index];
    return true;
  }
  uint32_t code_point = 0;
  if (!hex4(code_point)) return false;
  if (code_point >= 0xdc00 && code_point < 0xe000) return fail("E0821", "low surrogate without a high one before it");
  if (code_point >= 0xd800 && code_point < 0xdc00) {
    uint32_t low = 0;
    const bool has_more = end_ - at_ >= 2 && at_[0] == '\\' && at_[1] == 'u';
    if (!has_more) return fail("E0821", "high surrogate without a low one after it");
    at_ += 2;
    if (!hex4(low)) return false;
    if (low < 0xdc00 || low >= 0xe000) return fail("E0821", "high surrogate without a low one after it");
    code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
  }
  out += encode_utf8(code_point, out);
  return true;
}

bool Scanner::number(Node& out) {
  const char* first = at_;
  const auto digits = [&] {
    const char* before = at_;
    while (at_ != end_ && is_digit(*at_)) ++at_;
    return at_ != before;
  };
  if (at_ != end_ && *at_ == '-') ++at_;
  const char* whole = at_;
  if (!digits()) return fail("E0820", "expected a digit");
  if (*whole == '0' && at_ - whole > 1) return fail("E0820", "number with a leading zero");
  bool is_integer = true;
  if (at_ != end_ && *at_ == '.') {
    is_integer = false;
    ++at_;
    if (!digits()) return fail("E0820", "expected a digit after the point");
  }
  if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
    is_integer = false;
    ++at_;
    if (at_ != end_ && (*at_ == '+' || *at_ == '-')) ++at_;
    if (!digits()) return fail("E0820", "expected a digit in the exponent");
  }
  out.size = 0;
  out.kind = JsonKind::Int;
  if (is_integer && std::from_chars(first, at_, out.integer).ec == std::errc()) return true;
  out.kind = JsonKind::Double;
  if (std::from_chars(first, at_, out.real).ec == std::errc()) return true;
  if (is_decimal_too_large(view(whole, at_))) return fail("E0824", "number is beyond the range of double");
  out.real = *first == '-' ? -0.0 : 0.0;
  return true;
}

bool Scanner::word(Node& out) {
  struct Word {
    std::string_view text;
    JsonKind kind;
    int64_t integer;
  };
  static constexpr Word kWords[] = {
      {"null", JsonKind::Null, 0}, {"true", JsonKind::Bool, 1}, {"false", JsonKind::Bool, 0}};
  for (const Word& word : kWords) {
    if (!view(at_, end_).starts_with(word.text)) continue;
    at_ += word.text.size();
    out.integer = word.integer;
    out.size = 0;
    out.kind = word.kind;
    return true;
  }
  return fail("E0820", at_ == end_ ? "the text ends where a value should be" : "expected a value");
}

/// Advances from inside a string to after its closing quote.
bool Scanner::skip_string() {
  for (;;) {
    at_ = plain_end(at_);
    if (at_ == end_ || (*at_ == '\\' && end_ - at_ == 1)) return fail("E0820", "the text ends inside a string");
    const char c = *at_;
    at_ += c == '\\' ? 2 : 1;
    if (c == '"') return true;
  }
}

bool Scanner::skip_value() {
  std::bitset<kMaxJsonDepth> is_object;
  size_t depth = 0;
  if (const char c = peek(); c == '\0' || c == ',' || c == ':' || c == '}' || c == ']') {
    return fail("E0820", "expected a value");
  }
  do {
    const char c = peek();
    if (at_ == end_) return fail("E0820", "the text ends inside an array or object");
    ++at_;
    if (c == '"') {
      if (!skip_string()) return false;
    } else if (c == '{' || c == '[') {
      if (depth == kMaxJsonDepth) return fail("E0822", "nested more than 512 deep");
      is_object[depth++] = c == '{';
    } else if (c == '}' || c == ']') {
      if (is_object[--depth] != (c == '}')) return fail("E0820", "brackets do not match");
    } else if (depth == 0) {
      while (at_ != end_ && strchr(",}] \t\r\n", *at_) == nullptr) ++at_;
    }
  } while (depth > 0);
  return true;
}

}  // namespace sunmao::io::json_detail
