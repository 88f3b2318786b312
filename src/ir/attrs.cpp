#include "ir/attrs.h"

#include <algorithm>

namespace sunmao {

AttrValue AttrValue::ints(const std::vector<int64_t>& values) {
  return AttrValue(AttrList(values.begin(), values.end()));
}

std::optional<std::vector<int64_t>> AttrValue::as_ints() const {
  const AttrList* list = find<AttrList>();
  if (!list) return std::nullopt;
  std::vector<int64_t> out;
  for (const AttrValue& v : *list) {
    const Scalar* scalar = v.find<Scalar>();
    const int64_t* value = scalar ? find_int(*scalar) : v.find<int64_t>();
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

bool AttrValue::same_plain(const AttrValue& other) const {
  if (value_.index() != other.value_.index()) return false;
  const AttrList *a = find<AttrList>(), *b = other.find<AttrList>();
  if (!a || !b) return value_ == other.value_;
  return a == b || std::ranges::equal(*a, *b, [](const AttrValue& x, const AttrValue& y) { return x.same_plain(y); });
}

const AttrMap& Attrs::values() const {
  static const AttrMap none;
  return values_ ? *values_ : none;
}

const AttrValue* Attrs::find(const std::string& name) const {
  auto it = values().find(name);
  return it == values().end() ? nullptr : &it->second;
}

Attrs Attrs::with(const std::string& name, AttrValue value) const {
  AttrMap map = values();
  map.insert_or_assign(name, std::move(value));
  return Attrs(std::move(map));
}

Attrs Attrs::without(const std::string& name) const {
  if (!has(name)) return *this;
  AttrMap map = values();
  map.erase(name);
  return Attrs(std::move(map));
}

}  // namespace sunmao
