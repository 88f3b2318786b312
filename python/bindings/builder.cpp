// Bindings of NameSupply, FunctionWriter, substitution in types and scalars, and fresh copies of functions.
#include "passes/canonical/function_writer.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/vector.h>

#include "bindings/bindings.h"
#include "bindings/node_caster.h"
#include "ir/copy.h"
#include "ir/infer.h"
#include "ir/walk.h"
#include "sym/walk.h"

namespace sunmao::python {

void bind_builder(nb::module_& m) {
  nb::class_<NameSupply>(m, "NameSupply", "Names that differ.")
      .def(nb::init<>())
      .def(
          "fresh", [](NameSupply& names, const std::string& hint) { return names.fresh(hint); }, nb::arg("hint"))
      .def("reserve", &NameSupply::reserve, nb::arg("name"));
  nb::class_<FunctionWriter>(m, "FunctionWriter", "Builds functions one binding at a time, in normal form.")
      .def(nb::init<>())
      .def("begin_block", &FunctionWriter::begin_block)
      .def("begin_dataflow_block", &FunctionWriter::begin_dataflow_block)
      .def("end_block", &FunctionWriter::end_block)
      .def_prop_ro("in_dataflow", &FunctionWriter::in_dataflow)
      .def("begin_function", &FunctionWriter::begin_function)
      .def("end_function", &FunctionWriter::end_function)
      .def("enter_dataflow", &FunctionWriter::enter_dataflow)
      .def("leave_dataflow", &FunctionWriter::leave_dataflow)
      .def("finish_body", &FunctionWriter::finish_body, nb::arg("output"))
      .def("emit", &FunctionWriter::emit, nb::arg("value"), nb::arg("hint") = "")
      .def("emit_output", &FunctionWriter::emit_output, nb::arg("value"), nb::arg("hint") = "")
      .def("match_cast", &FunctionWriter::match_cast, nb::arg("value"), nb::arg("type"), nb::arg("hint") = "")
      .def("append", &FunctionWriter::append, nb::arg("binding"))
      .def("value_of", &FunctionWriter::value_of, nb::arg("var"),
           nb::sig("def value_of(self, var: Var) -> Expr | None"))
      .def("normalize", &FunctionWriter::normalize, nb::arg("expr"))
      .def(
          "unique_name", [](FunctionWriter& w, const std::string& hint) { return w.functions().unique_name(hint); },
          nb::arg("hint"))
      .def(
          "add_function",
          [](FunctionWriter& w, const std::string& hint, const Ref<BaseFunc>& func) {
            return w.functions().add_function(hint, func);
          },
          nb::arg("hint"), nb::arg("func"))
      .def_prop_rw(
          "module", [](FunctionWriter& w) { return w.functions().module(); },
          [](FunctionWriter& w, const Module& module) { w.functions().set_module(module); });
  m.def(
      "substitute", [](const Type& type, const nb::dict& symbols) { return substitute(type, substitution(symbols)); },
      nb::arg("type"), nb::arg("symbols"),
      nb::sig("def substitute(type: Type, symbols: dict[SymVar, Scalar]) -> Type"));
  m.def(
      "substitute",
      [](const Scalar& scalar, const nb::dict& symbols) { return substitute(scalar, substitution(symbols)); },
      nb::arg("scalar"), nb::arg("symbols"),
      nb::sig("def substitute(scalar: Scalar, symbols: dict[SymVar, Scalar]) -> Scalar"));
  m.def(
      "fresh_copy", [](const Ref<Function>& f) { return FreshCopy().copy(f); }, nb::arg("function"),
      "The function with fresh variables and symbols.");
}

}  // namespace sunmao::python
