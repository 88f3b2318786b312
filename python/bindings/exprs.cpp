// Bindings for reading expressions and functions.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "bindings/host_tensor.h"
#include "bindings/node_caster.h"
#include "ir/expr.h"
#include "loop/prim_func.h"
#include "ops/ops.h"
#include "script/print.h"

namespace sunmao::python {
namespace {

std::optional<Type> cast_type(const Binding& b) { return b.cast_type ? std::optional(b.cast_type) : std::nullopt; }

// Wraps a binding block in an expression, for printing.
Expr alone(const Ref<BindingBlock>& block) { return SeqExpr::make({block}, Tuple::make({})); }

nb::list op_params(const Op& op) {
  static constexpr std::array kKinds{"tensor", "tuple", "shape", "value", "func", "attr", "variadic", "list"};
  static constexpr std::array kAttrKinds{"any", "bool", "int", "float", "string", "dtype", "ints"};
  nb::list out;
  for (const OpParam& p : op.info.params) {
    nb::dict row;
    row["name"] = p.name;
    row["doc"] = p.doc;
    row["kind"] = kKinds.at(static_cast<size_t>(p.kind));
    row["attr"] = kAttrKinds.at(static_cast<size_t>(p.attr));
    row["has_default"] = p.default_value.has_value();
    row["default"] = p.default_value ? to_python(*p.default_value) : nb::none();
    out.append(row);
  }
  return out;
}

void bind_leaves(nb::module_& m) {
  nb::class_<Var, ExprNode>(m, "Var", "A variable; two of the same name are two.")
      .def_ro("name", &Var::name)
      .def_ro("is_dataflow", &Var::is_dataflow);
  nb::class_<GlobalVar, ExprNode>(m, "GlobalVar", "A function of the module, by name.")
      .def_ro("name", &GlobalVar::name);
  nb::class_<Constant, ExprNode>(m, "Constant", "Data inside the module.").def_prop_ro("data", [](const Constant& c) {
    return HostTensor::fixed(c.data);
  });
  nb::class_<ShapeExpr, ExprNode>(m, "ShapeExpr", "A shape.").def_ro("values", &ShapeExpr::values);
  nb::class_<PrimValue, ExprNode>(m, "PrimValue", "A scalar.").def_ro("value", &PrimValue::value);
  nb::class_<StringLiteral, ExprNode>(m, "StringLiteral", "A text.").def_ro("value", &StringLiteral::value);
  nb::class_<DTypeLiteral, ExprNode>(m, "DTypeLiteral", "A dtype.").def_ro("value", &DTypeLiteral::value);
  nb::class_<Op, ExprNode>(m, "Op", "An op of the library.")
      .def_prop_ro("name", [](const Op& op) { return op.name(); })
      .def_prop_ro("summary", [](const Op& op) { return op.info.summary; })
      .def_prop_ro("is_pure", [](const Op& op) { return op.info.is_pure; })
      .def_prop_ro(
          "allocates", [](const Op& op) { return op.info.allocates; },
          "Whether each call returns an object of its own.")
      .def_prop_ro(
          "constraints", [](const Op& op) { return op.info.constraints; }, "What inference checks: C1: …")
      .def_prop_ro(
          "lowers", [](const Op& op) { return op.info.lower != nullptr; }, "Whether it becomes one kernel.")
      .def_prop_ro(
          "decomposes", [](const Op& op) { return op.info.decompose != nullptr; },
          "Whether simpler ops take its place.")
      .def_prop_ro(
          "runs_on_vm", [](const Op& op) { return op.info.runs_on_vm; },
          "Whether the virtual machine has an instruction for it.")
      .def_prop_ro(
          "names_sizes", [](const Op& op) { return op.info.sized != nullptr; },
          "Whether `name-sizes` gives the result sizes that data decides.")
      .def_prop_ro("has_lowering", [](const Op& op) { return op.info.lower || op.info.decompose; })
      .def_prop_ro(
          "params", &op_params, nb::sig("def params(self) -> list[dict[str, typing.Any]]"),
          "Parameters in order: name, doc, kind (tensor, tuple, shape, value, func, attr, variadic, list), attr (of "
          "an attribute: any, bool, int, float, string, dtype, ints), has_default, default.");
}

void bind_compounds(nb::module_& m) {
  nb::class_<Tuple, ExprNode>(m, "Tuple", "A tuple.").def_ro("fields", &Tuple::fields);
  nb::class_<TupleGetItem, ExprNode>(m, "TupleGetItem", "A field of a tuple.")
      .def_ro("tuple", &TupleGetItem::tuple)
      .def_ro("index", &TupleGetItem::index);
  nb::class_<Call, ExprNode>(m, "Call", "A call of an op or a function.")
      .def_ro("callee", &Call::callee)
      .def_ro("args", &Call::args)
      .def_prop_ro(
          "attrs", [](const Call& c) { return to_python(c.attrs); },
          nb::sig("def attrs(self) -> dict[str, typing.Any]"))
      .def_ro("type_args", &Call::type_args);
  nb::class_<Binding>(m, "Binding", "A variable and its value; `cast_type` is a claim that is checked.")
      .def_prop_ro("var", [](const Binding& b) { return b.var; })
      .def_prop_ro("value", [](const Binding& b) { return b.value; })
      .def_prop_ro("cast_type", &cast_type)
      .def_prop_ro(
          "span", [](const Binding& b) { return b.span; }, nb::sig("def span(self) -> Span | None"))
      .def(
          "__eq__", [](const Binding& a, const Binding& b) { return a.var == b.var && a.value == b.value; },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Binding& b) { return std::hash<const void*>()(b.var.get()); })
      .def("__repr__", [](const Binding& b) { return print(alone(BindingBlock::make({b}))); });
  nb::class_<BindingBlock>(m, "BindingBlock", "Bindings in order.")
      .def_ro("bindings", &BindingBlock::bindings)
      .def_ro("is_dataflow", &BindingBlock::is_dataflow)
      .def_prop_ro(
          "span", [](const BindingBlock& b) { return b.span; }, nb::sig("def span(self) -> Span | None"))
      .def("__repr__", [](const Ref<BindingBlock>& b) { return print(alone(b)); });
  nb::class_<SeqExpr, ExprNode>(m, "SeqExpr", "Blocks, and what they compute.")
      .def_ro("blocks", &SeqExpr::blocks)
      .def_ro("body", &SeqExpr::body);
  nb::class_<If, ExprNode>(m, "If", "A choice between two sequences.")
      .def_ro("condition", &If::condition)
      .def_ro("then_branch", &If::then_branch)
      .def_ro("else_branch", &If::else_branch);
}

void bind_function_nodes(nb::module_& m) {
  nb::class_<BaseFunc, ExprNode>(m, "BaseFunc", "A function of either level.")
      .def_prop_ro(
          "attrs", [](const BaseFunc& f) { return to_python(f.attrs); },
          nb::sig("def attrs(self) -> dict[str, typing.Any]"))
      .def(
          "with_attr",
          [](const BaseFunc& f, const std::string& name, nb::handle value) {
            return f.with_attrs(f.attrs.with(name, attr_value(value)));
          },
          nb::arg("name"), nb::arg("value").none(), "The function with an attribute more, or another value of it.")
      .def(
          "without_attr",
          [](const BaseFunc& f, const std::string& name) { return f.with_attrs(f.attrs.without(name)); },
          nb::arg("name"));
  nb::class_<Function, BaseFunc>(m, "Function", "A function of the graph level.")
      .def_ro("params", &Function::params)
      .def_prop_ro("body", [](const Function& f) { return f.body; })
      .def_prop_ro(
          "result_type", [](const Function& f) { return f.result_type; },
          nb::sig("def result_type(self) -> Type | None"), "The type of what it returns.")
      .def_ro("is_pure", &Function::is_pure);
  nb::class_<ExternFunc, BaseFunc>(m, "ExternFunc", "A function that is found at run time.")
      .def_ro("name", &ExternFunc::name);
}

}  // namespace

void bind_exprs(nb::module_& m) {
  nb::class_<ExprNode>(m, "Expr", "An expression; it never changes.")
      .def_prop_ro(
          "type", [](const ExprNode& e) { return e.type; }, nb::sig("def type(self) -> Type | None"),
          "None where it is not known yet.")
      .def_prop_ro(
          "span", [](const ExprNode& e) { return e.span; }, nb::sig("def span(self) -> Span | None"),
          "Where it comes from.")
      .def(
          "script", [](const Expr& e, bool show_types) { return print(e, PrintOptions{.show_types = show_types}); },
          nb::arg("show_types") = true, "The text of it; a function prints as a script of its own.")
      .def(
          "show", [](const Expr& e) { nb::print(print(e).c_str()); }, "Prints the text.")
      .def("__repr__", [](const Expr& e) { return print(e); });
  bind_leaves(m);
  bind_compounds(m);
  bind_function_nodes(m);
}

}  // namespace sunmao::python
