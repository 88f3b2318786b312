// Writes JSON, value after value. The same calls give the same bytes.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  JsonWriter& value(int64_t integer);
  JsonWriter& value(int integer) { return value(int64_t{integer}); }
  JsonWriter& value(uint64_t integer);
  JsonWriter& value(double real);
  JsonWriter& value(const JsonValue& value);  // with everything in it; Missing is written as null
  JsonWriter& null();

  /// The text so far: a whole document once everything is closed.
  const std::string& text() const { return text_; }
  std::string take() { return std::move(text_); }

 private:
  struct Level {
    bool is_empty = true;
  };
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  void begin_value();
  void separate();
  void new_line();
  void write_string(std::string_view text);

  JsonStyle style_;
  std::string text_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

}  // namespace sunmao::io
