"""Python's arithmetic and comparison operators on scalars. Operations on constants are folded."""

from __future__ import annotations

from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name, scalar
from sunmao.compat.facade import extend
from sunmao.compat.spans import placed, span_property
from sunmao.compat.tirx.pointer import pointer_type
from sunmao.errors import fail

_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


def operand(value: Any, other: Any) -> _sunmao.Scalar:
    """Converts an operand; a number gets the dtype of the other operand."""
    if isinstance(value, bool | int | float | np.number) and isinstance(other, _sunmao.Scalar):
        dtype = element(other.dtype)
        if isinstance(value, float | np.floating) and not dtype.startswith(("float", "bfloat")):
            return scalar(value, "float32")
        return scalar(value, dtype) if dtype != "bool" or isinstance(value, bool) else scalar(value)
    return scalar(value)


def element(dtype: str) -> str:
    """Returns the dtype of one lane."""
    return dtype.partition("x")[0]


def loop_scalar(value: Any, dtype: str | None = None) -> _sunmao.Scalar:
    """Converts a value to a loop-level scalar: numbers are int32, float32 or bool unless `dtype` is given."""
    if isinstance(value, bool | np.bool_):
        return scalar(value, dtype)
    if isinstance(value, int | np.integer):
        return scalar(value, dtype or "int32")
    if isinstance(value, float | np.floating):
        return scalar(value, dtype if dtype and dtype.startswith(("float", "bfloat")) else "float32")
    if isinstance(value, _sunmao.Scalar):
        return value
    return scalar(value, dtype)


def loop_scalars(values: Any) -> list[_sunmao.Scalar]:
    """Converts one value or several to a list of scalars."""
    return [loop_scalar(value) for value in (values if isinstance(values, list | tuple) else [values])]


def _spread(value: _sunmao.Scalar, like: _sunmao.Scalar) -> _sunmao.Scalar:
    """Broadcasts a scalar to the length of the vector `like`."""
    length = vector_length(like.dtype)
    return value if length is None or vector_length(value.dtype) is not None else make.broadcast(value, length)


def vector_length(dtype: str) -> _sunmao.Scalar | None:
    """Returns the length of a vector dtype; None for a scalar dtype."""
    _, scalable, count = dtype.partition("xvscalex")
    if (scalable or "x" in dtype) and not dtype.rpartition("x")[2].isdigit():
        raise fail("E0034", f"`{dtype}` is no dtype", "vectors are named as in `float32x4`")
    if scalable:
        return make.binary("mul", make.scalar_call("vscale", "int32", []), make.int_imm("int32", int(count)))
    _, vector, count = dtype.partition("x")
    return make.int_imm("int32", int(count)) if vector else None


def matched(a: _sunmao.Scalar, b: _sunmao.Scalar) -> tuple[_sunmao.Scalar, _sunmao.Scalar]:
    """Converts both operands to a common dtype: float before integer, wide before narrow, vector before scalar."""
    if a.dtype == b.dtype:
        return a, b
    to = max(element(a.dtype), element(b.dtype), key=_width)
    a, b = (_as(side, to + side.dtype.removeprefix(element(side.dtype))) for side in (a, b))
    return _spread(a, b), _spread(b, a)


def _width(dtype: str) -> tuple[int, int]:
    bits = int("".join(c for c in dtype.split("x")[0] if c.isdigit()) or 1)
    return (1 if dtype.startswith(("float", "bfloat")) else 0), bits


def _as(value: _sunmao.Scalar, dtype: str) -> _sunmao.Scalar:
    if value.dtype == dtype:
        return value
    if isinstance(value, _sunmao.IntImm):
        return scalar(value.value, dtype)
    return make.cast(dtype, value)


def _number(value: _sunmao.Scalar) -> int | float | None:
    return value.value if isinstance(value, _sunmao.IntImm | _sunmao.FloatImm) else None


def _keeps(op: str, a: _sunmao.Scalar, b: _sunmao.Scalar) -> _sunmao.Scalar | None:
    """Returns the operand that an operation with a neutral or absorbing constant yields, as in x + 0, x * 1, x * 0;
    else None."""
    x, y = _number(a), _number(b)
    if op == "add":
        return b if x == 0 else a if y == 0 else None
    if op == "sub":
        return a if y == 0 else None
    if op == "mul":
        return b if x == 1 or y == 0 else a if y == 1 or x == 0 else None
    if op in ("div", "floordiv"):
        return a if y == 1 or x == 0 else None
    if op in ("min", "max"):
        return a if a is b else None
    return None


def binary(op: str, a: Any, b: Any, folds: bool = True) -> _sunmao.Scalar:
    x, y = matched(operand(a, b), operand(b, a))
    if folds:
        folded = _sunmao.fold(op, x, y)
        if folded is not None:
            return folded
        kept = _keeps(op, x, y)
        if kept is not None:
            return kept
    return make.binary(op, x, y)


def _is_operand(value: Any) -> bool:
    """Returns whether arithmetic accepts the value; other values may define the operator themselves."""
    try:
        scalar(value)
    except TypeError:
        return False
    return True


def _forward(op: str) -> Any:
    def apply(self: _sunmao.Scalar, other: Any) -> Any:
        return NotImplemented if not _is_operand(other) else binary(op, self, other)

    return apply


def _backward(op: str) -> Any:
    def apply(self: _sunmao.Scalar, other: Any) -> Any:
        return NotImplemented if not _is_operand(other) else binary(op, other, self)

    return apply


def _is_scalar_variable(value: Any) -> bool:
    """Returns whether the value is a graph-level variable that stands for a known scalar."""
    return isinstance(value, _sunmao.Var) and isinstance(value.type, _sunmao.PrimType) and value.type.value is not None


def _equal(self: _sunmao.Scalar, other: Any) -> Any:
    if other is self or (_is_scalar_variable(other) and other.type.value is self):
        return True
    if isinstance(other, _sunmao.Scalar | bool | int | float | np.number) or _is_scalar_variable(other):
        return binary("eq", self, other)
    return NotImplemented


def _not_equal(self: _sunmao.Scalar, other: Any) -> Any:
    if isinstance(other, _sunmao.Scalar | bool | int | float | np.number) or _is_scalar_variable(other):
        return binary("ne", self, other)
    return NotImplemented


def _truth(self: _sunmao.Scalar) -> bool:
    """Returns the truth value: of a constant, and of a comparison of nodes by identity. Fails (E0034) for other
    scalars."""
    if isinstance(self, _sunmao.IntImm | _sunmao.FloatImm):
        return bool(self.value)
    if isinstance(self, _sunmao.Binary) and self.op in ("eq", "ne"):
        return (self.a is self.b) == (self.op == "eq")
    raise fail(
        "E0034", "a scalar whose value is not known has no truth value; use tirx.all, tirx.any or tirx.if_then_else"
    )


def _bitwise(name: str, logical: str = "") -> Any:
    def apply(self: _sunmao.Scalar, other: Any) -> _sunmao.Scalar:
        a, b = matched(operand(self, other), operand(other, self))
        if a.dtype == "bool" and logical:
            return make.binary(logical, a, b)
        return make.scalar_call(name, a.dtype, [a, b])

    return apply


def _divide(self: _sunmao.Scalar, other: Any) -> _sunmao.Scalar:
    a, b = matched(operand(self, other), operand(other, self))
    if not a.dtype.startswith(("float", "bfloat")):
        raise fail("E0034", "`/` on integers does not say how it rounds; use tirx.floordiv, or tirx.truncdiv")
    return binary("div", a, b)


def _scalar_type(self: _sunmao.Scalar) -> Any:
    """Returns the type: a pointer type for a handle, else the scalar type of the dtype."""
    if isinstance(self, _sunmao.SymVar) and self.dtype == "handle":
        return pointer_type(self)
    return make.prim_type(self.dtype)


def _swapped(operation: Any) -> Any:
    return lambda self, other: operation(operand(other, self), self)


_shift_left, _shift_right = _bitwise("shift_left"), _bitwise("shift_right")
_and, _or, _xor = _bitwise("bitwise_and", "and"), _bitwise("bitwise_or", "or"), _bitwise("bitwise_xor")

extend(
    _sunmao.Scalar,
    __add__=_forward("add"), __radd__=_backward("add"), __sub__=_forward("sub"), __rsub__=_backward("sub"),
    __mul__=_forward("mul"), __rmul__=_backward("mul"), __truediv__=_divide, __rtruediv__=_swapped(_divide),
    __floordiv__=_forward("floordiv"), __rfloordiv__=_backward("floordiv"),
    __mod__=_forward("floormod"), __rmod__=_backward("floormod"),
    __neg__=lambda self: binary("mul", self, -1),
    __lt__=_forward("lt"), __le__=_forward("le"), __gt__=_forward("gt"), __ge__=_forward("ge"),
    __eq__=_equal, __ne__=_not_equal, __hash__=object.__hash__, __bool__=_truth,
    __lshift__=_shift_left, __rlshift__=_swapped(_shift_left),
    __rshift__=_shift_right, __rrshift__=_swapped(_shift_right),
    __and__=_and, __rand__=_swapped(_and), __or__=_or, __ror__=_swapped(_or), __xor__=_xor, __rxor__=_swapped(_xor),
    __invert__=lambda self: make.not_(self) if self.dtype == "bool" else
    make.scalar_call("bitwise_not", self.dtype, [self]),
    same_as=lambda self, other: self is other,
    equal=lambda self, other: binary("eq", self, other, folds=False),
    astype=lambda self, dtype, span=None: placed(_as(self, dtype_name(dtype)), span),
    asobject=lambda self: self,
    ty=property(_scalar_type),
    span=span_property(_sunmao.Scalar),
)  # fmt: skip
extend(_sunmao.IntImm, __int__=lambda self: int(self.value), __index__=lambda self: int(self.value))
extend(_sunmao.IntImm, __float__=lambda self: float(self.value))
extend(_sunmao.FloatImm, __float__=lambda self: float(self.value), __int__=lambda self: int(self.value))
extend(_sunmao.SymVar, name_hint=property(lambda self: self.name))
