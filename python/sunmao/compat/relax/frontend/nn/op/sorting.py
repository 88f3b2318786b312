"""Sorting."""

from __future__ import annotations

from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested


@checked
def sort(x: Tensor, axis: int = -1, descending: bool = False, name: str = "sort") -> Tensor:
    return wrap_nested(relax_op.sort(x._expr, axis, descending), name)


@checked
def argsort(
    data: Tensor, axis: int = -1, descending: bool = False, dtype: str = "int32", name: str = "argsort"
) -> Tensor:
    """Returns the indices of the elements in order."""
    return wrap_nested(relax_op.argsort(data._expr, axis, descending, dtype), name)


@checked
def topk(
    data: Tensor,
    k: int = 1,
    axis: int = -1,
    ret_type: str = "both",
    largest: bool = True,
    dtype: str = "int32",
    name: str = "topk",
) -> Any:
    """Returns the `k` largest (or smallest) values and their indices, or with `ret_type` only "values" or "indices"."""
    return wrap_nested(relax_op.topk(data._expr, k, axis, ret_type, largest, dtype), name)


__getattr__ = attribute_of(__name__)
