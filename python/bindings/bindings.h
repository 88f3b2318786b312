// The parts of the extension sunmao._sunmao, and conversions that they share. The extension only converts and calls;
// the API that users see is in python/sunmao.
#pragma once
#include <nanobind/nanobind.h>

#include "io/status.h"
#include "ir/module.h"
#include "script/parse.h"
#include "sym/walk.h"

namespace sunmao::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_tensor(nb::module_& m);
void bind_types(nb::module_& m);
void bind_exprs(nb::module_& m);
void bind_constructors(nb::module_& m);
void bind_custom_ops(nb::module_& m);
void bind_scalars(nb::module_& m);
void bind_loops(nb::module_& m);
void bind_stmts(nb::module_& m);
void bind_stmt_makers(nb::module_& m);
/// Must follow `bind_exprs`, whose BaseFunc it extends.
void bind_prim_func(nb::module_& m);
void bind_builder(nb::module_& m);
void bind_module(nb::module_& m);
void bind_printing(nb::module_& m);
void bind_script(nb::module_& m);
void bind_frontend(nb::module_& m);
void bind_analysis(nb::module_& m);
void bind_patterns(nb::module_& m);
void bind_passes(nb::module_& m);
void bind_validation(nb::module_& m);
void bind_compile(nb::module_& m);
void bind_tuning(nb::module_& m);
void bind_kernel_library(nb::module_& m);
void bind_library_file(nb::module_& m);
/// Must follow `bind_kernel_library`.
void bind_registers(nb::module_& m);
void bind_runtime(nb::module_& m);
void bind_evaluate(nb::module_& m);
void bind_command_line(nb::module_& m);

/// Throws an error status as a user error; does nothing on success.
void check(const io::Status& status);

/// Converts an attribute value to None, a number, text, dtype, node, or lists and dicts of these.
nb::object to_python(const AttrValue& value);
nb::dict to_python(const Attrs& attrs);
/// Convert a Python object: to an attribute value, or by `host_value` also to an array, which a Tensor becomes. Fail
/// (E0034) for any other object.
HostValue host_value(nb::handle value);
AttrValue attr_value(nb::handle value);
AttrMap attr_map(const nb::dict& values);

/// Returns the weights as tensors by name; their memory is shared.
nb::dict weights_to_python(const Weights& weights);
/// Returns the first values of a model's states, in the order of its parameters.
nb::dict states_to_python(const Model& model);

/// Parses the name of a dtype; E0034 for anything else.
DType dtype(const std::string& name);
Substitution substitution(const nb::dict& symbols);

}  // namespace sunmao::python
