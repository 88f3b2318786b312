"""Expressions of the graph level under upstream's names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.arrays import to_tensor
from sunmao.compat import convert as c
from sunmao.compat.facade import Facade, alias, extend
from sunmao.compat.ir.attrs import Attrs
from sunmao.compat.ir.container import Array
from sunmao.compat.ir.type import MISSING, Missing
from sunmao.compat.runtime import Tensor
from sunmao.errors import fail


class Expr(metaclass=Facade, native=(_sunmao.Expr, _sunmao.Scalar)):
    """Any expression, scalars among them."""


ExprWithOp = RelaxExpr = BaseExpr = Expr


def _variable(name: Any, name_hint: str | None, ty: Any, is_dataflow: bool) -> _sunmao.Var:
    if name is not None and name_hint is not None:
        raise TypeError("Specify either name or name_hint, not both")
    text = name if name is not None else name_hint
    if text is None:
        raise TypeError("a variable needs a name")
    type = c.type_of(ty)
    if not is_dataflow and isinstance(type, _sunmao.PrimType) and type.value is None and type.dtype == "int64":
        type = make.prim_type_of(make.sym_var(str(text), "int64"))  # dimensions and arithmetic may name it
    return make.var(str(text), type, is_dataflow)


class Var(metaclass=Facade, native=_sunmao.Var):
    """A variable; two of the same name are two."""

    @staticmethod
    def make(
        name: str | None = None,
        ty: Any = None,
        span: Any = None,
        *,
        name_hint: str | None = None,
        struct_info: Any = None,
    ) -> _sunmao.Var:
        return _variable(name, name_hint, ty if struct_info is None else struct_info, False)


class DataflowVar(Var, metaclass=Facade, native=_sunmao.Var, when=lambda value: value.is_dataflow):
    """A variable that lives inside its dataflow block."""

    @staticmethod
    def make(
        name: str | None = None,
        ty: Any = None,
        span: Any = None,
        *,
        name_hint: str | None = None,
        struct_info: Any = None,
    ) -> _sunmao.Var:
        return _variable(name, name_hint, ty if struct_info is None else struct_info, True)


class GlobalVar(metaclass=Facade, native=_sunmao.GlobalVar):
    """A function of the module, by name."""

    @staticmethod
    def make(name_hint: str, ty: Any = None) -> _sunmao.GlobalVar:
        return make.global_var(name_hint)


class Constant(metaclass=Facade, native=_sunmao.Constant):
    """Data inside the module."""

    @staticmethod
    def make(data: Any, ty: Any = None, span: Any = None) -> _sunmao.Expr:
        return make.constant(data.native if isinstance(data, Tensor) else to_tensor(data))


class ShapeExpr(metaclass=Facade, native=_sunmao.ShapeExpr):
    """A shape."""

    @staticmethod
    def make(values: Sequence[Any], span: Any = None) -> _sunmao.Expr:
        return make.shape(c.dims(values))


class PrimValue(metaclass=Facade, native=(_sunmao.PrimValue, _sunmao.Scalar)):
    """A scalar as an expression."""

    @staticmethod
    def make(value: Any, span: Any = None) -> _sunmao.Expr:
        return make.prim_value(c.scalar(value))


class StringImm(metaclass=Facade, native=_sunmao.StringLiteral):
    """A text."""

    @staticmethod
    def make(value: str, span: Any = None) -> _sunmao.Expr:
        return make.string(value)


class DataTypeImm(metaclass=Facade, native=_sunmao.DTypeLiteral):
    """A dtype as an expression."""

    @staticmethod
    def make(value: Any, span: Any = None) -> _sunmao.Expr:
        return make.dtype(c.dtype_name(value))


class Tuple(metaclass=Facade, native=_sunmao.Tuple):
    """A tuple."""

    @staticmethod
    def make(fields: Sequence[Any], span: Any = None) -> _sunmao.Expr:
        return make.tuple([c.expr(field) for field in fields])


class TupleGetItem(metaclass=Facade, native=_sunmao.TupleGetItem):
    """A field of a tuple."""

    @staticmethod
    def make(tuple_value: Any, index: int, span: Any = None) -> _sunmao.Expr:
        return make.tuple_get_item(c.expr(tuple_value), int(index))


def native_attrs(attrs: Any) -> dict[str, Any]:
    if attrs is None:
        return {}
    return attrs.native() if isinstance(attrs, Attrs) else c.attributes(attrs)


class Call(metaclass=Facade, native=_sunmao.Call):
    """A call of an op or a function."""

    @staticmethod
    def make(
        op: Any,
        args: Sequence[Any],
        attrs: Any = None,
        ty_args: Sequence[Any] | None = None,
        span: Any = None,
        *,
        sinfo_args: Sequence[Any] | None = None,
        ty: Any = None,
    ) -> _sunmao.Call:
        if op is None:
            raise ValueError("Call expects a defined operator")
        operands = [c.expr(arg) for arg in args]
        told = [c.known_type(t) for t in (ty_args or sinfo_args or ())]
        known = c.type_of(ty)
        if known is not None:
            return make.typed_call(op, operands, native_attrs(attrs), told, known)
        return make.call(op, operands, native_attrs(attrs), told)


class If(metaclass=Facade, native=_sunmao.If):
    """A choice between two sequences."""

    @staticmethod
    def make(cond: Any, true_branch: Any, false_branch: Any, span: Any = None) -> _sunmao.Expr:
        return make.if_(c.expr(cond), c.expr(true_branch), c.expr(false_branch))


class Binding(metaclass=Facade, native=_sunmao.Binding):
    """A variable and its value."""


class VarBinding(Binding, metaclass=Facade, native=_sunmao.Binding, when=lambda b: b.cast_type is None):
    """A variable and its value."""

    @staticmethod
    def make(var: _sunmao.Var, value: Any, span: Any = None) -> _sunmao.Binding:
        return make.binding(var, c.expr(value), None)


class MatchCast(Binding, metaclass=Facade, native=_sunmao.Binding, when=lambda b: b.cast_type is not None):
    """A variable, its value, and what is claimed and checked of it."""

    @staticmethod
    def make(
        var: _sunmao.Var, value: Any, ty: Any = None, span: Any = None, *, struct_info: Any = None
    ) -> _sunmao.Binding:
        return make.binding(var, c.expr(value), c.known_type(ty if struct_info is None else struct_info))


class BindingBlock(metaclass=Facade, native=_sunmao.BindingBlock):
    """Bindings in order."""

    @staticmethod
    def make(bindings: Sequence[_sunmao.Binding], span: Any = None) -> _sunmao.BindingBlock:
        return make.block(list(bindings), False)


class DataflowBlock(BindingBlock, metaclass=Facade, native=_sunmao.BindingBlock, when=lambda b: b.is_dataflow):
    """Bindings without effects."""

    @staticmethod
    def make(bindings: Sequence[_sunmao.Binding], span: Any = None) -> _sunmao.BindingBlock:
        return make.block(list(bindings), True)


class SeqExpr(metaclass=Facade, native=_sunmao.SeqExpr):
    """Blocks, and what they compute."""

    @staticmethod
    def make(blocks: Sequence[_sunmao.BindingBlock], body: Any, span: Any = None) -> _sunmao.SeqExpr:
        return make.sequence(list(blocks), c.expr(body))


class Function(metaclass=Facade, native=_sunmao.Function):
    """A function of the graph level."""

    @staticmethod
    def make(
        params: Sequence[_sunmao.Var],
        body: Any,
        ret_ty: Any = None,
        is_pure: bool = True,
        attrs: Any = None,
        span: Any = None,
        *,
        ret_struct_info: Any = None,
    ) -> _sunmao.Function:
        result = c.type_of(ret_ty if ret_struct_info is None else ret_struct_info)
        return make.function(list(params), c.expr(body), result, bool(is_pure), native_attrs(attrs))

    @staticmethod
    def create_empty(
        params: Sequence[_sunmao.Var], ret_ty: Any, is_pure: bool = True, attrs: Any = None, span: Any = None
    ) -> _sunmao.Function:
        """A function that says its signature alone: an extern that is found by its global symbol."""
        body = make.extern(str(dict(attrs or {}).get("global_symbol", "extern")))
        return make.function(list(params), body, c.known_type(ret_ty), is_pure, native_attrs(attrs))


class ExternFunc(metaclass=Facade, native=_sunmao.ExternFunc):
    """A function that is found at run time by its name."""

    @staticmethod
    def make(
        global_symbol: str,
        ty: Any = None,
        span: Any = None,
        *,
        struct_info: Any = None,
        attrs: Any = None,
        global_name: str | None = None,
    ) -> _sunmao.ExternFunc:
        function = make.extern(global_symbol, c.type_of(ty if struct_info is None else struct_info))
        return function.with_attrs(attrs) if attrs else function


class BaseFunc(metaclass=Facade, native=_sunmao.BaseFunc):
    """A function of either level."""


def extern(name: str, ty: Any = None, span: Any = None) -> _sunmao.ExternFunc:
    return make.extern(name, c.type_of(ty))


def const(value: Any, dtype: Any = None) -> _sunmao.Expr:
    """A constant. Python's floats are float32 and its integers int32 unless `dtype` says more."""
    if isinstance(value, _sunmao.Scalar):
        value = c.scalar(value).value
    if isinstance(value, Tensor):
        return make.constant(value.native)
    name = c.dtype_name(dtype) if dtype is not None and not isinstance(dtype, Missing) else ""
    if hasattr(dtype, "dtype") and not name:
        name = dtype.dtype
    if not name and not isinstance(value, np.ndarray | np.generic):
        name = {np.dtype("float64"): "float32", np.dtype("int64"): "int32"}.get(np.asarray(value).dtype, "")
    return make.constant(to_tensor(_cast(np.asarray(value), name)))


def numpy_dtype(name: str) -> np.dtype[Any]:
    """NumPy's dtype of this name; the small floats come from ml_dtypes."""
    if name.startswith(("bfloat", "float8", "float4", "int4", "uint4")):
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


def _cast(array: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    return array if not name or array.dtype.name == name else array.astype(numpy_dtype(name))


def prim_value(value: Any, dtype: str | None = None) -> _sunmao.Scalar:
    """A scalar of a number, or the scalar itself."""
    if isinstance(value, _sunmao.Expr):
        raise TypeError(f"Cannot convert {type(value).__name__} to a scalar expression")
    return c.scalar(value, dtype)


def make_shape(shape: Any) -> _sunmao.Expr:
    if isinstance(shape, list | tuple):
        return make.shape(c.dims(shape))
    raise TypeError(f"a shape is a list or a tuple of dimensions, got {type(shape).__name__}")


def get_shape_of(expr: _sunmao.Expr) -> _sunmao.Expr:
    """The shape of a tensor, where its type says it; else a call that finds it out."""
    if not isinstance(expr.type, _sunmao.TensorType):
        raise ValueError(f"only a tensor has a shape, got {expr.type!r}")
    if expr.type.shape is not None:
        return expr.type.shape
    op = _sunmao.find_op("shape_of")
    assert op is not None
    return make.call(op, [expr], {}, [])


# What the extension calls otherwise, or gives in a plainer form.


def unwrap(value: Any) -> Any:
    """A prim value as the scalar that it holds."""
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
    """The type; of a scalar the dtype alone, as upstream's types say it."""
    found = self.type
    if isinstance(found, _sunmao.PrimType) and found.value is not None:
        return make.prim_type(found.dtype)
    return MISSING if found is None else found


def _list(name: str) -> property:
    read = _reading[name]
    return property(lambda self: Array(unwrap(item) for item in read(self)))


def _item(fields: str, what: str) -> Callable[[Any, Any], Any]:
    def get(self: Any, index: Any) -> Any:
        items = getattr(self, fields)
        if isinstance(index, slice):
            return items[index]
        if not -len(items) <= int(index) < len(items):
            raise IndexError(f"{what} index out of range")
        return items[int(index)]

    return get


def _get_item(self: _sunmao.Expr, index: Any) -> Any:
    if isinstance(self.type, _sunmao.TupleType):
        fields = self.type.fields
        if not -len(fields) <= int(index) < len(fields):
            raise IndexError(f"Index {index} out of bounds for a tuple of {len(fields)} fields")
        return make.tuple_get_item(self, int(index) % len(fields))
    if self.type is None or isinstance(self.type, _sunmao.AnyType):
        return make.tuple_get_item(self, int(index))
    raise TypeError(f"only a tuple has fields, got {self.type!r}")


def _with_attr(self: Any, key: Any, value: Any = None) -> Any:
    for name, item in (key if isinstance(key, Mapping) else {key: value}).items():
        self = native_with_attr(self, str(name), c.attribute(item))
    return self


def _without_attr(self: Any, name: str) -> Any:
    return native_without_attr(self, name)


native_with_attr = _sunmao.BaseFunc.with_attr
native_without_attr = _sunmao.BaseFunc.without_attr


def _with_attrs(self: Any, attrs: Mapping[str, Any] | None) -> Any:
    for name in self.attrs:
        self = native_without_attr(self, name)
    return _with_attr(self, dict(attrs or {}))


def _call(self: Any, *args: Any, attrs: Any = None) -> _sunmao.Call:
    return Call.make(self, args, attrs)


def _own_symbol(value: object) -> Any:
    """The symbol that a scalar variable stands for, or the symbol itself."""
    if not isinstance(value, _sunmao.Var):
        return value if isinstance(value, _sunmao.SymVar) else None
    known = value.type.value if isinstance(value.type, _sunmao.PrimType) else None
    return known if isinstance(known, _sunmao.SymVar) and known.name == value.name else None


def _same_as(self: Any, other: object) -> bool:
    """Whether both are one node; a scalar variable and its symbol count as one."""
    if self is other or isinstance(self, _sunmao.Var) == isinstance(other, _sunmao.Var):
        return self is other
    symbol = _own_symbol(self)
    return symbol is not None and symbol is _own_symbol(other)


def _show(self: Any, *args: Any, **display: Any) -> None:
    print(self.script())


def _bind_params(self: _sunmao.Function, binding_map: Mapping[Any, Any]) -> _sunmao.Function:
    """The function without the parameters in the map, whose values stand in their places."""
    by_name = {param.name: param for param in self.params}
    found = {}
    for key, value in binding_map.items():
        param = by_name.get(key) if isinstance(key, str) else key
        if param is None:
            raise fail("E0518", f"there is no parameter `{key}`", f"there are: {', '.join(by_name)}")
        if not any(p is param for p in self.params):
            raise fail("E0518", f"`{param.name}` is no parameter of the function", "give it by its name")
        data = value.native if isinstance(value, Tensor) else value
        found[param] = make.constant(data) if isinstance(data, _sunmao.Tensor) else c.expr(data)
    return _sunmao.bind_params(self, found)


def _bind_symbolic_vars(self: _sunmao.Function, binding_map: Mapping[Any, Any]) -> _sunmao.Function:
    """The function with numbers or scalars in place of symbols, by the symbol or by its name."""
    found: dict[_sunmao.SymVar, _sunmao.Scalar] = {}
    for key, value in binding_map.items():
        symbols = _sunmao.find_symbols(self, key) if isinstance(key, str) else [key]
        if isinstance(key, str) and len(symbols) != 1:
            raise fail("E0518", f"{len(symbols)} symbols of the function are called `{key}`, expected one")
        if symbols[0] in found:
            raise fail("E0518", f"`{symbols[0].name}` is bound twice", "give it by its name or by itself, not both")
        if not any(s is symbols[0] for s in _sunmao.defined_symbolic_vars(self)):
            raise fail("E0518", f"`{symbols[0].name}` is no symbol of the function")
        found[symbols[0]] = c.scalar(value, symbols[0].dtype)
    result = _sunmao.bind_symbols(self, found)
    known = {id(s) for s in _sunmao.free_symbolic_vars(self)}
    loose = [s.name for s in _sunmao.free_symbolic_vars(result) if id(s) not in known]
    if loose:
        help = "a symbol that stands alone as a dimension of a parameter is defined there"
        raise fail("E0518", f"nothing defines `{loose[0]}` once the symbols are bound", help)
    return result


def _inline_functions(self: _sunmao.Function, function_map: Mapping[Any, Any]) -> _sunmao.Function:
    """The function with the bodies of others in place of calls of them."""
    found: dict[str, _sunmao.Function] = {}
    for key, function in function_map.items():
        name = key if isinstance(key, str) else key.name
        if name in found:
            raise fail("E0517", f"`{name}` is given twice, by its name and by its variable")
        found[name] = function
    return _sunmao.inline_functions(self, found)


extend(
    _sunmao.Expr,
    ty=property(_type),
    struct_info=property(_type),
    struct_info_=property(_type),
    checked_type=property(_type),
    same_as=_same_as,
    span=None,
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
    _sunmao.Binding, ty=alias("cast_type"), struct_info=alias("cast_type"), same_as=lambda self, other: self == other
)
extend(
    _sunmao.BindingBlock, bindings=_list("bindings"), same_as=_same_as, script=lambda self, **d: repr(self), show=_show
)
extend(_sunmao.SeqExpr, blocks=_list("blocks"))
extend(
    _sunmao.BaseFunc,
    attrs=property(lambda self: Attrs(_reading["function_attrs"](self))),
    with_attr=_with_attr,
    with_attrs=_with_attrs,
    without_attr=_without_attr,
)
extend(
    _sunmao.Function,
    params=_list("params"),
    ret_ty=alias("result_type"),
    ret_struct_info=alias("result_type"),
    bind_params=_bind_params,
    bind_symbolic_vars=_bind_symbolic_vars,
    inline_functions=_inline_functions,
)
extend(_sunmao.ExternFunc, global_symbol=alias("name"))
