// JSON read into an immutable tree. Strict RFC 8259: UTF-8 checked, no bare NaN or Infinity, no comments.
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
    const Node* children;   // an object's members are key and value in turn
    const uint32_t* order;  // see json_storage.h
  };
  uint32_t size;  // of a string, in bytes; of an array; of an object, in members
  JsonKind kind;
};
struct Storage;
}  // namespace json_detail

struct JsonMember;

/// A value inside a JsonDocument, and good for as long as that lives. Small: pass it by value. What is not there (a
/// key, an index, a member of something that is no object) is a value of kind Missing, so look-ups can be chained.
class JsonValue {
 public:
  JsonValue() = default;  // Missing

  JsonKind kind() const { return node_ ? node_->kind : JsonKind::Missing; }
  bool exists() const { return node_ != nullptr; }
  bool is_null() const { return kind() == JsonKind::Null; }
  bool is_string() const { return kind() == JsonKind::String; }
  bool is_array() const { return kind() == JsonKind::Array; }
  bool is_object() const { return kind() == JsonKind::Object; }

  /// Nothing when the value is of another kind. An integer beyond int64 is a Double and no Int.
  std::optional<bool> as_bool() const;
  std::optional<int64_t> as_int() const;
  std::optional<double> as_double() const;  // of an Int too
  std::optional<std::string_view> as_string() const;

  /// Elements of an array, members of an object; 0 for everything else.
  size_t size() const { return is_array() || is_object() ? node_->size : 0; }
  /// An array's element; an object's member in the order of the text.
  JsonValue operator[](size_t index) const;
  JsonMember member(size_t index) const;
  /// Logarithmic in the number of members.
  JsonValue operator[](std::string_view key) const;

  /// Ranges for `for`: empty when the value is of another kind.
  auto elements() const;  // of JsonValue
  auto members() const;   // of JsonMember

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
  /// Members to leave out: asked with the key under which the object stands (empty at the top; an array's elements
  /// inherit the array's) and the member's key. A value left out is only scanned for closed strings and brackets.
  std::function<bool(std::string_view parent_key, std::string_view key)> skip;
};

/// Owns the tree and the text, into which strings without escapes point. A key that occurs twice in one object is an
/// error. Memory is linear in the text.
class JsonDocument {
 public:
  static Result<JsonDocument> parse(Bytes text, const JsonOptions& options = {});
  /// Copies the text; for short ones.
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
