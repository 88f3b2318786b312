// The text of a JSON document: white space, strings, numbers, and stepping over what nobody wants. It builds no tree.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "io/json.h"
#include "io/status.h"

namespace sunmao::io::json_detail {

/// A position in the text that only moves forwards. Functions that return false have left a status; only the first
/// one counts.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  /// The next character after white space, or NUL at the end of the text.
  char peek();
  bool at_end() const { return at_ == end_; }
  /// Steps over the character that peek() gave.
  void advance() { ++at_; }

  /// Reads a string, of which the opening quote is next. Without escapes it is a part of the text; else it is made in
  /// memory from `storage`.
  bool string(Storage& storage, Node& out);
  bool number(Node& out);
  /// null, true or false.
  bool word(Node& out);
  /// Steps over a value: closed strings and matching brackets, and nothing else is checked.
  bool skip_value();

  bool fail(const char* code, std::string message);
  const Status& status() const { return status_; }

 private:
  bool unescape(const char* first, Storage& storage, Node& out);
  bool escape(char*& out);
  bool hex4(uint32_t& value);
  bool skip_string();
  const char* plain_end(const char* at) const;
  std::string position() const;

  const char* begin_;
  const char* at_;
  const char* end_;
  Status status_;
};

}  // namespace sunmao::io::json_detail
