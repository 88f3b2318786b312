// Module: a value. Comparisons by structure are functions, as everywhere in the IR.
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/node_caster.h"
#include "ir/equal.h"
#include "ir/verify.h"
#include "loop/flat.h"
#include "script/print.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

nb::dict global_infos(const Module& m) {
  nb::dict out;
  for (const auto& [name, infos] : m.global_infos()) out[name.c_str()] = nb::cast(infos);
  return out;
}

// The address of what all copies of one value share.
size_t identity(const Module& m) { return std::hash<const void*>()(&m.functions()); }

template <class T>
std::string difference(const T& a, const T& b, bool map_free) {
  Equality equality({.map_free = map_free});
  return equal(a, b, equality) ? std::string() : equality.difference();
}

// Whether they are equal, and where they are not. Definitions may stand side by side with what they hold for.
std::pair<bool, std::string> compared(const Stmt& a, const Stmt& b, bool map_free) {
  Equality equality({.map_free = map_free});
  const bool same = equal(nested(a), nested(b), equality);
  return {same, equality.difference()};
}

void bind_equality(nb::module_& m) {
  m.def(
      "structural_equal", [](const Module& a, const Module& b, bool) { return structural_equal(a, b); }, nb::arg("a"),
      nb::arg("b"), nb::arg("map_free") = false);
  m.def(
      "structural_equal",
      [](const Expr& a, const Expr& b, bool map_free) { return structural_equal(a, b, {.map_free = map_free}); },
      nb::arg("a"), nb::arg("b"), nb::arg("map_free") = false);
  m.def(
      "structural_equal",
      [](const Type& a, const Type& b, bool map_free) { return structural_equal(a, b, {.map_free = map_free}); },
      nb::arg("a"), nb::arg("b"), nb::arg("map_free") = false);
  m.def(
      "structural_equal",
      [](const Scalar& a, const Scalar& b, bool map_free) { return Equality({.map_free = map_free}).scalar(a, b); },
      nb::arg("a"), nb::arg("b"), nb::arg("map_free") = false);
  m.def(
      "structural_equal", [](const Stmt& a, const Stmt& b, bool map_free) { return compared(a, b, map_free).first; },
      nb::arg("a"), nb::arg("b"), nb::arg("map_free") = false);
  m.def(
      "first_difference", [](const Stmt& a, const Stmt& b, bool map_free) { return compared(a, b, map_free).second; },
      nb::arg("a"), nb::arg("b"), nb::arg("map_free") = false);
  m.def("structural_hash", [](const Stmt& a) { return structural_hash(nested(a)); }, nb::arg("a"));
  m.def(
      "first_difference", [](const Module& a, const Module& b, bool) { return first_difference(a, b); }, nb::arg("a"),
      nb::arg("b"), nb::arg("map_free") = false);
  m.def("first_difference", &difference<Expr>, nb::arg("a"), nb::arg("b"), nb::arg("map_free") = false);
  m.def(
      "first_difference",
      [](const Scalar& a, const Scalar& b, bool map_free) {
        Equality equality({.map_free = map_free});
        equality.scalar(a, b);
        return equality.difference();
      },
      nb::arg("a"), nb::arg("b"), nb::arg("map_free") = false);
  m.def("first_difference", &difference<Type>, nb::arg("a"), nb::arg("b"), nb::arg("map_free") = false);
  m.def("structural_hash", [](const Module& a) { return structural_hash(a); }, nb::arg("a"));
  m.def("structural_hash", [](const Expr& a) { return structural_hash(a); }, nb::arg("a"));
  m.def("structural_hash", [](const Type& a) { return structural_hash(a); }, nb::arg("a"));
  m.def("structural_hash", [](const Scalar& a) { return structural_hash(a); }, nb::arg("a"));
}

}  // namespace

void bind_module(nb::module_& m) {
  nb::class_<FunctionEntry>(m, "FunctionEntry")
      .def_prop_ro("var", [](const FunctionEntry& e) { return e.var; })
      .def_prop_ro("func", [](const FunctionEntry& e) { return e.func; });
  nb::class_<Module>(m, "Module", "Functions by name. A value: every change gives another module.")
      .def(nb::init<>())
      .def_prop_ro("functions", &Module::functions, nb::rv_policy::copy)
      .def(
          "find", [](const Module& self, const std::string& name) { return self.find(name); }, nb::arg("name"),
          nb::sig("def find(self, name: str) -> BaseFunc | None"), "The function of this name, or None.")
      .def(
          "find_var", [](const Module& self, const std::string& name) { return self.find_var(name); }, nb::arg("name"),
          nb::sig("def find_var(self, name: str) -> GlobalVar | None"))
      .def_prop_ro(
          "attrs", [](const Module& self) { return to_python(self.attrs()); },
          nb::sig("def attrs(self) -> dict[str, typing.Any]"))
      .def_prop_ro("global_infos", &global_infos, nb::sig("def global_infos(self) -> dict[str, list[GlobalInfo]]"))
      .def(
          "with_function",
          [](const Module& self, const std::string& name, const Ref<BaseFunc>& func) {
            return self.with_function(name, func);
          },
          nb::arg("name"), nb::arg("func"))
      .def(
          "with_function",
          [](const Module& self, const Ref<GlobalVar>& var, const Ref<BaseFunc>& func) {
            return self.with_function(var, func);
          },
          nb::arg("var"), nb::arg("func"))
      .def(
          "without_function", [](const Module& self, const std::string& name) { return self.without_function(name); },
          nb::arg("name"))
      .def(
          "with_global_infos",
          [](const Module& self, const std::map<std::string, std::vector<Ref<GlobalInfo>>>& infos) {
            return self.with_global_infos(infos);
          },
          nb::arg("infos"))
      .def(
          "with_attrs", [](const Module& self, const nb::dict& attrs) { return self.with_attrs(attr_map(attrs)); },
          nb::arg("attrs"), nb::sig("def with_attrs(self, attrs: dict[str, typing.Any]) -> Module"))
      .def("same_as", &Module::same_as, nb::arg("other"),
           "Whether both are one value: nothing was changed between them.")
      .def("__eq__", &Module::same_as, nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", &identity)
      .def(
          "script",
          [](const Module& self, bool show_types) { return print(self, PrintOptions{.show_types = show_types}); },
          nb::arg("show_types") = true)
      .def(
          "show", [](const Module& self) { nb::print(print(self).c_str()); }, "Prints the text.")
      .def("__repr__", [](const Module& self) { return print(self); });
  bind_equality(m);
}

}  // namespace sunmao::python
