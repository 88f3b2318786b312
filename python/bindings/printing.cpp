// Bindings of the printer, with options.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/host_tensor.h"
#include "bindings/regions.h"
#include "script/print.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

constexpr int kMostSpaces = 64;  // bounds the length of printed lines

// Reads an option, checking its type; an omitted option keeps its value.
template <class T>
void read(const nb::dict& given, const char* name, T& option) {
  if (given.contains(name) && !nb::try_cast(nb::object(given[name]), option))
    fail("E0034", {}, fmt::format("the option `{}` of a script cannot be {}", name, nb::repr(given[name]).c_str()));
}

PrintOptions options_of(const nb::dict& given) {
  PrintOptions o;
  read(given, "show_types", o.show_types);
  read(given, "declare_free", o.declare_free);
  read(given, "syntax_sugar", o.syntax_sugar);
  read(given, "module_alias", o.module_alias);
  read(given, "indent_spaces", o.indent_spaces);
  read(given, "show_addresses", o.show_addresses);
  if (o.indent_spaces < 1 || o.indent_spaces > kMostSpaces)
    fail("E0034", {}, fmt::format("a script is indented by 1 to {} spaces, not {}", kMostSpaces, o.indent_spaces));
  if (given.contains("marks"))
    for (nb::handle mark : given["marks"]) {
      nb::object node = mark[0];
      PrintMark m{.node = nullptr, .comment = nb::cast<std::string>(mark[1])};
      if (Ref<Buffer> buffer; nb::try_cast(node, buffer))
        m.node = buffer.get();
      else if (Scalar var; nb::try_cast(node, var))
        m.node = var.get();
      else
        m.node = nb::cast<Stmt>(node).get();
      o.marks.push_back(std::move(m));
    }
  return o;
}

nb::tuple with_constants(const PrintResult& result) {
  std::vector<HostTensor> constants;
  for (const Array& a : result.constants) constants.push_back(HostTensor::of(a));
  return nb::make_tuple(result.text, constants);
}

template <class T>
std::string printed(const T& node, const nb::dict& options) {
  return print(node, options_of(options));
}

}  // namespace

void bind_printing(nb::module_& m) {
  m.def(
      "underlined", [](const std::string& text) { return underlined(text); }, nb::arg("text"),
      nb::sig("def underlined(text: str) -> str"), "Each line of the text, and below it a line of `^`.");
  m.def(
      "script_with_constants",
      [](const Module& node, const nb::dict& o) { return with_constants(print_with_constants(node, options_of(o))); },
      nb::arg("node"), nb::arg("options"),
      nb::sig("def script_with_constants(node: Module, options: dict[str, typing.Any]) -> tuple[str, list[Tensor]]"),
      "The text, and the data that it refers to by number. Options: show_types, declare_free, syntax_sugar, "
      "module_alias, indent_spaces.");
  m.def(
      "script_with_constants",
      [](const Expr& node, const nb::dict& o) { return with_constants(print_with_constants(node, options_of(o))); },
      nb::arg("node"), nb::arg("options"),
      nb::sig("def script_with_constants(node: Expr, options: dict[str, typing.Any]) -> tuple[str, list[Tensor]]"));
  m.def("script_of", &printed<Type>, nb::arg("node"), nb::arg("options"),
        nb::sig("def script_of(node: Type, options: dict[str, typing.Any]) -> str"));
  m.def("script_of", &printed<Scalar>, nb::arg("node"), nb::arg("options"),
        nb::sig("def script_of(node: Scalar, options: dict[str, typing.Any]) -> str"));
  m.def("script_of", &printed<Binding>, nb::arg("node"), nb::arg("options"),
        nb::sig("def script_of(node: Binding, options: dict[str, typing.Any]) -> str"));
  m.def("script_of", &printed<Ref<BindingBlock>>, nb::arg("node"), nb::arg("options"),
        nb::sig("def script_of(node: BindingBlock, options: dict[str, typing.Any]) -> str"));
  m.def("script_of", &printed<Stmt>, nb::arg("node"), nb::arg("options"),
        nb::sig("def script_of(node: Stmt, options: dict[str, typing.Any]) -> str"));
  m.def("script_of", &printed<IterVar>, nb::arg("node"), nb::arg("options"),
        nb::sig("def script_of(node: IterVar, options: dict[str, typing.Any]) -> str"));
  m.def(
      "script_of_range", [](const Bounds& r, const nb::dict& o) { return print(range(r), options_of(o)); },
      nb::arg("range"), nb::arg("options"),
      nb::sig("def script_of_range(range: tuple[Scalar, Scalar], options: dict[str, typing.Any]) -> str"));
  m.def(
      "script_of_region", [](const Region& r, const nb::dict& o) { return print(region(r), options_of(o)); },
      nb::arg("region"), nb::arg("options"),
      nb::sig("def script_of_region(region: tuple[Buffer, list[tuple[Scalar, Scalar]]], options: dict[str, "
              "typing.Any]) -> str"));
  m.def(
      "script_of_view",
      [](const View& v, const nb::dict& o) {
        return print(MatchBufferRegion{v.first, region(v.second)}, options_of(o));
      },
      nb::arg("view"), nb::arg("options"),
      nb::sig("def script_of_view(view: tuple[Buffer, tuple[Buffer, list[tuple[Scalar, Scalar]]]], options: dict[str, "
              "typing.Any]) -> str"));
  m.def(
      "script_of_value",
      [](const nb::object& value, const nb::dict& o) { return print(attr_value(value), options_of(o)); },
      nb::arg("value"), nb::arg("options"),
      nb::sig("def script_of_value(value: typing.Any, options: dict[str, typing.Any]) -> str"),
      "An attribute's value.");
  m.def("script_of", &printed<Ref<Buffer>>, nb::arg("node"), nb::arg("options"),
        nb::sig("def script_of(node: Buffer, options: dict[str, typing.Any]) -> str"));
}

}  // namespace sunmao::python
