// The extension module sunmao._sunmao.
#include "bindings/bindings.h"
#include "support/version.h"

NB_MODULE(_sunmao, m) {
  namespace py = sunmao::python;
  nanobind::set_leak_warnings(false);  // the package's modules hold functions until the interpreter exits
  m.doc() = "Sunmao's compiler and runtime, as the package `sunmao` uses them.";
  m.def("version", [] { return sunmao::kVersion; });
  py::bind_errors(m);
  py::bind_tensor(m);
  m.def_submodule("make", "Constructors of nodes.");
  py::bind_scalars(m);
  py::bind_types(m);
  py::bind_exprs(m);
  py::bind_constructors(m);
  py::bind_custom_ops(m);
  py::bind_loops(m);
  py::bind_stmts(m);
  py::bind_prim_func(m);
  py::bind_stmt_makers(m);
  py::bind_builder(m);
  py::bind_module(m);
  py::bind_printing(m);
  py::bind_script(m);
  py::bind_analysis(m);
  py::bind_patterns(m);
  py::bind_passes(m);
  py::bind_validation(m);
  py::bind_executor(m);
  py::bind_compile(m);
  py::bind_runtime(m);
  py::bind_evaluate(m);
}
