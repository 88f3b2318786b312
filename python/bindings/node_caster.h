// Node conversion: a Ref<T> becomes a Python object of the node's own class that keeps the node alive. A node has one
// Python object at a time, so Python identity equals node identity. A null Ref becomes None, but None is not accepted
// as a Ref.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/stl/shared_ptr.h>

#include <memory>

#include "support/ref.h"

namespace nanobind::detail {

template <class T>
struct type_caster<sunmao::Ref<T>> {
  using Value = sunmao::Ref<T>;
  using Node = make_caster<T>;
  static constexpr auto Name = Node::Name;
  template <class>
  using Cast = Value;
  template <class>
  bool can_cast() const {
    return true;
  }
  explicit operator Value() { return value; }

  bool from_python(handle source, uint32_t flags, cleanup_list* cleanup) noexcept {
    Node node;
    if (source.is_none() || !node.from_python(source, flags, cleanup)) return false;
    value = Value(node.operator T*());
    return static_cast<bool>(value);
  }

  static handle from_cpp(const Value& node, rv_policy policy, cleanup_list* cleanup) noexcept {
    if (!node) return none().release();
    std::shared_ptr<const T> shared(node.get(), [node](const T*) {});
    return make_caster<std::shared_ptr<const T>>::from_cpp(shared, policy, cleanup);
  }

  Value value;
};

}  // namespace nanobind::detail
