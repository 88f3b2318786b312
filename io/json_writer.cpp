#include "io/json_writer.h"

#include <charconv>
#include <cmath>

#include "io/utf8.h"

namespace sunmao::io {

namespace {
constexpr char kHexDigits[] = "0123456789abcdef";
}

JsonWriter& JsonWriter::open(char bracket) {
  begin_value();
  text_ += bracket;
  is_empty_.push_back(true);
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const bool was_empty = is_empty_.back();
  is_empty_.pop_back();
  if (!was_empty) new_line();
  text_ += bracket;
  return *this;
}

void JsonWriter::new_line() {
  if (style_.indent == 0) return;
  text_ += '\n';
  text_.append(is_empty_.size() * static_cast<size_t>(style_.indent), ' ');
}

/// Writes the comma before all but the first item of a container and, with indentation, the line break before each
/// item.
void JsonWriter::separate() {
  if (is_empty_.empty()) return;
  if (!is_empty_.back()) text_ += ',';
  is_empty_.back() = false;
  new_line();
}

void JsonWriter::begin_value() {
  if (!after_key_) separate();
  after_key_ = false;
}

JsonWriter& JsonWriter::key(std::string_view key) {
  separate();
  write_string(key);
  text_ += style_.indent == 0 ? ":" : ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  begin_value();
  write_string(text);
  return *this;
}

JsonWriter& JsonWriter::number(std::string_view digits) {
  begin_value();
  text_ += digits;
  return *this;
}

JsonWriter& JsonWriter::value(bool truth) { return number(truth ? "true" : "false"); }

JsonWriter& JsonWriter::null() { return number("null"); }

JsonWriter& JsonWriter::value(double real) {
  if (std::isnan(real)) return value("NaN");
  if (std::isinf(real)) return value(real > 0 ? "Infinity" : "-Infinity");
  char digits[32];  // the longest shortest representation has 24 characters
  char* end = std::to_chars(digits, digits + sizeof(digits), real).ptr;
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";  // must be read back as a double
  return number(text);
}

JsonWriter& JsonWriter::value(const JsonValue& value_in) {
  switch (value_in.kind()) {
    case JsonKind::Missing:
    case JsonKind::Null: return null();
    case JsonKind::Bool: return value(*value_in.as_bool());
    case JsonKind::Int: return value(*value_in.as_int());
    case JsonKind::Double: return value(*value_in.as_double());
    case JsonKind::String: return value(*value_in.as_string());
    case JsonKind::Array:
      begin_array();
      for (const JsonValue element : value_in.elements()) value(element);
      return end_array();
    case JsonKind::Object:
      begin_object();
      for (const JsonMember member : value_in.members()) key(member.key).value(member.value);
      return end_object();
  }
  return *this;
}

void JsonWriter::write_string(std::string_view text) {
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
  constexpr std::string_view kShortNames = "\"\\bfnrt";
  text_ += '"';
  while (!text.empty()) {
    const char c = text.front();
    const size_t length = utf8_length(text);
    if (length == 0) {
      text_ += "\xef\xbf\xbd";  // U+FFFD
    } else if (const size_t index = kShort.find(c); index != std::string_view::npos) {
      text_ += '\\';
      text_ += kShortNames[index];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += "\\u00";
      text_ += kHexDigits[c >> 4];
      text_ += kHexDigits[c & 15];
    } else {
      text_ += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  text_ += '"';
}

}  // namespace sunmao::io
