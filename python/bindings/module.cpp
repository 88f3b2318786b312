// Bindings of Module, a value type. Structural comparisons are free functions, as everywhere in the IR.
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

// Returns a hash of the address of the function list, which all copies of a module share.
size_t identity(const Module& m) { return std::hash<const void*>()(&m.functions()); }

// The cached hash of a function is valid only with default options.
bool is_plain(Equality::Options o) { return !o.map_free && !o.skip_tensor_content; }

// Comparison and hash under options: OfModules for modules, OfNodes for one kind of node. Statements may contain
// definitions side by side with the statements in their scope.
struct OfModules {
  static std::string difference(const Module& a, const Module& b, Equality::Options o) {
    return first_difference(a, b, o);
  }
  static bool same(const Module& a, const Module& b, Equality::Options o) { return structural_equal(a, b, o); }
  static uint64_t hash(const Module& a, Equality::Options o) {
    return is_plain(o) ? structural_hash(a) : computed_hash(a, o);
  }
};
template <class Kind>
struct OfNodes {
  using Node = Kind;
  static bool run(const Node& a, const Node& b, Equality& equality) {
    if constexpr (std::is_same_v<Node, Scalar>)
      return equality.scalar(a, b);
    else if constexpr (std::is_same_v<Node, Stmt>)
      return equal(nested(a), nested(b), equality);
    else
      return equal(a, b, equality);
  }
  static std::string difference(const Node& a, const Node& b, Equality::Options o) {
    Equality equality(o);
    return run(a, b, equality) ? std::string() : equality.difference();
  }
  static bool same(const Node& a, const Node& b, Equality::Options o) {
    Equality equality(o);
    return run(a, b, equality);
  }
  static uint64_t hash(const Node& a, Equality::Options o) {
    if constexpr (std::is_same_v<Node, Stmt>) {
      return structural_hash(nested(a), o);
    } else {
      if (is_plain(o)) return structural_hash(a);
      StructuralHasher hasher(o);
      if constexpr (std::is_same_v<Node, Scalar>)
        hasher.scalar(a);
      else
        sunmao::hash(a, hasher);
      return hasher.value();
    }
  }
};

// Names of blocks are labels, which do not count here.
Equality::Options comparison_of(bool map_free, bool skip_tensor_content) {
  return {.map_free = map_free, .skip_tensor_content = skip_tensor_content, .skip_block_names = true};
}

template <class T, class Of>
void bind_equality_of(nb::module_& m) {
  m.def(
      "structural_equal",
      [](const T& a, const T& b, bool map_free, bool skip_tensor_content) {
        return Of::same(a, b, comparison_of(map_free, skip_tensor_content));
      },
      nb::arg("a"), nb::arg("b"), nb::arg("map_free") = false, nb::arg("skip_tensor_content") = false,
      "Whether both are the same up to the names of variables. With `map_free` also free variables may differ, with "
      "`skip_tensor_content` the data of constants.");
  m.def(
      "first_difference",
      [](const T& a, const T& b, bool map_free, bool skip_tensor_content) {
        return Of::difference(a, b, comparison_of(map_free, skip_tensor_content));
      },
      nb::arg("a"), nb::arg("b"), nb::arg("map_free") = false, nb::arg("skip_tensor_content") = false,
      "Where two values differ first, as text; empty when they are structurally equal.");
  m.def(
      "structural_hash",
      [](const T& a, bool map_free, bool skip_tensor_content) {
        return Of::hash(a, comparison_of(map_free, skip_tensor_content));
      },
      nb::arg("a"), nb::arg("map_free") = false, nb::arg("skip_tensor_content") = false,
      "A hash that is the same for what is structurally equal.");
}

void bind_equality(nb::module_& m) {
  bind_equality_of<Module, OfModules>(m);
  bind_equality_of<Expr, OfNodes<Expr>>(m);
  bind_equality_of<Type, OfNodes<Type>>(m);
  bind_equality_of<Scalar, OfNodes<Scalar>>(m);
  bind_equality_of<Stmt, OfNodes<Stmt>>(m);
}

}  // namespace

void bind_module(nb::module_& m) {
  nb::class_<FunctionEntry>(m, "FunctionEntry")
      .def_prop_ro("var", [](const FunctionEntry& e) { return e.var; })
      .def_prop_ro("func", [](const FunctionEntry& e) { return e.func; });
  nb::class_<Module>(m, "Module", "Functions by name. A value: every change gives another module.")
      .def(nb::init<>())
      .def_prop_ro("functions", &Module::functions, nb::rv_policy::copy, "All functions, each with its variable.")
      .def(
          "find", [](const Module& self, const std::string& name) { return self.find(name); }, nb::arg("name"),
          nb::sig("def find(self, name: str) -> BaseFunc | None"), "The function of this name, or None.")
      .def(
          "find_var", [](const Module& self, const std::string& name) { return self.find_var(name); }, nb::arg("name"),
          nb::sig("def find_var(self, name: str) -> GlobalVar | None"), "The variable of the function of this name.")
      .def_prop_ro(
          "attrs", [](const Module& self) { return to_python(self.attrs()); },
          nb::sig("def attrs(self) -> dict[str, typing.Any]"), "Attributes of the module.")
      .def_prop_ro("global_infos", &global_infos, nb::sig("def global_infos(self) -> dict[str, list[GlobalInfo]]"),
                   "What the module says of devices, by kind.")
      .def(
          "with_function",
          [](const Module& self, const std::string& name, const Ref<BaseFunc>& func) {
            return self.with_function(name, func);
          },
          nb::arg("name"), nb::arg("func"), "The module with another function of this name, or one more.")
      .def(
          "with_function",
          [](const Module& self, const Ref<GlobalVar>& var, const Ref<BaseFunc>& func) {
            return self.with_function(var, func);
          },
          nb::arg("var"), nb::arg("func"), "The module with another function of this variable, or one more.")
      .def(
          "without_function", [](const Module& self, const std::string& name) { return self.without_function(name); },
          nb::arg("name"), "The module without the function of this name.")
      .def(
          "with_global_infos",
          [](const Module& self, const std::map<std::string, std::vector<Ref<GlobalInfo>>>& infos) {
            return self.with_global_infos(infos);
          },
          nb::arg("infos"), "The module with these infos in place of its own.")
      .def(
          "with_attrs", [](const Module& self, const nb::dict& attrs) { return self.with_attrs(attr_map(attrs)); },
          nb::arg("attrs"), nb::sig("def with_attrs(self, attrs: dict[str, typing.Any]) -> Module"),
          "The module with these attributes in place of its own.")
      .def("same_as", &Module::same_as, nb::arg("other"),
           "Whether both are one value: nothing was changed between them.")
      .def("__eq__", &Module::same_as, nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", &identity)
      .def(
          "script",
          [](const Module& self, bool show_types) { return print(self, PrintOptions{.show_types = show_types}); },
          nb::arg("show_types") = true, "The module as text, which `parse_module` reads.")
      .def(
          "show", [](const Module& self) { nb::print(print(self).c_str()); }, "Prints the text.")
      .def("__repr__", [](const Module& self) { return print(self); });
  bind_equality(m);
}

}  // namespace sunmao::python
