#include "io/json.h"

#include <algorithm>

#include "io/json_storage.h"

namespace sunmao::io {

using json_detail::compare_keys;
using json_detail::key_at;
using json_detail::Node;

std::optional<bool> JsonValue::as_bool() const {
  if (kind() != JsonKind::Bool) return std::nullopt;
  return node_->integer != 0;
}

std::optional<int64_t> JsonValue::as_int() const {
  if (kind() != JsonKind::Int) return std::nullopt;
  return node_->integer;
}

std::optional<double> JsonValue::as_double() const {
  if (kind() == JsonKind::Int) return static_cast<double>(node_->integer);
  if (kind() != JsonKind::Double) return std::nullopt;
  return node_->real;
}

std::optional<std::string_view> JsonValue::as_string() const {
  if (kind() != JsonKind::String) return std::nullopt;
  return std::string_view(node_->text, node_->size);
}

JsonValue JsonValue::operator[](size_t index) const {
  if (index >= size()) return {};
  return JsonValue(is_array() ? node_->children + index : node_->children + 2 * index + 1);
}

JsonMember JsonValue::member(size_t index) const {
  if (!is_object() || index >= size()) return {};
  return {key_at(node_->children, index), (*this)[index]};
}

JsonValue JsonValue::operator[](std::string_view key) const {
  if (!is_object()) return {};
  const Node* members = node_->children;
  const uint32_t count = node_->size;
  if (count <= json_detail::kSearchedOneByOne) {
    for (uint32_t i = 0; i < count; ++i) {
      if (key_at(members, i) == key) return (*this)[size_t{i}];
    }
    return {};
  }
  const uint32_t* order = members[2 * size_t{count}].order;
  const uint32_t* found = std::lower_bound(order, order + count, key, [&](uint32_t i, std::string_view wanted) {
    return compare_keys(key_at(members, i), wanted) < 0;
  });
  if (found == order + count || key_at(members, *found) != key) return {};
  return (*this)[size_t{*found}];
}

JsonValue JsonDocument::root() const { return JsonValue(storage_->root); }

Result<JsonDocument> JsonDocument::parse(std::string_view text, const JsonOptions& options) {
  return parse(Bytes::from(std::string(text)), options);
}

}  // namespace sunmao::io
