"""Reductions of an expression over axes."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import scalar
from sunmao.compat.te.tensor import IterVar, Reduce, as_list
from sunmao.compat.tirx import op as scalar_ops
from sunmao.compat.tirx.operators import binary
from sunmao.errors import fail


def _reduction(
    combine: Callable[[Any, Any], _sunmao.Scalar], identity: Callable[[str], _sunmao.Scalar]
) -> Callable[..., Any]:
    def reduce(expr: Any, axis: Any, where: Any = None, init: Any = None, *more: Any) -> Any:
        if not isinstance(axis, IterVar | list | tuple):
            given = [expr, axis, *(v for v in (where, init, *more) if v is not None)]
            return functools.reduce(combine, given)
        if more:
            raise fail("E0034", f"a reduction over axes takes one expression, got {len(more)} arguments too many")
        source = scalar(expr)
        condition = scalar(where) if where is not None else None
        if condition is not None and condition.dtype != "bool":
            raise fail("E0034", f"`where` says which values count, as a bool, got {condition.dtype}")
        start = scalar(init, source.dtype) if init is not None else None
        return Reduce(combine, identity, source, as_list(axis), condition, start)

    return reduce


def _limit(dtype: str, largest: bool) -> _sunmao.Scalar:
    if dtype.startswith(("float", "bfloat")):
        return make.float_imm(dtype, float("inf") if largest else float("-inf"))
    return scalar_ops.max_value(dtype) if largest else scalar_ops.min_value(dtype)


sum = _reduction(lambda a, b: binary("add", a, b), lambda dtype: scalar(0, dtype))
max = _reduction(lambda a, b: binary("max", a, b), lambda dtype: _limit(dtype, largest=False))
min = _reduction(lambda a, b: binary("min", a, b), lambda dtype: _limit(dtype, largest=True))


def comm_reducer(fcombine: Callable[[Any, Any], Any], fidentity: Callable[[str], Any], name: str = "reduce") -> Any:
    """Makes a custom reduction."""
    found = _reduction(lambda a, b: scalar(fcombine(a, b)), lambda dtype: scalar(fidentity(dtype), dtype))
    found.__name__ = name
    return found
