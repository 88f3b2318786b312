"""Text of an expression's syntax tree: the name of each node with its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.type import Missing
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.expr_members import unwrap

INDENT = "    "


class ASTPrinter:
    """Prints nodes as `Name(field=value, …)`, nested nodes on lines of their own."""

    def __init__(
        self,
        indent_str: str = INDENT,
        include_ty_annotations: bool = True,
        include_call_attrs: bool = True,
        *,
        include_struct_info_annotations: bool | None = None,
    ) -> None:
        self.indent_str = indent_str
        older = include_struct_info_annotations
        self.include_ty = include_ty_annotations if older is None else older
        self.include_call_attrs = include_call_attrs

    def visit_expr(self, expr: Any) -> str:
        return self._expr(unwrap(expr))

    def visit_type_(self, type: Any) -> str:
        """Prints a type without the dimensions that use symbols."""
        return self._type(type, plain=True)

    def visit_ty_(self, ty: Any) -> str:
        return self._type(ty, plain=False)

    # Methods that format the text of a node.

    def _node(self, name: str, /, **fields: str) -> str:
        text = ", ".join(f"{key}={value}" for key, value in fields.items())
        if "\n" not in text and len(name) + len(text) < 80:
            return f"{name}({text})"
        lines = ",\n".join(f"{key}={value}" for key, value in fields.items())
        return f"{name}(\n{self._indent(lines)}\n)"

    def _list(self, items: list[str]) -> str:
        text = ", ".join(items)
        if "\n" not in text and len(text) < 80:
            return f"[{text}]"
        return "[\n" + self._indent(",\n".join(items)) + "\n]"

    def _indent(self, text: str) -> str:
        return "\n".join(self.indent_str + line for line in text.split("\n"))

    # Methods that print expressions.

    def _typed(self, node: Any, name: str, /, **fields: str) -> str:
        ty = node.ty
        if self.include_ty and not isinstance(ty, Missing):
            fields["ty"] = self.visit_ty_(ty)
        return self._node(name, **fields)

    def _exprs(self, items: Any) -> str:
        return self._list([self._expr(unwrap(item)) for item in items])

    def _expr(self, e: Any) -> str:
        if isinstance(e, _sunmao.Scalar):
            return f"Expr(value=`{_scalar(e)}`)"
        writer = getattr(self, "_" + type(e).__name__.lower(), None)
        if writer is None:
            return self._node(type(e).__name__)
        return str(writer(e))

    def _var(self, e: _sunmao.Var) -> str:
        return self._typed(e, "DataflowVar" if e.is_dataflow else "Var", name=f'"{e.name}"')

    def _globalvar(self, e: _sunmao.GlobalVar) -> str:
        return self._node("GlobalVar", name_hint=f'"{e.name}"')

    def _constant(self, e: Any) -> str:
        return self._typed(e, "Constant", data=str(e.data.numpy()))

    def _shapeexpr(self, e: Any) -> str:
        return self._typed(e, "ShapeExpr", values=self._exprs(e.values))

    def _stringliteral(self, e: Any) -> str:
        return self._typed(e, "StringImm", value=f'"{e.value}"')

    def _dtypeliteral(self, e: Any) -> str:
        return self._typed(e, "DataTypeImm", value=str(e.value))

    def _externfunc(self, e: Any) -> str:
        return self._node("ExternFunc", global_symbol=f'"{e.name}"')

    def _op(self, e: Any) -> str:
        return self._node("Op", name=f'"{e.name}"')

    def _tuple(self, e: Any) -> str:
        return self._typed(e, "Tuple", fields=self._exprs(e.fields))

    def _tuplegetitem(self, e: Any) -> str:
        return self._typed(e, "TupleGetItem", tuple_value=self._expr(e.tuple), index=str(e.index))

    def _call(self, e: Any) -> str:
        fields = {"op": self._expr(e.callee), "args": self._exprs(e.args)}
        if len(e.ty_args):
            fields["ty_args"] = self._list([self.visit_ty_(t) for t in e.ty_args])
        if self.include_call_attrs and len(e.attrs):
            fields["attrs"] = _attrs(e.attrs)
        return self._typed(e, "Call", **fields)

    def _if(self, e: Any) -> str:
        branches = {"true_branch": self._expr(e.then_branch), "false_branch": self._expr(e.else_branch)}
        return self._typed(e, "If", cond=self._expr(e.condition), **branches)

    def _seqexpr(self, e: Any) -> str:
        return self._typed(e, "SeqExpr", blocks=self._list([self._block(b) for b in e.blocks]), body=self._expr(e.body))

    def _function(self, e: Any) -> str:
        fields = {"params": self._exprs(e.params), "body": self._expr(e.body)}
        if e.ret_ty is not None:
            fields["ret_ty"] = self.visit_ty_(e.ret_ty)
        fields["is_pure"] = str(e.is_pure)
        fields["attrs"] = _attrs(e.attrs)
        return self._typed(e, "Function", **fields)

    def _block(self, block: Any) -> str:
        name = "DataflowBlock" if block.is_dataflow else "BindingBlock"
        return self._node(name, bindings=self._list([self._binding(b) for b in block.bindings]))

    def _binding(self, b: Any) -> str:
        fields = {"var": self._expr(b.var), "value": self._expr(unwrap(b.value))}
        if b.cast_type is None:
            return self._node("VarBinding", **fields)
        return self._node("MatchCast", **fields, ty=self.visit_ty_(b.cast_type))

    # Methods that print types.

    def _type(self, t: Any, plain: bool) -> str:
        if isinstance(t, _sunmao.PrimType):
            return self._node("PrimType", dtype=t.dtype)
        if isinstance(t, _sunmao.ShapeType):
            known = {} if t.values is None or plain else {"values": self._exprs(t.values)}
            return self._node("ShapeType", ndim=str(t.ndim), **known)
        if isinstance(t, _sunmao.TensorType):
            return self._tensor_type(t, plain)
        if isinstance(t, _sunmao.TupleType):
            return self._node("TupleType", fields=self._list([self._type(f, plain) for f in t.fields]))
        if isinstance(t, _sunmao.CallableType):
            if t.params is None:
                return self._node("PackedFuncType")
            params = self._list([self._type(p, plain) for p in t.params])
            return self._node("FuncType", params=params, ret=self._type(t.result, plain), purity=str(t.is_pure))
        return self._node("AnyType")

    def _tensor_type(self, t: _sunmao.TensorType, plain: bool) -> str:
        if plain:
            return self._node("TensorType", ndim=str(t.ndim), dtype=t.dtype)
        fields = {"dtype": t.dtype}
        if t.shape is None:
            fields["ndim"] = str(t.ndim)
        else:
            fields["shape"] = self._expr(t.shape)
        return self._node("TensorType", **fields)


def _scalar(value: _sunmao.Scalar) -> str:
    if isinstance(value, _sunmao.IntImm | _sunmao.FloatImm):
        return f"T.{value.dtype}({value.value})"
    return repr(value)


def _attrs(attrs: Mapping[str, Any]) -> str:
    def text(value: Any) -> str:
        return f'"{value}"' if isinstance(value, str) else str(value)

    return "{" + ", ".join(f'"{key}": {text(value)}' for key, value in attrs.items()) + "}"


def dump_ast(
    expr: Any, indent_str: str = INDENT, include_ty_annotations: bool = True, include_call_attrs: bool = True
) -> str:
    """Returns the tree of an expression, binding, block or function as text."""
    printer = ASTPrinter(indent_str, include_ty_annotations, include_call_attrs)
    if isinstance(expr, _sunmao.Binding):
        return printer._binding(expr)
    if isinstance(expr, _sunmao.BindingBlock):
        return printer._block(expr)
    return printer.visit_expr(expr)


__getattr__ = attribute_of(__name__)
