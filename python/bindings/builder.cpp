// Bindings of BlockBuilder, which normalises one binding at a time. Python keeps the stack of functions and blocks
// (sunmao.compat).
#include "ir/builder.h"

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
      .def("fresh", &NameSupply::fresh, nb::arg("hint"))
      .def("reserve", &NameSupply::reserve, nb::arg("name"));
  nb::class_<BlockBuilder>(m, "BlockBuilder", "Brings expressions into normal form; operands become bindings.")
      .def(nb::init<>())
      .def("emit", &BlockBuilder::emit, nb::arg("value"), nb::arg("name"))
      .def("normalize", &BlockBuilder::normalize, nb::arg("expr"))
      .def("take_bindings", &BlockBuilder::take_bindings)
      .def("begin_dataflow", &BlockBuilder::begin_dataflow)
      .def("end_dataflow", &BlockBuilder::end_dataflow)
      .def("unique_name", &BlockBuilder::unique_name, nb::arg("hint"))
      .def("add_function", &BlockBuilder::add_function, nb::arg("hint"), nb::arg("func"))
      .def_prop_rw(
          "module", [](const BlockBuilder& b) { return b.module(); },
          [](BlockBuilder& b, const Module& module) { b.set_module(module); });
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
