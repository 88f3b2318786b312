// Lexer: splits a script into tokens (words, numbers, strings, operators) and Python's layout tokens (line ends,
// indentation). It does not interpret them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "support/span.h"

namespace sunmao::script {

/// A source range; lines and columns count from 1, the end is exclusive.
struct Place {
  int line = 0, column = 0, end_line = 0, end_column = 0;
};
Place join(const Place& first, const Place& last);
Span to_span(const Ref<Source>& source, const Place& place);

enum class TokenKind : uint8_t { Name, Number, String, Operator, Newline, Indent, Dedent, End };

/// A token. `text` points into the text being lexed; a string token includes its quotes and prefix.
struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  Place place;
};

/// The most levels of indentation; the limit is Python's.
constexpr size_t kMaxIndents = 100;

class Lexer {
 public:
  explicit Lexer(Ref<Source> source);
  /// Tokenises an expression quoted inside the script: every token gets the place `at`. `text` must outlive the lexer.
  Lexer(Ref<Source> source, std::string_view text, const Place& at);

  /// Returns the next token. E0101 for text that is no token, E0103 for inconsistent indentation, E0104 for more than
  /// kMaxIndents levels, E0105 for tokens that the dialect lacks.
  Token next();

 private:
  bool at_end() const { return position_ >= text_.size(); }
  char peek(size_t ahead = 0) const { return position_ + ahead < text_.size() ? text_[position_ + ahead] : '\0'; }
  void advance(size_t count);
  bool skip_line_end();
  void skip_blank();
  Token layout();
  Token finish(TokenKind kind, size_t begin, int line, int column);
  Token read_number();
  Token read_string(size_t prefix);
  Token read_operator();
  Place here(size_t width = 1) const;
  [[noreturn]] void error(const char* code, const Place& place, const std::string& message,
                          const std::string& help = {}) const;

  Ref<Source> source_;
  std::string_view text_;
  bool quoted_ = false;
  Place quoted_place_;
  size_t position_ = 0;
  int line_ = 1, column_ = 1;
  int brackets_ = 0;
  bool line_start_ = true;
  bool line_has_tokens_ = false;
  int dedents_ = 0;
  std::vector<int> indents_;
};

/// Returns the characters that a string token denotes; E0101 for a bad escape.
std::string decode_string(const Ref<Source>& source, const Token& token);

}  // namespace sunmao::script
