"""Sums, extremes and products."""

from __future__ import annotations

from collections.abc import Sequence

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested


@checked
def sum(x: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str = "sum") -> Tensor:
    return wrap_nested(relax_op.sum(x._expr, axis, keepdims), name)


@checked
def max(x: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str = "max") -> Tensor:
    return wrap_nested(relax_op.max(x._expr, axis, keepdims), name)


@checked
def min(x: Tensor, axis: int | Sequence[int] | None = None, keepdims: bool = False, name: str = "min") -> Tensor:
    return wrap_nested(relax_op.min(x._expr, axis, keepdims), name)


@checked
def matmul(a: Tensor, b: Tensor, out_dtype: str | None = None, name: str = "matmul") -> Tensor:
    return wrap_nested(relax_op.matmul(a._expr, b._expr, out_dtype=out_dtype), name)


@checked
def cumsum(
    data: Tensor,
    axis: int | None = None,
    dtype: str | None = None,
    exclusive: bool = False,
    name: str = "cumsum",
) -> Tensor:
    """Returns sums of the elements up to each one, without it if `exclusive`."""
    return wrap_nested(relax_op.cumsum(data._expr, axis, dtype, exclusive), name)


__getattr__ = attribute_of(__name__)
