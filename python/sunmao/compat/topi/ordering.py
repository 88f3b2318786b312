"""Sorting and running totals of tensor expressions, under upstream's names."""

from __future__ import annotations

from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.convert import dtype_name
from sunmao.compat.te.record import apply
from sunmao.compat.te.tensor import Tensor
from sunmao.errors import fail


@checked
def sort(data: Tensor, axis: int = -1, is_ascend: bool | int = True) -> Tensor:
    return apply("sort", data, axis=axis, descending=not is_ascend)


@checked
def argsort(
    data: Tensor,
    valid_count: Tensor | None = None,
    axis: int = -1,
    is_ascend: bool | int = True,
    dtype: Any = "float32",
) -> Tensor:
    """Returns where the elements of a sorted axis were."""
    if valid_count is not None:
        raise fail("E0032", "argsort: `valid_count` is not supported", "sort the part that counts")
    name = dtype_name(dtype)
    if name in ("int32", "int64"):
        return apply("argsort", data, axis=axis, descending=not is_ascend, dtype=name)
    places = apply("argsort", data, axis=axis, descending=not is_ascend, dtype="int32")
    return apply("astype", places, dtype=name)


@checked
def topk(
    data: Tensor,
    k: int = 1,
    axis: int = -1,
    ret_type: str = "both",
    is_ascend: bool | int = False,
    dtype: Any = "int64",
) -> Any:
    """Returns the `k` largest or smallest elements of an axis ("values"), where they were ("indices"), or "both"."""
    chosen = {"k": k, "axis": axis, "ret_type": ret_type, "largest": not is_ascend, "dtype": dtype_name(dtype)}
    return apply("topk", data, **chosen)


@checked
def cumsum(data: Tensor, axis: int | None = None, dtype: Any = None, exclusive: bool | int | None = None) -> Tensor:
    """Returns running sums, without an axis those of all elements; `exclusive` leaves the element itself out."""
    return _scan("cumsum", data, axis, dtype, exclusive)


@checked
def cumprod(data: Tensor, axis: int | None = None, dtype: Any = None, exclusive: bool | int | None = None) -> Tensor:
    """Returns running products, without an axis those of all elements; `exclusive` leaves the element itself out."""
    return _scan("cumprod", data, axis, dtype, exclusive)


def _scan(name: str, data: Tensor, axis: int | None, dtype: Any, exclusive: bool | int | None) -> Tensor:
    chosen = None if dtype is None or not str(dtype) else dtype_name(dtype)
    found: Tensor = apply(name, data, axis=axis, dtype=chosen, exclusive=bool(exclusive))
    return found
