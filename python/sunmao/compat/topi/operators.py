"""Operators on tensors under upstream's names. Each applies an op of the library."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.checked import checked
from sunmao.compat.convert import dtype_name, scalar, scalars
from sunmao.compat.te.operators import (
    common_dtype,
    elementwise,
    in_one_dtype,
    is_undecided,
    need_broadcast,
    shown,
)
from sunmao.compat.te.record import apply
from sunmao.compat.te.tensor import Tensor
from sunmao.compat.tirx import op as scalar_ops
from sunmao.compat.tirx.operators import binary
from sunmao.errors import fail

pi = math.pi

_UNARY = (
    "exp", "erf", "tanh", "sigmoid", "tan", "cos", "cosh", "sin", "sinh", "acos", "acosh", "asin", "asinh", "atan",
    "atanh", "floor", "ceil", "trunc", "round", "abs", "log", "log2", "log10", "sqrt", "rsqrt",
)  # fmt: skip
# Maps operators on two tensors to the scalar operation that is applied to their elements.
_BINARY = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "floor_divide": "floordiv",
    "floor_mod": "floormod", "mod": "truncmod", "maximum": "max", "minimum": "min", "equal": "eq",
    "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "left_shift": "shift_left", "right_shift": "shift_right",
}  # fmt: skip


def _unary(name: str) -> Callable[[Any], Any]:
    def operator(x: Any) -> Any:
        return apply(name, x) if isinstance(x, Tensor) else scalar_ops.find(name)(x)

    operator.__name__ = name
    return operator


def _binary(name: str) -> Callable[[Any, Any], Any]:
    def operator(lhs: Any, rhs: Any) -> Any:
        is_tensors = isinstance(lhs, Tensor) or isinstance(rhs, Tensor)
        return elementwise(name, lhs, rhs) if is_tensors else binary(_BINARY[name], lhs, rhs)

    operator.__name__ = name
    return operator


def find(name: str) -> Any:
    """Returns the elementwise operator of this name, or None."""
    return _binary(name) if name in _BINARY else _unary(name) if name in _UNARY else None


@checked
def negative(x: Tensor) -> Tensor:
    return apply("negative", x)


@checked
def cast(x: Tensor, dtype: Any) -> Tensor:
    return apply("astype", x, dtype=dtype_name(dtype))


@checked
def clip(x: Tensor, a_min: Any, a_max: Any) -> Tensor:
    """Clamps elements to bounds, which are converted to the dtype of the elements (E0034 when that is impossible)."""
    return apply("clip", x, _bound(x, "a_min", a_min), _bound(x, "a_max", a_max))


def _bound(x: Tensor, name: str, value: Any) -> Any:
    if x.dtype.startswith(("float", "bfloat")):
        return value
    bound = scalar(value)
    if not isinstance(bound, _sunmao.IntImm | _sunmao.FloatImm):
        if common_dtype(x, bound) != x.dtype:
            raise fail("E0034", f"clip: `{name}` is {bound.dtype}, `{x.name}` is {x.dtype}", "convert one of them")
        return bound
    number = bound.value
    if isinstance(number, float) and not number.is_integer():
        help = f"give an integer, or convert `{x.name}` to a float dtype by topi.cast"
        raise fail("E0034", f"clip: `{name}` is {number}, which is no {x.dtype}", help)
    if int(float(number)) != number:
        help = "use topi.minimum and topi.maximum"
        raise fail("E0032", f"clip: `{name}={number}`, which float64 does not hold, is not supported", help)
    return scalar(int(number), x.dtype)


def full(shape: Any, dtype: Any, fill_value: Any) -> Tensor:
    name = dtype_name(dtype)
    return apply("full", _sizes(shape), scalar(fill_value, name or None), dtype=name)


@checked
def expand_dims(x: Tensor, axis: int, num_newaxis: int = 1) -> Tensor:
    first = axis % (x.ndim + 1)
    return apply("expand_dims", x, axis=list(range(first, first + num_newaxis)))


@checked
def transpose(x: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    return apply("permute_dims", x, axes=None if axes is None else list(axes))


@checked
def reshape(x: Tensor, newshape: Any) -> Tensor:
    return apply("reshape", x, _sizes(newshape))


def _sizes(shape: Any) -> list[_sunmao.Scalar]:
    """Converts dimensions to int64; products and sums of int32 symbols are computed from converted symbols, as in
    tensor shapes."""
    return [_widened(size) for size in scalars(shape if isinstance(shape, Iterable) else [shape])]


def _widened(size: _sunmao.Scalar) -> _sunmao.Scalar:
    if size.dtype != "int32":
        return size
    holder = make.tensor_type(make.shape([size]), "void", -1, None)
    narrow = [s for s in _sunmao.free_symbols(holder) if s.dtype == "int32"]
    wide = _sunmao.substitute(size, {s: make.cast("int64", s) for s in narrow})
    return wide if wide.dtype == "int64" else make.cast("int64", wide)


@checked
def matmul(a: Tensor, b: Tensor, transp_a: bool = False, transp_b: bool = False) -> Tensor:
    """Returns the product of two matrices, each optionally transposed."""
    for x in (a, b):
        if x.ndim != 2:
            raise fail("E0307", f"matmul: `{x.name}` must have 2 dimensions, got {x.ndim}")
    return product(a, b, transp_a, transp_b)


def product(a: Tensor, b: Tensor, transp_a: bool, transp_b: bool) -> Tensor:
    """Returns the product over the last two dimensions, which are optionally swapped first."""
    left, right = (_swapped(x) if is_swapped else x for x, is_swapped in ((a, transp_a), (b, transp_b)))
    need_broadcast("matmul", left.shape[:-2], right.shape[:-2])
    inner = left.shape[-1], right.shape[-2]
    if is_undecided(*inner):
        problem = f"matmul: inner dimensions differ: {shown(inner[0])} and {shown(inner[1])}"
        raise fail("E0311", problem, "is one of the matrices transposed? one symbol stands for equal sizes")
    return apply("matmul", *in_one_dtype(left, right))


def _swapped(x: Tensor) -> Tensor:
    return transpose(x, [*range(x.ndim - 2), x.ndim - 1, x.ndim - 2])


def _reduction(name: str) -> Callable[..., Tensor]:
    @checked
    def reduce(data: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
        return apply(name, data, axis=axis, keepdims=keepdims)

    reduce.__name__ = name
    return reduce


sum = _reduction("sum")
max = _reduction("max")
min = _reduction("min")
