"""Operators on tensor expressions: a few that programs hand to `emit_te`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.convert import dtype_name, scalar, scalars
from sunmao.compat.te import reduction
from sunmao.compat.te.broadcast import broadcast_binary, is_one
from sunmao.compat.te.tensor import Tensor, compute, reduce_axis
from sunmao.compat.tirx import op as scalar_ops
from sunmao.compat.tirx.operators import binary
from sunmao.errors import fail

_UNARY = (
    "exp", "erf", "tanh", "sigmoid", "tan", "cos", "cosh", "sin", "sinh", "acos", "acosh", "asin", "asinh", "atan",
    "atanh", "floor", "ceil", "trunc", "round", "abs", "log", "log2", "log10", "sqrt", "rsqrt",
)  # fmt: skip
_BINARY = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "floor_divide": "floordiv",
    "floor_mod": "floormod", "mod": "truncmod", "maximum": "max", "minimum": "min", "equal": "eq",
    "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
}  # fmt: skip


@checked
def elementwise(x: Tensor, f: Callable[[Any], Any], name: str = "T_elementwise") -> Tensor:
    found: Tensor = compute(x.shape, lambda *i: f(x[i]), name=name)
    return found


def negative(x: Tensor) -> Tensor:
    return elementwise(x, lambda v: binary("mul", v, -1), "T_negative")


@checked
def cast(x: Tensor, dtype: Any) -> Tensor:
    return elementwise(x, lambda v: v.astype(dtype_name(dtype)), "T_cast")


@checked
def clip(x: Tensor, a_min: Any, a_max: Any) -> Tensor:
    return elementwise(x, lambda v: binary("max", binary("min", v, a_max), a_min), "T_clip")


def full(shape: Any, dtype: Any, fill_value: Any) -> Tensor:
    value = scalar(fill_value, dtype_name(dtype))
    found: Tensor = compute(list(shape), lambda *_: value, name="T_full")
    return found


@checked
def squeeze(x: Tensor, axis: Any = None) -> Tensor:
    """Without axes of size 1: all of them, or those named."""
    named = [a % x.ndim for a in (axis if isinstance(axis, list | tuple) else [axis])] if axis is not None else None
    drop = [d for d in range(x.ndim) if (is_one(x.shape[d]) if named is None else d in named)]
    kept = [d for d in range(x.ndim) if d not in drop]

    def element(*i: Any) -> Any:
        position = iter(i)
        return x[[0 if d in drop else next(position) for d in range(x.ndim)]]

    found: Tensor = compute([x.shape[d] for d in kept], element, name="T_squeeze")
    return found


@checked
def expand_dims(x: Tensor, axis: int, num_newaxis: int = 1) -> Tensor:
    at = axis % (x.ndim + 1)
    shape = [*x.shape[:at], *scalars([1] * num_newaxis), *x.shape[at:]]
    found: Tensor = compute(shape, lambda *i: x[[*i[:at], *i[at + num_newaxis :]]], name="T_expand_dims")
    return found


@checked
def transpose(x: Tensor, axes: Sequence[int] | None = None) -> Tensor:
    order = [a % x.ndim for a in axes] if axes is not None else list(reversed(range(x.ndim)))
    shape = [x.shape[a] for a in order]
    found: Tensor = compute(shape, lambda *i: x[[i[order.index(d)] for d in range(x.ndim)]], name="T_transpose")
    return found


@checked
def reshape(x: Tensor, newshape: Any) -> Tensor:
    shape = scalars(newshape)

    def element(*i: Any) -> Any:
        flat = scalar(0)
        for index, dim in zip(i, shape, strict=True):
            flat = flat * dim + index
        at = []
        for dim in reversed(x.shape):
            at.append(flat % dim)
            flat = flat // dim
        return x[list(reversed(at))]

    found: Tensor = compute(shape, element, name="T_reshape")
    return found


def inner_dimension(a: _sunmao.Scalar, b: _sunmao.Scalar) -> _sunmao.Scalar:
    """What a product sums over: both operands have it (E0311)."""
    if not _sunmao.Analyzer().can_prove_equal(a, b):
        raise fail("E0311", f"matmul: inner dimensions differ: {a!r} and {b!r}", "is one of the matrices transposed?")
    return a


@checked
def matmul(a: Tensor, b: Tensor, transp_a: bool = False, transp_b: bool = False) -> Tensor:
    """The product of two matrices."""
    k = reduce_axis((0, inner_dimension(a.shape[0 if transp_a else 1], b.shape[1 if transp_b else 0])), "k")
    shape = [a.shape[1 if transp_a else 0], b.shape[0 if transp_b else 1]]

    def element(i: Any, j: Any) -> Any:
        left = a[k.var, i] if transp_a else a[i, k.var]
        right = b[j, k.var] if transp_b else b[k.var, j]
        return reduction.sum(left * right, axis=k)

    found: Tensor = compute(shape, element, name="T_matmul")
    return found


def _reduced(reduce: Callable[..., Any], name: str) -> Callable[..., Tensor]:
    @checked
    def apply(data: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
        chosen = range(data.ndim) if axis is None else axis if isinstance(axis, list | tuple) else [axis]
        axes = [a % data.ndim for a in chosen]
        over = {a: reduce_axis((0, data.shape[a]), f"k{a}") for a in axes}
        shape = [scalar(1) if d in over else data.shape[d] for d in range(data.ndim) if keepdims or d not in over]

        def element(*i: Any) -> Any:
            position = iter(i)
            at: list[Any] = []
            for d in range(data.ndim):
                index = next(position) if keepdims or d not in over else None
                at.append(over[d].var if d in over else index)
            return reduce(data[at], axis=list(over.values()))

        found: Tensor = compute(shape, element, name=name)
        return found

    return apply


sum = _reduced(reduction.sum, "T_sum")
max = _reduced(reduction.max, "T_max")
min = _reduced(reduction.min, "T_min")
pi = math.pi


def find(name: str) -> Any:
    """The elementwise operator of this name, or None."""
    if name in _BINARY:
        return lambda a, b: broadcast_binary(_BINARY[name], a, b)
    if name in _UNARY:
        return lambda x: elementwise(x, scalar_ops.find(name), f"T_{name}")
    return None
