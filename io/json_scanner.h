// JSON scanner: white space, strings, numbers, and skipping of unwanted values. It builds no tree.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "io/json.h"
#include "io/status.h"

namespace sunmao::io::json_detail {

/// A forward-only cursor over the text. A function that returns false has recorded a status; only the first one is
/// kept.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  /// Returns the next character after white space, or NUL at the end of the text.
  char peek();
  bool at_end() const { return at_ == end_; }
  /// Advances over the character that peek() returned.
  void advance() { ++at_; }

  /// Reads a string whose opening quote is next. Without escapes it points into the text; else it is decoded into
  /// memory of `storage`.
  bool string(Storage& storage, Node& out);
  bool number(Node& out);
  /// Reads null, true or false.
  bool word(Node& out);
  /// Skips a value, checking only that strings are closed, and that brackets match and are not nested too deeply.
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
