"""Expressions of the graph level under upstream's names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.arrays import numpy_dtype, to_tensor
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.facade import Facade
from sunmao.compat.ir.attrs_class import Attrs
from sunmao.compat.ir.type import Missing
from sunmao.compat.runtime.tensors import Tensor
from sunmao.compat.spans import native_span
from sunmao.errors import fail


class Expr(metaclass=Facade, native=(_sunmao.Expr, _sunmao.Scalar)):
    """Any expression, scalars among them."""


ExprWithOp = RelaxExpr = BaseExpr = Expr


def _variable(name: Any, name_hint: str | None, ty: Any, is_dataflow: bool, span: Any) -> _sunmao.Var:
    if name is not None and name_hint is not None:
        raise fail("E0034", "Specify either name or name_hint, not both")
    text = name if name is not None else name_hint
    if text is None:
        raise fail("E0034", "a variable needs a name")
    type = c.type_of(ty)
    if not is_dataflow and isinstance(type, _sunmao.PrimType) and type.value is None and type.dtype == "int64":
        type = make.prim_type_of(make.sym_var(str(text), "int64"))  # dimensions and arithmetic may name it
    return make.var(str(text), type, is_dataflow, native_span(span))


class Var(metaclass=Facade, native=_sunmao.Var):
    """A variable, identified by its node: two variables may have the same name."""

    @staticmethod
    def make(
        name: str | None = None,
        ty: Any = None,
        span: Any = None,
        *,
        name_hint: str | None = None,
        struct_info: Any = None,
    ) -> _sunmao.Var:
        return _variable(name, name_hint, ty if struct_info is None else struct_info, False, span)


class DataflowVar(Var, metaclass=Facade, native=_sunmao.Var, when=lambda value: value.is_dataflow):
    """A variable that is visible in its dataflow block only."""

    @staticmethod
    def make(
        name: str | None = None,
        ty: Any = None,
        span: Any = None,
        *,
        name_hint: str | None = None,
        struct_info: Any = None,
    ) -> _sunmao.Var:
        return _variable(name, name_hint, ty if struct_info is None else struct_info, True, span)


class GlobalVar(metaclass=Facade, native=_sunmao.GlobalVar):
    """A reference to a function of the module by name."""

    @staticmethod
    def make(name_hint: str, ty: Any = None) -> _sunmao.GlobalVar:
        if ty is not None:
            raise fail("E0032", "GlobalVar: `ty` is not supported", "the module's function says the type")
        return make.global_var(name_hint)


class Constant(metaclass=Facade, native=_sunmao.Constant):
    """A constant tensor."""

    @staticmethod
    def make(data: Any, ty: Any = None, span: Any = None) -> _sunmao.Expr:
        found = make.constant(data.native if isinstance(data, Tensor) else to_tensor(data), native_span(span))
        own = found.type
        if ty is not None and own is not None and not _sunmao.structural_equal(c.known_type(ty), own):
            raise fail("E0034", f"a constant of type {own!r} cannot be stated to be {c.known_type(ty)!r}")
        return found


class ShapeExpr(metaclass=Facade, native=_sunmao.ShapeExpr):
    """A shape expression."""

    @staticmethod
    def make(values: Sequence[Any], span: Any = None) -> _sunmao.Expr:
        return make.shape(c.dims(values), native_span(span))


class PrimValue(metaclass=Facade, native=(_sunmao.PrimValue, _sunmao.Scalar)):
    """A scalar as an expression."""

    @staticmethod
    def make(value: Any, span: Any = None) -> _sunmao.Expr:
        return make.prim_value(c.scalar(value), native_span(span))


class StringImm(metaclass=Facade, native=_sunmao.StringLiteral):
    """A text."""

    @staticmethod
    def make(value: str, span: Any = None) -> _sunmao.Expr:
        return make.string(value, native_span(span))


class DataTypeImm(metaclass=Facade, native=_sunmao.DTypeLiteral):
    """A dtype as an expression."""

    @staticmethod
    def make(value: Any, span: Any = None) -> _sunmao.Expr:
        return make.dtype(c.dtype_name(value), native_span(span))


class Tuple(metaclass=Facade, native=_sunmao.Tuple):
    """A tuple."""

    @staticmethod
    def make(fields: Sequence[Any], span: Any = None) -> _sunmao.Expr:
        return make.tuple([c.expr(field) for field in fields], native_span(span))


class TupleGetItem(metaclass=Facade, native=_sunmao.TupleGetItem):
    """A field of a tuple."""

    @staticmethod
    def make(tuple_value: Any, index: int, span: Any = None) -> _sunmao.Expr:
        return make.tuple_get_item(c.expr(tuple_value), int(index), native_span(span))


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
            raise fail("E0034", "Call expects a defined operator")
        operands = [c.expr(arg) for arg in args]
        told = [c.known_type(t) for t in (ty_args or sinfo_args or ())]
        known = c.type_of(ty)
        if known is not None:
            return make.typed_call(op, operands, native_attrs(attrs), told, known, native_span(span))
        return make.call(op, operands, native_attrs(attrs), told, native_span(span))


class If(metaclass=Facade, native=_sunmao.If):
    """A conditional with two branches."""

    @staticmethod
    def make(cond: Any, true_branch: Any, false_branch: Any, span: Any = None) -> _sunmao.Expr:
        return make.if_(c.expr(cond), c.expr(true_branch), c.expr(false_branch), native_span(span))


class Binding(metaclass=Facade, native=_sunmao.Binding):
    """A variable and its value."""


class VarBinding(Binding, metaclass=Facade, native=_sunmao.Binding, when=lambda b: b.cast_type is None):
    """A variable and its value."""

    @staticmethod
    def make(var: _sunmao.Var, value: Any, span: Any = None) -> _sunmao.Binding:
        return make.binding(var, c.expr(value), None, native_span(span))


class MatchCast(Binding, metaclass=Facade, native=_sunmao.Binding, when=lambda b: b.cast_type is not None):
    """A binding with a cast: the type of the value is checked at run time."""

    @staticmethod
    def make(
        var: _sunmao.Var, value: Any, ty: Any = None, span: Any = None, *, struct_info: Any = None
    ) -> _sunmao.Binding:
        type = c.known_type(ty if struct_info is None else struct_info)
        return make.binding(var, c.expr(value), type, native_span(span))


class BindingBlock(metaclass=Facade, native=_sunmao.BindingBlock):
    """Bindings in order."""

    @staticmethod
    def make(bindings: Sequence[_sunmao.Binding], span: Any = None) -> _sunmao.BindingBlock:
        return make.block(list(bindings), False, native_span(span))


class DataflowBlock(BindingBlock, metaclass=Facade, native=_sunmao.BindingBlock, when=lambda b: b.is_dataflow):
    """A block of pure bindings."""

    @staticmethod
    def make(bindings: Sequence[_sunmao.Binding], span: Any = None) -> _sunmao.BindingBlock:
        return make.block(list(bindings), True, native_span(span))


class SeqExpr(metaclass=Facade, native=_sunmao.SeqExpr):
    """Binding blocks followed by a result expression."""

    @staticmethod
    def make(blocks: Sequence[_sunmao.BindingBlock], body: Any, span: Any = None) -> _sunmao.SeqExpr:
        return make.sequence(list(blocks), c.expr(body), native_span(span))


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
        given = native_attrs(attrs)
        return make.function(list(params), c.expr(body), result, bool(is_pure), given, native_span(span))

    @staticmethod
    def create_empty(
        params: Sequence[_sunmao.Var], ret_ty: Any, is_pure: bool = True, attrs: Any = None, span: Any = None
    ) -> _sunmao.Function:
        """Makes a function with this signature whose body is the extern function named by its global symbol."""
        body = make.extern(str(dict(attrs or {}).get("global_symbol", "extern")))
        result, given = c.known_type(ret_ty), native_attrs(attrs)
        return make.function(list(params), body, result, is_pure, given, native_span(span))


class ExternFunc(metaclass=Facade, native=_sunmao.ExternFunc):
    """A function that is looked up by name at run time."""

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
        if global_name is not None:
            raise fail(
                "E0032", "ExternFunc: `global_name` is not supported", "the module says under which name it stands"
            )
        function = make.extern(global_symbol, c.type_of(ty if struct_info is None else struct_info), native_span(span))
        return function.with_attrs(attrs) if attrs else function


class BaseFunc(metaclass=Facade, native=_sunmao.BaseFunc):
    """A function of either level."""


@checked
def extern(name: str, ty: Any = None, span: Any = None) -> _sunmao.ExternFunc:
    return make.extern(name, c.type_of(ty), native_span(span))


def const(value: Any, dtype: Any = None) -> _sunmao.Expr:
    """Makes a constant. Python floats are float32 and integers int32 unless `dtype` is given."""
    if isinstance(value, _sunmao.Scalar):
        value = c.scalar(value).value
    if isinstance(value, Tensor):
        return make.constant(value.native)
    name = c.dtype_name(dtype) if dtype is not None and not isinstance(dtype, Missing) else ""
    if hasattr(dtype, "dtype") and not name:
        name = dtype.dtype
    try:
        array = np.asarray(value)
        if not name and not isinstance(value, np.ndarray | np.generic):
            name = {np.dtype("float64"): "float32", np.dtype("int64"): "int32"}.get(array.dtype, "")
        array = _cast(array, name)
    except (TypeError, ValueError) as error:
        raise fail("E0034", f"`{value!r}` is no constant{f' of {name}' if name else ''}: {error}") from error
    return make.constant(to_tensor(array))


def _cast(array: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    return array if not name or array.dtype.name == name else array.astype(numpy_dtype(name))


@checked
def prim_value(value: Any, dtype: str | None = None) -> _sunmao.Scalar:
    """Returns a scalar expression of a number, or the scalar expression itself."""
    if isinstance(value, _sunmao.Expr):
        raise fail("E0034", f"Cannot convert {type(value).__name__} to a scalar expression")
    return c.scalar(value, dtype)


def make_shape(shape: Any) -> _sunmao.Expr:
    if isinstance(shape, list | tuple):
        return make.shape(c.dims(shape))
    raise fail("E0034", f"a shape is a list or a tuple of dimensions, got {type(shape).__name__}")


@checked
def get_shape_of(expr: _sunmao.Expr) -> _sunmao.Expr:
    """Returns the shape of a tensor if its type states it, else a call that computes it."""
    if not isinstance(expr.type, _sunmao.TensorType):
        raise fail("E0034", f"only a tensor has a shape, got {expr.type!r}")
    if expr.type.shape is not None:
        return expr.type.shape
    op = _sunmao.find_op("shape_of")
    assert op is not None
    return make.call(op, [expr], {}, [])
