// Attrs: an immutable map from names to values, such as the constant arguments of an op or the attributes of a
// function.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/type.h"
#include "sym/equal.h"
#include "sym/index_map.h"

namespace sunmao {

class AttrValue;
using AttrList = std::vector<AttrValue>;
using AttrMap = std::map<std::string, AttrValue>;

class AttrValue {
 public:
  using Variant =
      std::variant<std::monostate, bool, int64_t, double, std::string, DType, Scalar, Expr, Type, Ref<GlobalInfo>,
                   Ref<IndexMap>, std::shared_ptr<const AttrList>, std::shared_ptr<const AttrMap>>;
  AttrValue() = default;  // None
  AttrValue(bool v) : value_(v) {}
  AttrValue(int64_t v) : value_(v) {}
  AttrValue(int v) : value_(int64_t{v}) {}
  AttrValue(double v) : value_(v) {}
  AttrValue(std::string v) : value_(std::move(v)) {}
  AttrValue(const char* v) : value_(std::string(v)) {}
  AttrValue(DType v) : value_(v) {}
  AttrValue(Scalar v) : value_(std::move(v)) {}
  AttrValue(Expr v) : value_(std::move(v)) {}
  AttrValue(Type v) : value_(std::move(v)) {}
  AttrValue(Ref<GlobalInfo> v) : value_(std::move(v)) {}
  AttrValue(Ref<IndexMap> v) : value_(std::move(v)) {}
  AttrValue(AttrList v) : value_(std::make_shared<const AttrList>(std::move(v))) {}
  AttrValue(AttrMap v) : value_(std::make_shared<const AttrMap>(std::move(v))) {}
  static AttrValue ints(const std::vector<int64_t>& values);

  const Variant& variant() const { return value_; }
  bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
  /// Returns the value as a T, or null when it has another type.
  template <class T>
  const T* find() const {
    if constexpr (std::is_same_v<T, AttrList> || std::is_same_v<T, AttrMap>) {
      const auto* p = std::get_if<std::shared_ptr<const T>>(&value_);
      return p ? p->get() : nullptr;
    } else {
      return std::get_if<T>(&value_);
    }
  }
  /// Returns the value as a list of integers (integer immediates included), or nullopt.
  std::optional<std::vector<int64_t>> as_ints() const;
  /// True when both values have the same type and are equal: numbers, strings, dtypes and lists of them by content,
  /// other values by identity.
  bool same_plain(const AttrValue& other) const;

 private:
  Variant value_;
};

class Attrs {
 public:
  Attrs() = default;
  Attrs(AttrMap values) : values_(values.empty() ? nullptr : std::make_shared<const AttrMap>(std::move(values))) {}

  const AttrMap& values() const;
  bool empty() const { return !values_; }
  /// Returns the value of the attribute, or null when it is absent.
  const AttrValue* find(const std::string& name) const;
  bool has(const std::string& name) const { return find(name) != nullptr; }
  template <class T>
  const T* find(const std::string& name) const {
    const AttrValue* v = find(name);
    return v ? v->find<T>() : nullptr;
  }
  [[nodiscard]] Attrs with(const std::string& name, AttrValue value) const;
  [[nodiscard]] Attrs without(const std::string& name) const;
  bool same_as(const Attrs& other) const { return values_ == other.values_; }

 private:
  std::shared_ptr<const AttrMap> values_;
};

}  // namespace sunmao
