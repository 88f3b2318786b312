// JSON reader: parses text into an immutable tree. Strict RFC 8259: valid UTF-8, no bare NaN or Infinity, no comments.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "io/bytes.h"
#include "io/status.h"

namespace sunmao::io {

inline constexpr int kMaxJsonDepth = 512;

enum class JsonKind : uint8_t { Missing, Null, Bool, Int, Double, String, Array, Object };

namespace json_detail {
struct Node {
  union {
    int64_t integer;
    double real;
    const char* text;
    const Node* children;   // of an object: keys and values alternate
    const uint32_t* order;  // see json_storage.h
  };
  uint32_t size;  // string: bytes; array: elements; object: members
  JsonKind kind;
};
struct Storage;
}  // namespace json_detail

struct JsonMember;

/// A handle to a value in a JsonDocument, valid as long as the document; cheap to copy. A failed look-up (missing key
/// or index, or a value of another kind) returns a value of kind Missing, so that look-ups can be chained.
class JsonValue {
 public:
  JsonValue() = default;  // Missing

  JsonKind kind() const { return node_ ? node_->kind : JsonKind::Missing; }
  bool exists() const { return node_ != nullptr; }
  bool is_null() const { return kind() == JsonKind::Null; }
  bool is_string() const { return kind() == JsonKind::String; }
  bool is_array() const { return kind() == JsonKind::Array; }
  bool is_object() const { return kind() == JsonKind::Object; }

  /// Return the value; absent when it is of another kind. An integer beyond int64 is a Double, not an Int.
  std::optional<bool> as_bool() const;
  std::optional<int64_t> as_int() const;
  std::optional<double> as_double() const;  // also of an Int
  std::optional<std::string_view> as_string() const;

  /// Returns the number of elements or members; 0 for other kinds.
  size_t size() const { return is_array() || is_object() ? node_->size : 0; }
  /// Returns an element of an array, or the value of an object's member in text order.
  JsonValue operator[](size_t index) const;
  JsonMember member(size_t index) const;
  /// Returns the value of a key; takes logarithmic time.
  JsonValue operator[](std::string_view key) const;

  /// Ranges for `for` loops; empty when the value is of another kind.
  auto elements() const;  // range of JsonValue
  auto members() const;   // range of JsonMember

 private:
  friend class JsonDocument;
  explicit JsonValue(const json_detail::Node* node) : node_(node) {}

  const json_detail::Node* node_ = nullptr;
};

struct JsonMember {
  std::string_view key;
  JsonValue value;
};

struct JsonOptions {
  /// Returns true for members to skip. `parent_key` is the key of the enclosing object (empty at the top level;
  /// elements of an array inherit the array's). Skipped values are only checked for closed strings, matching brackets
  /// and depth.
  std::function<bool(std::string_view parent_key, std::string_view key)> skip;
};

/// Owns the tree and the text, which strings without escapes point into. Duplicate keys in an object are an error.
/// Memory use is linear in the size of the text.
class JsonDocument {
 public:
  static Result<JsonDocument> parse(Bytes text, const JsonOptions& options = {});
  /// Parses a copy of the text.
  static Result<JsonDocument> parse(std::string_view text, const JsonOptions& options = {});

  JsonValue root() const;

 private:
  explicit JsonDocument(std::shared_ptr<const json_detail::Storage> storage) : storage_(std::move(storage)) {}

  std::shared_ptr<const json_detail::Storage> storage_;
};

namespace json_detail {
template <class Item, Item (*at)(const JsonValue&, size_t)>
struct Range {
  struct Iterator {
    JsonValue value;
    size_t index;
    Item operator*() const { return at(value, index); }
    Iterator& operator++() { return ++index, *this; }
    bool operator!=(const Iterator& other) const { return index != other.index; }
  };
  JsonValue value;
  size_t count;
  Iterator begin() const { return {value, 0}; }
  Iterator end() const { return {value, count}; }
  size_t size() const { return count; }
};
inline JsonValue element_at(const JsonValue& value, size_t index) { return value[index]; }
inline JsonMember member_at(const JsonValue& value, size_t index) { return value.member(index); }
}  // namespace json_detail

inline auto JsonValue::elements() const {
  return json_detail::Range<JsonValue, json_detail::element_at>{*this, is_array() ? size() : 0};
}
inline auto JsonValue::members() const {
  return json_detail::Range<JsonMember, json_detail::member_at>{*this, is_object() ? size() : 0};
}

}  // namespace sunmao::io
