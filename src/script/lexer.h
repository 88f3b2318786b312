// Lexer: the tokens of a script in the order of its text: words, numbers, strings, operators, and Python's layout (line
// ends, indentation). It knows nothing of what they mean.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "support/span.h"

namespace sunmao::script {

/// Where a piece of text stands; lines and columns count from 1, the end is exclusive.
struct Place {
  int line = 0, column = 0, end_line = 0, end_column = 0;
};
Place join(const Place& first, const Place& last);
Span to_span(const Ref<Source>& source, const Place& place);

enum class TokenKind : uint8_t { Name, Number, String, Operator, Newline, Indent, Dedent, End };

/// `text` points into the script; a string still has its quotes and prefix.
struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  Place place;
};

/// Indentation deeper than this is refused (Python's own limit).
constexpr size_t kMaxIndents = 100;

class Lexer {
 public:
  explicit Lexer(Ref<Source> source);
  /// Reads an expression that stands quoted inside the script: every token is placed at `at`. `text` must outlive it.
  Lexer(Ref<Source> source, std::string_view text, const Place& at);

  /// The next token; E0101 for text that is no token, E0103 for broken indentation.
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

/// The characters that a string token stands for; E0101 for a bad escape.
std::string decode_string(const Ref<Source>& source, const Token& token);

}  // namespace sunmao::script
