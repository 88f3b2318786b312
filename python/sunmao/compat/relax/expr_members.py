"""Members of the extension's graph-level classes under upstream's names or in a simpler form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.facade import alias, extend
from sunmao.compat.ir.attrs_class import Attrs
from sunmao.compat.ir.container import Array
from sunmao.compat.ir.type import MISSING
from sunmao.compat.relax.expr import Call
from sunmao.compat.relax.function_values import bind_params, bind_symbolic_vars, inline_functions
from sunmao.compat.runtime.tensors import Tensor
from sunmao.compat.spans import span_property
from sunmao.errors import fail


def unwrap(value: Any) -> Any:
    """Returns the scalar that a prim value holds."""
    return value.value if isinstance(value, _sunmao.PrimValue) else value


_reading: dict[str, Callable[[Any], Any]] = {
    "call_args": _sunmao.Call.args.__get__,
    "call_attrs": _sunmao.Call.attrs.__get__,
    "type_args": _sunmao.Call.type_args.__get__,
    "function_attrs": _sunmao.BaseFunc.attrs.__get__,
    "params": _sunmao.Function.params.__get__,
    "blocks": _sunmao.SeqExpr.blocks.__get__,
    "bindings": _sunmao.BindingBlock.bindings.__get__,
    "fields": _sunmao.Tuple.fields.__get__,
    "values": _sunmao.ShapeExpr.values.__get__,
    "data": _sunmao.Constant.data.__get__,
    "dtype_value": _sunmao.DTypeLiteral.value.__get__,
}


def _type(self: _sunmao.Expr) -> Any:
    """Returns the type; for a scalar only its dtype, as in upstream's types."""
    found = self.type
    if isinstance(found, _sunmao.PrimType) and found.value is not None:
        return make.prim_type(found.dtype)
    return MISSING if found is None else found


def _list(name: str) -> property:
    read = _reading[name]
    return property(lambda self: Array(unwrap(item) for item in read(self)), doc=f"All {name}, in order.")


def _item(fields: str, what: str) -> Callable[[Any, Any], Any]:
    def get(self: Any, index: int | slice) -> Any:
        items = getattr(self, fields)
        if isinstance(index, slice):
            return items[index]
        if not -len(items) <= int(index) < len(items):
            raise IndexError(f"{what} index out of range")
        return items[int(index)]

    get.__qualname__ = f"{what}.__getitem__"
    return checked(get)


@checked
def _get_item(self: _sunmao.Expr, index: int) -> Any:
    if isinstance(self.type, _sunmao.TupleType):
        fields = self.type.fields
        if not -len(fields) <= int(index) < len(fields):
            raise IndexError(f"Index {index} out of bounds for a tuple of {len(fields)} fields")
        return make.tuple_get_item(self, int(index) % len(fields))
    if self.type is None or isinstance(self.type, _sunmao.AnyType):
        return make.tuple_get_item(self, int(index))
    raise fail("E0034", f"only a tuple has fields, got {self.type!r}")


def _with_attr(self: Any, key: Any, value: Any = None) -> Any:
    """Returns the function with an attribute more, or another value of it; a dictionary gives several."""
    for name, item in (key if isinstance(key, Mapping) else {key: value}).items():
        self = native_with_attr(self, str(name), c.attribute(item))
    return self


def _without_attr(self: Any, name: str) -> Any:
    """Returns the function without this attribute."""
    return native_without_attr(self, name)


native_with_attr = _sunmao.BaseFunc.with_attr
native_without_attr = _sunmao.BaseFunc.without_attr


@checked
def _with_attrs(self: Any, attrs: Mapping[str, Any] | None) -> Any:
    """Returns the function with these attributes in place of its own."""
    for name in self.attrs:
        self = native_without_attr(self, name)
    return _with_attr(self, dict(attrs or {}))


def _call(self: Any, *args: Any, attrs: Any = None) -> _sunmao.Call:
    return Call.make(self, args, attrs)


def _own_symbol(value: object) -> Any:
    """Returns the symbol that a scalar variable stands for, or the symbol itself."""
    if not isinstance(value, _sunmao.Var):
        return value if isinstance(value, _sunmao.SymVar) else None
    known = value.type.value if isinstance(value.type, _sunmao.PrimType) else None
    return known if isinstance(known, _sunmao.SymVar) and known.name == value.name else None


def _same_as(self: Any, other: object) -> bool:
    """Returns whether both are the same node. A prim value equals its scalar, and a scalar variable its symbol."""
    if isinstance(self, _sunmao.PrimValue) and isinstance(other, _sunmao.Scalar):
        return self.value is other
    if self is other or isinstance(self, _sunmao.Var) == isinstance(other, _sunmao.Var):
        return self is other
    symbol = _own_symbol(self)
    return symbol is not None and symbol is _own_symbol(other)


extend(
    _sunmao.Expr,
    ty=property(_type),
    struct_info=property(_type),
    struct_info_=property(_type),
    checked_type=property(_type),
    same_as=_same_as,
    span=span_property(_sunmao.Expr),
    __call__=_call,
    __getitem__=_get_item,
)
extend(_sunmao.SymVar, same_as=_same_as)
extend(
    _sunmao.Var,
    vid=alias("name"),
    with_type=lambda self, ty: make.var(self.name, c.known_type(ty), self.is_dataflow),
)
extend(_sunmao.GlobalVar, name_hint=alias("name"))
extend(_sunmao.Constant, data=property(lambda self: Tensor(_reading["data"](self))))
extend(
    _sunmao.ShapeExpr,
    values=_list("values"),
    __getitem__=_item("values", "ShapeExpr"),
    __len__=lambda self: len(self.values),
    __iter__=lambda self: iter(self.values),
)
extend(_sunmao.DTypeLiteral, value=property(lambda self: str(_reading["dtype_value"](self))))
extend(
    _sunmao.Tuple,
    fields=_list("fields"),
    __getitem__=_item("fields", "Tuple"),
    __len__=lambda self: len(self.fields),
    __iter__=lambda self: iter(self.fields),
)
extend(_sunmao.TupleGetItem, tuple_value=alias("tuple"))
extend(
    _sunmao.Call,
    op=alias("callee"),
    args=_list("call_args"),
    attrs=property(lambda self: Attrs(_reading["call_attrs"](self))),
    ty_args=_list("type_args"),
    sinfo_args=_list("type_args"),
)
extend(_sunmao.If, cond=alias("condition"), true_branch=alias("then_branch"), false_branch=alias("else_branch"))
extend(
    _sunmao.Binding,
    ty=alias("cast_type"),
    struct_info=alias("cast_type"),
    same_as=lambda self, other: self == other,
    span=span_property(_sunmao.Binding),
)
extend(_sunmao.BindingBlock, bindings=_list("bindings"), same_as=_same_as, span=span_property(_sunmao.BindingBlock))
extend(_sunmao.SeqExpr, blocks=_list("blocks"))
extend(
    _sunmao.BaseFunc,
    attrs=property(lambda self: Attrs(_reading["function_attrs"](self)), doc="Attributes by name."),
    with_attr=_with_attr,
    with_attrs=_with_attrs,
    without_attr=_without_attr,
)
extend(
    _sunmao.Function,
    params=_list("params"),
    ret_ty=alias("result_type"),
    ret_struct_info=alias("result_type"),
    bind_params=bind_params,
    bind_symbolic_vars=bind_symbolic_vars,
    inline_functions=inline_functions,
)
extend(_sunmao.ExternFunc, global_symbol=alias("name"))
