// How Python makes nodes: functions of a submodule `make`, one for each node. They take nodes as they are; what a
// person may write in their place is sunmao.compat's to convert.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/host_tensor.h"
#include "bindings/node_caster.h"
#include "ir/expr.h"
#include "ops/ops.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

using Exprs = std::vector<Expr>;
using Scalars = std::vector<Scalar>;

template <class T>
Ref<T> or_null(const std::optional<Ref<T>>& value) {
  return value ? *value : Ref<T>();
}

DType dtype_or_void(const std::string& name) { return name.empty() ? DType::void_() : dtype(name); }

Type tensor_type(const std::optional<Expr>& shape, const std::string& element, int rank,
                 const std::optional<Ref<VDevice>>& device) {
  if (shape) return TensorType::make_with_shape(*shape, dtype_or_void(element), or_null(device));
  return TensorType::make_unknown(dtype_or_void(element), rank, or_null(device));
}

Type callable_type(const std::optional<std::vector<Type>>& params, const Type& result, bool is_pure) {
  return params ? CallableType::make(*params, result, is_pure) : CallableType::make_opaque(result, is_pure);
}

void make_types(nb::module_& m) {
  m.def("any_type", [] { return AnyType::make(); });
  m.def("prim_type", [](const std::string& name) { return PrimType::make(dtype_or_void(name)); }, nb::arg("dtype"));
  m.def("prim_type_of", [](const Scalar& value) { return PrimType::of_value(value); }, nb::arg("value"));
  m.def("shape_type", [](const Scalars& values) { return ShapeType::make(values); }, nb::arg("values"));
  m.def("unknown_shape_type", [](int rank) { return ShapeType::make_unknown(rank); }, nb::arg("rank"));
  m.def("tensor_type", &tensor_type, nb::arg("shape").none(), nb::arg("dtype"), nb::arg("rank"),
        nb::arg("vdevice").none(),
        nb::sig("def tensor_type(shape: sunmao._sunmao.Expr | None, dtype: str, rank: int, vdevice: "
                "sunmao._sunmao.VDevice | None) -> sunmao._sunmao.Type"));
  m.def("tuple_type", [](const std::vector<Type>& fields) { return TupleType::make(fields); }, nb::arg("fields"));
  m.def("callable_type", &callable_type, nb::arg("params").none(), nb::arg("result"), nb::arg("is_pure"),
        nb::sig("def callable_type(params: collections.abc.Sequence[sunmao._sunmao.Type] | None, result: "
                "sunmao._sunmao.Type, is_pure: bool) -> "
                "sunmao._sunmao.Type"));
  m.def(
      "vdevice",
      [](const std::string& target, int id, const std::string& scope) { return VDevice::make(target, id, scope); },
      nb::arg("target"), nb::arg("id"), nb::arg("memory_scope"));
  m.def("dummy_global_info", [] { return DummyGlobalInfo::make(); });
}

void make_leaves(nb::module_& m) {
  m.def(
      "var",
      [](const std::string& name, const std::optional<Type>& type, bool is_dataflow) {
        return is_dataflow ? Var::make_dataflow(name, or_null(type)) : Var::make(name, or_null(type));
      },
      nb::arg("name"), nb::arg("type").none(), nb::arg("is_dataflow") = false,
      nb::sig("def var(name: str, type: sunmao._sunmao.Type | None, is_dataflow: bool = False) -> sunmao._sunmao.Var"));
  m.def("global_var", [](const std::string& name) { return GlobalVar::make(name); }, nb::arg("name"));
  m.def(
      "constant",
      [](const HostTensor& data) {
        Array shared = data.array();  // Python may write to its own later
        return Constant::make(Array::copy(shared.dtype(), shared.shape(), shared.bytes()));
      },
      nb::arg("data"));
  m.def("shape", [](const Scalars& values) { return ShapeExpr::make(values); }, nb::arg("values"));
  m.def("prim_value", [](const Scalar& value) { return PrimValue::make(value); }, nb::arg("value"));
  m.def("string", [](const std::string& value) { return StringLiteral::make(value); }, nb::arg("value"));
  m.def("dtype", [](const std::string& name) { return DTypeLiteral::make(dtype_or_void(name)); }, nb::arg("name"));
  m.def(
      "extern",
      [](const std::string& name, const std::optional<Type>& type) {
        return find_ref<ExternFunc>(type ? ExternFunc::make_typed(name, *type) : ExternFunc::make(name));
      },
      nb::arg("name"), nb::arg("type").none() = nb::none(),
      nb::sig("def extern(name: str, type: sunmao._sunmao.Type | None = None) -> sunmao._sunmao.ExternFunc"));
}

Ref<SeqExpr> sequence(const Expr& e) {
  if (Ref<SeqExpr> seq = find_ref<SeqExpr>(e)) return seq;
  return SeqExpr::make({}, e, e->span);
}

void make_compounds(nb::module_& m) {
  m.def("tuple", [](const Exprs& fields) { return Tuple::make(fields); }, nb::arg("fields"));
  m.def(
      "tuple_get_item", [](const Expr& tuple, int index) { return TupleGetItem::make(tuple, index); }, nb::arg("tuple"),
      nb::arg("index"));
  m.def(
      "call",
      [](const Expr& callee, const Exprs& args, const nb::dict& attrs, const std::vector<Type>& type_args) {
        return Call::make(callee, args, Attrs(attr_map(attrs)), type_args);
      },
      nb::arg("callee"), nb::arg("args"), nb::arg("attrs"), nb::arg("type_args"),
      nb::sig("def call(callee: sunmao._sunmao.Expr, args: collections.abc.Sequence[sunmao._sunmao.Expr], attrs: "
              "dict[str, typing.Any], type_args: "
              "collections.abc.Sequence[sunmao._sunmao.Type]) -> sunmao._sunmao.Call"));
  m.def(
      "typed_call",
      [](const Expr& callee, const Exprs& args, const nb::dict& attrs, const std::vector<Type>& type_args,
         const Type& type) { return Call::make_typed(callee, args, Attrs(attr_map(attrs)), type_args, type); },
      nb::arg("callee"), nb::arg("args"), nb::arg("attrs"), nb::arg("type_args"), nb::arg("type"),
      nb::sig("def typed_call(callee: sunmao._sunmao.Expr, args: collections.abc.Sequence[sunmao._sunmao.Expr], attrs: "
              "dict[str, typing.Any], "
              "type_args: collections.abc.Sequence[sunmao._sunmao.Type], type: sunmao._sunmao.Type) -> "
              "sunmao._sunmao.Call"));
  m.def(
      "if_",
      [](const Expr& condition, const Expr& then_branch, const Expr& else_branch) {
        return If::make(condition, sequence(then_branch), sequence(else_branch));
      },
      nb::arg("condition"), nb::arg("then_branch"), nb::arg("else_branch"));
  m.def(
      "binding",
      [](const Ref<Var>& var, const Expr& value, const std::optional<Type>& cast_type) {
        return Binding{var, value, or_null(cast_type), value->span};
      },
      nb::arg("var"), nb::arg("value"), nb::arg("cast_type").none(),
      nb::sig("def binding(var: sunmao._sunmao.Var, value: sunmao._sunmao.Expr, cast_type: sunmao._sunmao.Type | None) "
              "-> sunmao._sunmao.Binding"));
  m.def(
      "block",
      [](const std::vector<Binding>& bindings, bool is_dataflow) {
        return is_dataflow ? BindingBlock::make_dataflow(bindings) : BindingBlock::make(bindings);
      },
      nb::arg("bindings"), nb::arg("is_dataflow") = false);
  m.def(
      "sequence",
      [](const std::vector<Ref<BindingBlock>>& blocks, const Expr& body) { return SeqExpr::make(blocks, body); },
      nb::arg("blocks"), nb::arg("body"));
  m.def(
      "function",
      [](const std::vector<Ref<Var>>& params, const Expr& body, const std::optional<Type>& result_type, bool is_pure,
         const nb::dict& attrs) {
        return Function::make(params, sequence(body), or_null(result_type), is_pure, Attrs(attr_map(attrs)));
      },
      nb::arg("params"), nb::arg("body"), nb::arg("result_type").none(), nb::arg("is_pure"), nb::arg("attrs"),
      nb::sig("def function(params: collections.abc.Sequence[sunmao._sunmao.Var], body: sunmao._sunmao.Expr, "
              "result_type: sunmao._sunmao.Type | None, is_pure: "
              "bool, attrs: dict[str, typing.Any]) -> sunmao._sunmao.Function"));
}

}  // namespace

void bind_constructors(nb::module_& m) {
  nb::module_ make = m.attr("make");
  make_types(make);
  make_leaves(make);
  make_compounds(make);
}

}  // namespace sunmao::python
