// Writes JSON, value after value. The same calls give the same bytes.
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/concat.h"
#include "io/json.h"

namespace sunmao::io {

struct JsonStyle {
  int indent = 0;  // spaces per level; 0 writes everything in one line without spaces
};

/// Containers are opened and closed in pairs, and in an object a key goes before each value:
///   w.begin_object().key("shape").begin_array().value(2).value(3).end_array().end_object();
/// Doubles are written so that they read back as the same double; non-finite ones as the strings "NaN", "Infinity"
/// and "-Infinity". Text that is not UTF-8 gets U+FFFD for each bad byte.
class JsonWriter {
 public:
  explicit JsonWriter(JsonStyle style = {}) : style_(style) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view key);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool truth);
  template <std::integral Integer>
    requires(!std::same_as<Integer, bool> && !std::same_as<Integer, char>)
  JsonWriter& value(Integer integer) {
    return number(concat(integer));
  }
  JsonWriter& value(double real);
  JsonWriter& value(const JsonValue& value);  // with everything in it; Missing is written as null
  JsonWriter& null();

  /// The text so far: a whole document once everything is closed.
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& number(std::string_view digits);
  void begin_value();
  void separate();
  void new_line();
  void write_string(std::string_view text);

  JsonStyle style_;
  std::string text_;
  std::vector<bool> is_empty_;  // for each open container
  bool after_key_ = false;
};

}  // namespace sunmao::io
