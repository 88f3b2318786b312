// Bindings of constructors of types and expressions: functions of the submodule `make`. Operands are nodes;
// sunmao.compat converts other Python values to nodes first.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings/host_tensor.h"
#include "bindings/node_caster.h"
#include "bindings/optional.h"
#include "ir/expr.h"
#include "ops/ops.h"
#include "support/diagnostic.h"

namespace sunmao::python {
namespace {

using Exprs = std::vector<Expr>;
using Scalars = std::vector<Scalar>;

DType dtype_or_void(const std::string& name) { return name.empty() ? DType::void_() : dtype(name); }

Type tensor_type(const std::optional<Expr>& shape, const std::string& element, int rank,
                 const std::optional<Ref<VDevice>>& device, const MaybeSpan& span) {
  if (shape) return TensorType::make_with_shape(*shape, dtype_or_void(element), or_null(device), or_null(span));
  return TensorType::make_unknown(dtype_or_void(element), rank, or_null(device), or_null(span));
}

Type callable_type(const std::optional<std::vector<Type>>& params, const Type& result, bool is_pure,
                   const MaybeSpan& span) {
  return params ? CallableType::make(*params, result, is_pure, or_null(span))
                : CallableType::make_opaque(result, is_pure, or_null(span));
}

void make_types(nb::module_& m) {
  m.def("any_type", [](const MaybeSpan& span) { return AnyType::make(or_null(span)); }, nb::arg("span") = nb::none());
  m.def(
      "prim_type",
      [](const std::string& name, const MaybeSpan& span) { return PrimType::make(dtype_or_void(name), or_null(span)); },
      nb::arg("dtype"), nb::arg("span") = nb::none());
  m.def(
      "prim_type_of",
      [](const Scalar& value, const MaybeSpan& span) { return PrimType::of_value(value, or_null(span)); },
      nb::arg("value"), nb::arg("span") = nb::none());
  m.def(
      "shape_type", [](const Scalars& values, const MaybeSpan& span) { return ShapeType::make(values, or_null(span)); },
      nb::arg("values"), nb::arg("span") = nb::none());
  m.def(
      "unknown_shape_type",
      [](int rank, const MaybeSpan& span) { return ShapeType::make_unknown(rank, or_null(span)); }, nb::arg("rank"),
      nb::arg("span") = nb::none());
  m.def("tensor_type", &tensor_type, nb::arg("shape").none(), nb::arg("dtype"), nb::arg("rank"),
        nb::arg("vdevice").none(), nb::arg("span") = nb::none(),
        nb::sig("def tensor_type(shape: sunmao._sunmao.Expr | None, dtype: str, rank: int, vdevice: "
                "sunmao._sunmao.VDevice | None, span: sunmao._sunmao.Span | None = None) -> sunmao._sunmao.Type"));
  m.def(
      "tuple_type",
      [](const std::vector<Type>& fields, const MaybeSpan& span) { return TupleType::make(fields, or_null(span)); },
      nb::arg("fields"), nb::arg("span") = nb::none());
  m.def("callable_type", &callable_type, nb::arg("params").none(), nb::arg("result"), nb::arg("is_pure"),
        nb::arg("span") = nb::none(),
        nb::sig("def callable_type(params: collections.abc.Sequence[sunmao._sunmao.Type] | None, result: "
                "sunmao._sunmao.Type, is_pure: bool, span: sunmao._sunmao.Span | None = None) -> "
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
      [](const std::string& name, const std::optional<Type>& type, bool is_dataflow, const MaybeSpan& span) {
        return is_dataflow ? Var::make_dataflow(name, or_null(type), or_null(span))
                           : Var::make(name, or_null(type), or_null(span));
      },
      nb::arg("name"), nb::arg("type").none(), nb::arg("is_dataflow") = false, nb::arg("span") = nb::none(),
      nb::sig("def var(name: str, type: sunmao._sunmao.Type | None, is_dataflow: bool = False, span: "
              "sunmao._sunmao.Span | None = None) -> sunmao._sunmao.Var"));
  m.def("global_var", [](const std::string& name) { return GlobalVar::make(name); }, nb::arg("name"));
  m.def(
      "constant",
      [](const HostTensor& data, const MaybeSpan& span) {
        const Array shared = data.array();
        // Python may modify its own data later.
        const Array kept = data.is_fixed ? shared : Array::copy(shared.dtype(), shared.shape(), shared.bytes());
        return Constant::make(kept, or_null(span));
      },
      nb::arg("data"), nb::arg("span") = nb::none());
  m.def(
      "shape", [](const Scalars& values, const MaybeSpan& span) { return ShapeExpr::make(values, or_null(span)); },
      nb::arg("values"), nb::arg("span") = nb::none());
  m.def(
      "prim_value", [](const Scalar& value, const MaybeSpan& span) { return PrimValue::make(value, or_null(span)); },
      nb::arg("value"), nb::arg("span") = nb::none());
  m.def(
      "string",
      [](const std::string& value, const MaybeSpan& span) { return StringLiteral::make(value, or_null(span)); },
      nb::arg("value"), nb::arg("span") = nb::none());
  m.def(
      "dtype",
      [](const std::string& name, const MaybeSpan& span) {
        return DTypeLiteral::make(dtype_or_void(name), or_null(span));
      },
      nb::arg("name"), nb::arg("span") = nb::none());
  m.def(
      "extern",
      [](const std::string& name, const std::optional<Type>& type, const MaybeSpan& span) {
        return find_ref<ExternFunc>(type ? ExternFunc::make_typed(name, *type, or_null(span))
                                         : ExternFunc::make(name, or_null(span)));
      },
      nb::arg("name"), nb::arg("type").none() = nb::none(), nb::arg("span") = nb::none(),
      nb::sig("def extern(name: str, type: sunmao._sunmao.Type | None = None, span: sunmao._sunmao.Span | None = None) "
              "-> sunmao._sunmao.ExternFunc"));
}

Ref<SeqExpr> sequence(const Expr& e) {
  if (Ref<SeqExpr> seq = find_ref<SeqExpr>(e)) return seq;
  return SeqExpr::make({}, e, e->span);
}

void make_compounds(nb::module_& m) {
  m.def(
      "tuple", [](const Exprs& fields, const MaybeSpan& span) { return Tuple::make(fields, or_null(span)); },
      nb::arg("fields"), nb::arg("span") = nb::none());
  m.def(
      "tuple_get_item",
      [](const Expr& tuple, int index, const MaybeSpan& span) {
        return TupleGetItem::make(tuple, index, or_null(span));
      },
      nb::arg("tuple"), nb::arg("index"), nb::arg("span") = nb::none());
  m.def(
      "call",
      [](const Expr& callee, const Exprs& args, const nb::dict& attrs, const std::vector<Type>& type_args,
         const MaybeSpan& span) { return Call::make(callee, args, Attrs(attr_map(attrs)), type_args, or_null(span)); },
      nb::arg("callee"), nb::arg("args"), nb::arg("attrs"), nb::arg("type_args"), nb::arg("span") = nb::none(),
      nb::sig("def call(callee: sunmao._sunmao.Expr, args: collections.abc.Sequence[sunmao._sunmao.Expr], attrs: "
              "dict[str, typing.Any], type_args: "
              "collections.abc.Sequence[sunmao._sunmao.Type], span: sunmao._sunmao.Span | None = None) -> "
              "sunmao._sunmao.Call"));
  m.def(
      "typed_call",
      [](const Expr& callee, const Exprs& args, const nb::dict& attrs, const std::vector<Type>& type_args,
         const Type& type, const MaybeSpan& span) {
        return Call::make_typed(callee, args, Attrs(attr_map(attrs)), type_args, type, or_null(span));
      },
      nb::arg("callee"), nb::arg("args"), nb::arg("attrs"), nb::arg("type_args"), nb::arg("type"),
      nb::arg("span") = nb::none(),
      nb::sig("def typed_call(callee: sunmao._sunmao.Expr, args: collections.abc.Sequence[sunmao._sunmao.Expr], attrs: "
              "dict[str, typing.Any], "
              "type_args: collections.abc.Sequence[sunmao._sunmao.Type], type: sunmao._sunmao.Type, "
              "span: sunmao._sunmao.Span | None = None) -> sunmao._sunmao.Call"));
  m.def(
      "if_",
      [](const Expr& condition, const Expr& then_branch, const Expr& else_branch, const MaybeSpan& span) {
        return If::make(condition, sequence(then_branch), sequence(else_branch), or_null(span));
      },
      nb::arg("condition"), nb::arg("then_branch"), nb::arg("else_branch"), nb::arg("span") = nb::none());
  m.def(
      "binding",
      [](const Ref<Var>& var, const Expr& value, const std::optional<Type>& cast_type, const MaybeSpan& span) {
        return Binding{var, value, or_null(cast_type), span.value_or(value->span)};
      },
      nb::arg("var"), nb::arg("value"), nb::arg("cast_type").none(), nb::arg("span") = nb::none(),
      nb::sig("def binding(var: sunmao._sunmao.Var, value: sunmao._sunmao.Expr, cast_type: sunmao._sunmao.Type | None, "
              "span: sunmao._sunmao.Span | None = None) -> sunmao._sunmao.Binding"),
      "Without a place of its own it stands where the value does.");
  m.def(
      "block",
      [](const std::vector<Binding>& bindings, bool is_dataflow, const MaybeSpan& span) {
        return is_dataflow ? BindingBlock::make_dataflow(bindings, or_null(span))
                           : BindingBlock::make(bindings, or_null(span));
      },
      nb::arg("bindings"), nb::arg("is_dataflow") = false, nb::arg("span") = nb::none());
  m.def(
      "sequence",
      [](const std::vector<Ref<BindingBlock>>& blocks, const Expr& body, const MaybeSpan& span) {
        return SeqExpr::make(blocks, body, or_null(span));
      },
      nb::arg("blocks"), nb::arg("body"), nb::arg("span") = nb::none());
  m.def(
      "function",
      [](const std::vector<Ref<Var>>& params, const Expr& body, const std::optional<Type>& result_type, bool is_pure,
         const nb::dict& attrs, const MaybeSpan& span) {
        return Function::make(params, sequence(body), or_null(result_type), is_pure, Attrs(attr_map(attrs)),
                              or_null(span));
      },
      nb::arg("params"), nb::arg("body"), nb::arg("result_type").none(), nb::arg("is_pure"), nb::arg("attrs"),
      nb::arg("span") = nb::none(),
      nb::sig(
          "def function(params: collections.abc.Sequence[sunmao._sunmao.Var], body: sunmao._sunmao.Expr, "
          "result_type: sunmao._sunmao.Type | None, is_pure: "
          "bool, attrs: dict[str, typing.Any], span: sunmao._sunmao.Span | None = None) -> sunmao._sunmao.Function"));
}

}  // namespace

void bind_constructors(nb::module_& m) {
  nb::module_ make = m.attr("make");
  make_types(make);
  make_leaves(make);
  make_compounds(make);
}

}  // namespace sunmao::python
