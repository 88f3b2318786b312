// JSON writer: emits values one by one. Output is deterministic.
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

/// Containers are opened and closed in pairs, and in an object a key precedes each value:
///   w.begin_object().key("shape").begin_array().value(2).value(3).end_array().end_object();
/// Doubles are written such that they are read back exactly, non-finite ones as the strings "NaN", "Infinity" and
/// "-Infinity". Invalid UTF-8 is replaced by U+FFFD for each bad byte.
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
  JsonWriter& value(const JsonValue& value);  // including nested values; Missing is written as null
  JsonWriter& null();

  /// Returns the text so far: a complete document once all containers are closed.
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
  std::vector<bool> is_empty_;  // per open container
  bool after_key_ = false;
};

}  // namespace sunmao::io
