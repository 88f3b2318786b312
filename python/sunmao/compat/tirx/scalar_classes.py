"""The loop level's scalar expressions under upstream's class names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name
from sunmao.compat.facade import Facade
from sunmao.compat.spans import native_span, placed
from sunmao.compat.tirx.operators import binary, loop_scalar
from sunmao.compat.tirx.pointer import PointerType, handle


class PrimExpr(metaclass=Facade, native=_sunmao.Scalar):
    """Any scalar expression."""


class Var(metaclass=Facade, native=_sunmao.SymVar):
    """A symbol."""

    @staticmethod
    def make(name: str, dtype: Any = "int32", span: Any = None, *, ty: Any = None) -> _sunmao.SymVar:
        given = ty if ty is not None else dtype
        if isinstance(given, PointerType):
            return handle(name, given, span)
        return make.sym_var(name, dtype_name(given), native_span(span))


class SizeVar(metaclass=Facade, native=_sunmao.SymVar):
    """A symbol that is non-negative."""

    @staticmethod
    def make(name: str, dtype: Any = "int32", span: Any = None) -> _sunmao.SymVar:
        return make.sym_var(name, dtype_name(dtype), native_span(span))


class IntImm(metaclass=Facade, native=_sunmao.IntImm):
    """An integer."""

    @staticmethod
    def make(dtype: Any, value: int, span: Any = None) -> _sunmao.Scalar:
        return placed(make.int_imm(dtype_name(dtype), int(value)), span)


class FloatImm(metaclass=Facade, native=_sunmao.FloatImm):
    """A floating-point number."""

    @staticmethod
    def make(dtype: Any, value: float, span: Any = None) -> _sunmao.Scalar:
        return placed(make.float_imm(dtype_name(dtype), float(value)), span)


class StringImm(metaclass=Facade, native=(_sunmao.StringImm, _sunmao.StringLiteral)):
    """A text."""

    @staticmethod
    def make(value: str, span: Any = None) -> _sunmao.Scalar:
        return placed(make.string_imm(value), span)


class Cast(metaclass=Facade, native=_sunmao.Cast):
    """A conversion to another dtype."""

    @staticmethod
    def make(dtype: Any, value: Any, span: Any = None) -> _sunmao.Scalar:
        return placed(make.cast(dtype_name(dtype), loop_scalar(value)), span)


class Not(metaclass=Facade, native=_sunmao.Not):
    """The negation of a condition."""

    @staticmethod
    def make(a: Any, span: Any = None) -> _sunmao.Scalar:
        return placed(make.not_(loop_scalar(a)), span)


class Select(metaclass=Facade, native=_sunmao.Select):
    """A conditional whose sides are both evaluated."""

    @staticmethod
    def make(condition: Any, true_value: Any, false_value: Any, span: Any = None) -> _sunmao.Scalar:
        return placed(make.select(loop_scalar(condition), loop_scalar(true_value), loop_scalar(false_value)), span)


class Ramp(metaclass=Facade, native=_sunmao.Ramp):
    """The vector base, base + stride, …"""

    @staticmethod
    def make(base: Any, stride: Any, lanes: Any, span: Any = None) -> _sunmao.Scalar:
        first = loop_scalar(base)
        return placed(make.ramp(first, loop_scalar(stride, first.dtype), loop_scalar(lanes)), span)


class Broadcast(metaclass=Facade, native=_sunmao.Broadcast):
    """A vector with the scalar in every lane."""

    @staticmethod
    def make(value: Any, lanes: Any, span: Any = None) -> _sunmao.Scalar:
        return placed(make.broadcast(loop_scalar(value), loop_scalar(lanes)), span)


class Let(metaclass=Facade, native=_sunmao.Let):
    """A scalar with a variable bound to another scalar inside."""

    @staticmethod
    def make(var: _sunmao.SymVar, value: Any, body: Any, span: Any = None) -> _sunmao.Scalar:
        return placed(make.let(var, loop_scalar(value, var.dtype), loop_scalar(body)), span)


def _is(op: str) -> Callable[[Any], bool]:
    return lambda value: value.op == op


def _binary_class(name: str, op: str) -> Facade:
    def construct(a: Any, b: Any, span: Any = None) -> _sunmao.Scalar:
        return placed(binary(op, a, b, folds=False), span)

    members = {"make": staticmethod(construct), "__doc__": f"`{op}` of two scalars.", "__module__": __name__}
    return Facade(name, (), members, native=_sunmao.Binary, when=_is(op))


# Maps the names of classes to the extension's names of the binary operations.
BINARY = {
    "Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div", "Mod": "truncmod", "FloorDiv": "floordiv",
    "FloorMod": "floormod", "Min": "min", "Max": "max", "EQ": "eq", "NE": "ne", "LT": "lt", "LE": "le", "GT": "gt",
    "GE": "ge", "And": "and", "Or": "or",
}  # fmt: skip
BINARY_CLASSES = {name: _binary_class(name, op) for name, op in BINARY.items()}
