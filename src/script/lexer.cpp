#include "script/lexer.h"

#include <array>
#include <optional>

#include "support/diagnostic.h"

namespace sunmao::script {
namespace {

// Non-ASCII letters are allowed in names, as in Python.
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

// The operators, longest first, so that the first match is the longest.
constexpr std::array<std::string_view, 46> kOperators{
    "**=", "//=", ">>=", "<<=", "...", "->", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+=", "-=",
    "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "@=", ":=", "+",  "-",  "*",  "/",  "%",  "@",  "&",  "|",
    "^",   "~",   "<",   ">",   "(",   ")",  "[",  "]",  "{",  "}",  ",",  ":",  ".",  "="};

}  // namespace

Place join(const Place& first, const Place& last) { return {first.line, first.column, last.end_line, last.end_column}; }

Span to_span(const Ref<Source>& source, const Place& p) {
  return SpanNode::make(source, p.line, p.column, p.end_line == p.line ? p.end_column : p.column + 1);
}

Lexer::Lexer(Ref<Source> source) : source_(std::move(source)), text_(source_->text) {
  if (text_.starts_with("\xef\xbb\xbf")) position_ = 3;  // a byte order mark
}

Lexer::Lexer(Ref<Source> source, std::string_view text, const Place& at)
    : source_(std::move(source)), text_(text), quoted_(true), quoted_place_(at), line_start_(false) {
  brackets_ = 1;  // line ends are insignificant inside quotes
}

void Lexer::error(const char* code, const Place& place, const std::string& message, const std::string& help) const {
  fail(code, to_span(source_, quoted_ ? quoted_place_ : place), message, help);
}

Place Lexer::here(size_t width) const { return {line_, column_, line_, column_ + static_cast<int>(width)}; }

void Lexer::advance(size_t count) {
  position_ += count;
  column_ += static_cast<int>(count);
}

bool Lexer::skip_line_end() {
  size_t width = peek() == '\r' && peek(1) == '\n' ? 2 : peek() == '\n' || peek() == '\r' ? 1 : 0;
  if (width == 0) return false;
  position_ += width;
  ++line_;
  column_ = 1;
  return true;
}

void Lexer::skip_blank() {
  while (!at_end()) {
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      advance(1);
    } else if (c == '#') {
      while (!at_end() && peek() != '\n' && peek() != '\r') advance(1);
    } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
      advance(1);
      skip_line_end();
    } else if (!(brackets_ > 0 && skip_line_end())) {
      return;
    }
  }
}

// Reads the start of a logical line, after blank lines and comments: returns `Indent` or `Dedent` as the indentation
// stack requires, else the first token of the line.
Token Lexer::layout() {
  int width = 0;
  for (;;) {
    width = 0;
    for (; peek() == ' ' || peek() == '\t' || peek() == '\f'; advance(1))
      width = peek() == '\t' ? (width / 8 + 1) * 8 : width + 1;
    if (peek() == '#') skip_blank();
    if (!skip_line_end()) break;
  }
  line_start_ = false;
  if (at_end()) width = indents_.empty() ? 0 : indents_.front();
  if (indents_.empty()) indents_.push_back(width);  // the whole script may be indented
  Place place = here();
  if (width > indents_.back()) {
    indents_.push_back(width);
    if (indents_.size() > kMaxIndents)
      error("E0104", place, fmt::format("more than {} levels of indentation", kMaxIndents));
    return {TokenKind::Indent, {}, place};
  }
  for (; indents_.size() > 1 && width < indents_.back(); ++dedents_) indents_.pop_back();
  if (width != indents_.back())
    error("E0103", place, "the indentation fits none of the blocks around it", "align the line with an earlier one");
  if (dedents_ == 0) return next();
  --dedents_;
  return {TokenKind::Dedent, {}, place};
}

Token Lexer::next() {
  if (dedents_ > 0) {
    --dedents_;
    return {TokenKind::Dedent, {}, here()};
  }
  if (line_start_ && brackets_ == 0) return layout();
  skip_blank();
  if (at_end()) {
    if (line_has_tokens_ && !quoted_) {
      line_has_tokens_ = false;
      return {TokenKind::Newline, {}, here()};
    }
    if (indents_.size() > 1) {
      indents_.pop_back();
      return {TokenKind::Dedent, {}, here()};
    }
    return {TokenKind::End, {}, quoted_ ? quoted_place_ : here()};
  }
  Place start = here();
  if (skip_line_end()) {
    line_start_ = true;
    line_has_tokens_ = false;
    return {TokenKind::Newline, {}, start};
  }
  line_has_tokens_ = true;
  char c = peek();
  if (starts_name(c)) {
    size_t end = position_, begin = position_;
    while (end < text_.size() && continues_name(text_[end])) ++end;
    if (end < text_.size() && (text_[end] == '"' || text_[end] == '\'') && end - begin <= 2) {
      std::string_view prefix = text_.substr(begin, end - begin);
      if (prefix.find_first_not_of("rRbBuUfF") == std::string_view::npos) return read_string(end - begin);
    }
    advance(end - begin);
    return finish(TokenKind::Name, begin, start.line, start.column);
  }
  if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
  if (c == '"' || c == '\'') return read_string(0);
  return read_operator();
}

Token Lexer::finish(TokenKind kind, size_t begin, int line, int column) {
  Place place = quoted_ ? quoted_place_ : Place{line, column, line_, column_};
  return {kind, text_.substr(begin, position_ - begin), place};
}

Token Lexer::read_number() {
  size_t begin = position_;
  int line = line_, column = column_;
  if (peek() == '0' &&
      (peek(1) == 'x' || peek(1) == 'X' || peek(1) == 'o' || peek(1) == 'O' || peek(1) == 'b' || peek(1) == 'B')) {
    advance(2);
    while (continues_name(peek())) advance(1);
    return finish(TokenKind::Number, begin, line, column);
  }
  auto digits = [&] {
    while (is_digit(peek()) || peek() == '_') advance(1);
  };
  digits();
  if (peek() == '.') {
    advance(1);
    digits();
  }
  if (peek() == 'e' || peek() == 'E') {
    size_t sign = peek(1) == '+' || peek(1) == '-' ? 2 : 1;
    if (is_digit(peek(sign))) {
      advance(sign);
      digits();
    }
  }
  if (starts_name(peek()))
    error("E0101", here(), fmt::format("`{}` runs into a name", text_.substr(begin, position_ - begin)),
          "numbers are decimal, hexadecimal (0x…), octal (0o…) or binary (0b…)");
  return finish(TokenKind::Number, begin, line, column);
}

Token Lexer::read_string(size_t prefix) {
  size_t begin = position_;
  int line = line_, column = column_;
  Place start = here(prefix + 1);
  bool raw = text_.substr(begin, prefix).find_first_of("rR") != std::string_view::npos;
  if (text_.substr(begin, prefix).find_first_of("fF") != std::string_view::npos)
    error("E0105", start, "formatted strings are not part of the dialect", "write the text out");
  advance(prefix);
  char quote = peek();
  size_t quotes = peek(1) == quote && peek(2) == quote ? 3 : 1;
  advance(quotes);
  while (!at_end()) {
    if (peek() == '\\') {
      advance(1);
      if (!skip_line_end() && !at_end()) advance(1);
      continue;
    }
    if (peek() == quote && (quotes == 1 || (peek(1) == quote && peek(2) == quote))) {
      advance(quotes);
      return finish(TokenKind::String, begin, line, column);
    }
    if (peek() == '\n' || peek() == '\r') {
      if (quotes == 1) break;
      skip_line_end();
    } else {
      advance(1);
    }
  }
  error("E0101", start, "the string has no end",
        raw ? "a backslash keeps a quote from ending a raw string too" : "close it with the quote that opened it");
}

Token Lexer::read_operator() {
  size_t begin = position_;
  int line = line_, column = column_;
  const std::string_view rest = text_.substr(position_);
  for (std::string_view op : kOperators) {
    if (op.front() != peek() || !rest.starts_with(op)) continue;
    if (op == "(" || op == "[" || op == "{") ++brackets_;
    if ((op == ")" || op == "]" || op == "}") && brackets_ > (quoted_ ? 1 : 0)) --brackets_;
    advance(op.size());
    return finish(TokenKind::Operator, begin, line, column);
  }
  if (peek() == ';') {
    advance(1);
    return finish(TokenKind::Newline, begin, line, column);
  }
  unsigned char c = static_cast<unsigned char>(peek());
  error("E0101", here(),
        c >= 0x20 && c < 0x7f ? fmt::format("`{}` means nothing here", peek())
                              : fmt::format("a byte 0x{:02x} in the script", c),
        "scripts are UTF-8 text");
}

namespace {

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

void append_utf8(std::string& out, uint32_t c) {
  auto put = [&](uint32_t byte) { out += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xc0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      put(0xe0 | (c >> 12));
    } else {
      put(0xf0 | (c >> 18));
      put(0x80 | ((c >> 12) & 0x3f));
    }
    put(0x80 | ((c >> 6) & 0x3f));
  }
  put(0x80 | (c & 0x3f));
}

// Decodes the hexadecimal digits of `\x41` or `\u00e9`; absent when one is missing or the value exceeds U+10FFFF.
std::optional<uint32_t> hex_escape(std::string_view body, size_t from, size_t digits) {
  uint32_t value = 0;
  if (from + digits > body.size()) return std::nullopt;
  for (size_t i = from; i < from + digits; ++i) {
    int d = hex_digit(body[i]);
    if (d < 0) return std::nullopt;
    value = value * 16 + static_cast<uint32_t>(d);
  }
  return value <= 0x10ffff ? std::optional(value) : std::nullopt;
}

bool is_octal_digit(char c) { return c >= '0' && c <= '7'; }

}  // namespace

std::string decode_string(const Ref<Source>& source, const Token& token) {
  size_t open = token.text.find_first_of("\"'");
  std::string_view prefix = token.text.substr(0, open);
  bool raw = prefix.find_first_of("rR") != std::string_view::npos;
  std::string_view body = token.text.substr(open);
  size_t quotes = body.size() >= 6 && body[1] == body[0] && body[2] == body[0] ? 3 : 1;
  body = body.substr(quotes, body.size() - 2 * quotes);
  std::string out;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] == '\r') {  // universal newlines
      if (i + 1 < body.size() && body[i + 1] == '\n') ++i;
      out += '\n';
      continue;
    }
    if (raw || body[i] != '\\' || i + 1 >= body.size()) {
      out += body[i];
      continue;
    }
    char c = body[++i];
    static constexpr std::string_view kPlain = "\\'\"nrtabfv", kMeaning = "\\'\"\n\r\t\a\b\f\v";
    if (c == '\n') continue;
    if (c == 'x' || c == 'u' || c == 'U') {
      size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
      std::optional<uint32_t> value = hex_escape(body, i + 1, digits);
      if (!value)
        fail("E0101", to_span(source, token.place), fmt::format("`\\{}` needs {} hexadecimal digits", c, digits));
      if (*value >= 0xd800 && *value <= 0xdfff)
        fail("E0101", to_span(source, token.place), fmt::format("`\\{}` names U+{:X}, half of a character", c, *value),
             "write the character itself, or its number after `\\U`");
      append_utf8(out, *value);
      i += digits;
    } else if (is_octal_digit(c)) {
      uint32_t value = static_cast<uint32_t>(c - '0');
      for (int digits = 1; digits < 3 && i + 1 < body.size() && is_octal_digit(body[i + 1]); ++digits)
        value = value * 8 + static_cast<uint32_t>(body[++i] - '0');
      append_utf8(out, value);
    } else if (size_t at = kPlain.find(c); at != std::string_view::npos) {
      out += kMeaning[at];
    } else {
      out += '\\';
      out += c;
    }
  }
  return out;
}

}  // namespace sunmao::script
