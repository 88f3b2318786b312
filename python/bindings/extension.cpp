// The extension module sunmao._sunmao.
#include <stdexcept>
#include <string>

#include "bindings/bindings.h"
#include "ir/op.h"
#include "loop/prim_func.h"
#include "support/version.h"

namespace {

template <class Node>
void need_class(const char* kind) {
  if (!nanobind::type<Node>()) throw std::logic_error(std::string("the extension binds no class for the node ") + kind);
}

// Nodes reach Python as objects of their own class. Fails when a kind of expression, scalar or type has none.
void check_node_classes() {
  using namespace sunmao;
#define SUNMAO_NEED(name) need_class<name>(#name)
#define SUNMAO_NEED_TYPE(name) need_class<name##Type>(#name "Type")
  SUNMAO_EXPR_KINDS(SUNMAO_NEED);
  SUNMAO_SCALAR_KINDS(SUNMAO_NEED);
  SUNMAO_TYPE_KINDS(SUNMAO_NEED_TYPE);
#undef SUNMAO_NEED
#undef SUNMAO_NEED_TYPE
}

}  // namespace

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
  py::bind_frontend(m);
  py::bind_analysis(m);
  py::bind_patterns(m);
  py::bind_passes(m);
  py::bind_validation(m);
  py::bind_kernel_library(m);
  py::bind_registers(m);
  py::bind_compile(m);
  py::bind_tuning(m);
  py::bind_library_file(m);
  py::bind_runtime(m);
  py::bind_evaluate(m);
  py::bind_command_line(m);
  check_node_classes();
}
