// Conversion of attribute values to and from Python.
#include <nanobind/stl/string.h>

#include "bindings/host_tensor.h"
#include "bindings/node_caster.h"
#include "ir/expr.h"
#include "support/diagnostic.h"
#include "support/match.h"

namespace sunmao::python {
namespace {

nb::list to_list(const AttrList& list) {
  nb::list out;
  for (const AttrValue& item : list) out.append(to_python(item));
  return out;
}

nb::dict to_dict(const AttrMap& map) {
  nb::dict out;
  for (const auto& [name, value] : map) out[name.c_str()] = to_python(value);
  return out;
}

// Bounds the recursion on self-referential lists.
constexpr int kMaxAttrDepth = 100;

HostValue host_value(nb::handle value, int depth);

AttrValue attr_value(nb::handle value, int depth) {
  HostValue host = host_value(value, depth);
  if (AttrValue* attr = std::get_if<AttrValue>(&host)) return *attr;
  fail("E0034", {}, "an array is no attribute");
}

std::string text(nb::handle value) {
  std::string out;
  if (!nb::try_cast(value, out)) fail("E0034", {}, "not a text that can be written in UTF-8");
  return out;
}

AttrMap attr_map(const nb::dict& values, int depth) {
  AttrMap out;
  for (auto [name, value] : values) out.insert_or_assign(text(name), attr_value(value, depth));
  return out;
}

AttrList attr_list(nb::handle values, int depth) {
  AttrList out;
  for (nb::handle item : values) out.push_back(attr_value(item, depth));
  return out;
}

int64_t integer(nb::handle value) {
  int64_t out = 0;
  if (!nb::try_cast(value, out)) fail("E0034", {}, "an integer of the IR has 64 bits");
  return out;
}

HostValue host_value(nb::handle value, int depth) {
  if (depth > kMaxAttrDepth) fail("E0034", {}, "lists and dicts stand in each other too deeply");
  if (value.is_none()) return AttrValue();
  if (nb::isinstance<nb::bool_>(value)) return AttrValue(nb::cast<bool>(value));
  if (nb::isinstance<nb::int_>(value)) return AttrValue(integer(value));
  if (nb::isinstance<nb::float_>(value)) return AttrValue(nb::cast<double>(value));
  if (nb::isinstance<nb::str>(value)) return AttrValue(text(value));
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value))
    return AttrValue(attr_list(value, depth + 1));
  if (nb::isinstance<nb::dict>(value)) return AttrValue(attr_map(nb::cast<nb::dict>(value), depth + 1));
  if (nb::isinstance<DType>(value)) return AttrValue(nb::cast<DType>(value));
  if (nb::isinstance<ScalarNode>(value)) return AttrValue(nb::cast<Scalar>(value));
  if (nb::isinstance<ExprNode>(value)) return AttrValue(nb::cast<Expr>(value));
  if (nb::isinstance<TypeNode>(value)) return AttrValue(nb::cast<Type>(value));
  if (nb::isinstance<IndexMap>(value)) return AttrValue(nb::cast<Ref<IndexMap>>(value));
  if (nb::isinstance<GlobalInfo>(value)) return AttrValue(nb::cast<Ref<GlobalInfo>>(value));
  if (nb::isinstance<HostTensor>(value)) {
    Array shared = nb::cast<const HostTensor&>(value).array();
    return Array::copy(shared.dtype(), shared.shape(), shared.bytes());  // Python may modify its data later
  }
  fail("E0034", {}, fmt::format("{} is no value of the IR", nb::repr(value).c_str()));
}

// Converts an integer constant to a Python integer, any other scalar, also a boolean, to its node.
nb::object scalar_to_python(const Scalar& scalar) {
  if (const int64_t* value = find_int(scalar); value && !scalar->dtype.is_bool()) return nb::int_(*value);
  return nb::cast(scalar);
}

}  // namespace

nb::object to_python(const AttrValue& value) {
  return std::visit(overloaded{
                        [](std::monostate) -> nb::object { return nb::none(); },
                        [](const std::shared_ptr<const AttrList>& list) -> nb::object { return to_list(*list); },
                        [](const std::shared_ptr<const AttrMap>& map) -> nb::object { return to_dict(*map); },
                        [](const Scalar& scalar) -> nb::object { return scalar_to_python(scalar); },
                        [](const auto& other) -> nb::object { return nb::cast(other); },
                    },
                    value.variant());
}

nb::dict to_python(const Attrs& attrs) { return to_dict(attrs.values()); }

AttrMap attr_map(const nb::dict& values) { return attr_map(values, 0); }

AttrValue attr_value(nb::handle value) { return attr_value(value, 0); }

HostValue host_value(nb::handle value) { return host_value(value, 0); }

DType dtype(const std::string& name) {
  if (std::optional<DType> parsed = DType::parse(name)) return *parsed;
  fail("E0034", {}, fmt::format("`{}` is no dtype", name), "dtypes are named as in `float32`, `int64`, `bool`");
}

Substitution substitution(const nb::dict& symbols) {
  Substitution out;
  for (auto [symbol, value] : symbols) out.emplace(nb::cast<Ref<SymVar>>(symbol), nb::cast<Scalar>(value));
  return out;
}

}  // namespace sunmao::python
