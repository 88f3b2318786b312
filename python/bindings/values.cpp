// Attribute values and what they are in Python.
#include <nanobind/stl/string.h>

#include "bindings/host_tensor.h"
#include "bindings/node_caster.h"
#include "ir/expr.h"
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

AttrValue attr_value(nb::handle value) {
  HostValue host = host_value(value);
  if (AttrValue* attr = std::get_if<AttrValue>(&host)) return *attr;
  throw nb::type_error("an array is no attribute");
}

AttrList attr_list(nb::handle values) {
  AttrList out;
  for (nb::handle item : values) out.push_back(attr_value(item));
  return out;
}

// An integer of the scalar level stands for itself.
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

AttrMap attr_map(const nb::dict& values) {
  AttrMap out;
  for (auto [name, value] : values) out.insert_or_assign(nb::cast<std::string>(name), attr_value(value));
  return out;
}

HostValue host_value(nb::handle value) {
  if (value.is_none()) return AttrValue();
  if (nb::isinstance<nb::bool_>(value)) return AttrValue(nb::cast<bool>(value));
  if (nb::isinstance<nb::int_>(value)) return AttrValue(nb::cast<int64_t>(value));
  if (nb::isinstance<nb::float_>(value)) return AttrValue(nb::cast<double>(value));
  if (nb::isinstance<nb::str>(value)) return AttrValue(nb::cast<std::string>(value));
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) return AttrValue(attr_list(value));
  if (nb::isinstance<nb::dict>(value)) return AttrValue(attr_map(nb::cast<nb::dict>(value)));
  if (nb::isinstance<DType>(value)) return AttrValue(nb::cast<DType>(value));
  if (nb::isinstance<ScalarNode>(value)) return AttrValue(nb::cast<Scalar>(value));
  if (nb::isinstance<ExprNode>(value)) return AttrValue(nb::cast<Expr>(value));
  if (nb::isinstance<TypeNode>(value)) return AttrValue(nb::cast<Type>(value));
  if (nb::isinstance<GlobalInfo>(value)) return AttrValue(nb::cast<Ref<GlobalInfo>>(value));
  if (nb::isinstance<HostTensor>(value)) {
    Array shared = nb::cast<const HostTensor&>(value).array();
    return Array::copy(shared.dtype(), shared.shape(), shared.bytes());  // Python may write to its own later
  }
  throw nb::type_error(
      ("a " + nb::cast<std::string>(value.type().attr("__name__")) + " is no value of the IR").c_str());
}

}  // namespace sunmao::python
