"""Elementwise operations on tensors that are broadcast against each other, and Python's operators for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.facade import extend
from sunmao.compat.te.tensor import Tensor, compute
from sunmao.compat.tirx.operators import binary
from sunmao.errors import fail


def broadcast_binary(op: str, a: Any, b: Any) -> Any:
    """Elementwise on both, broadcast against each other; numbers count as tensors of rank 0."""
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        return binary(op, a, b)
    shape = broadcast_shape(_shape(a), _shape(b))
    return compute(shape, lambda *i: binary(op, element_at(a, i), element_at(b, i)), name=f"T_{op}")


def _shape(value: Any) -> list[_sunmao.Scalar]:
    return value.shape if isinstance(value, Tensor) else []


def is_one(dim: _sunmao.Scalar) -> bool:
    return isinstance(dim, _sunmao.IntImm) and dim.value == 1


def broadcast_shape(a: list[_sunmao.Scalar], b: list[_sunmao.Scalar]) -> list[_sunmao.Scalar]:
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    offset = len(longer) - len(shorter)
    dims = list(longer[:offset])
    for x, y in zip(longer[offset:], shorter, strict=True):
        if not is_one(x) and not is_one(y) and not _sunmao.Analyzer().can_prove_equal(x, y):
            raise fail("E0034", f"the shapes {a} and {b} do not broadcast")
        dims.append(y if is_one(x) else x)
    return dims


def element_at(value: Any, indices: Sequence[Any]) -> Any:
    """The element that broadcasts to the one at `indices`."""
    if not isinstance(value, Tensor):
        return value
    own = indices[len(indices) - value.ndim :]
    return value[[0 if is_one(dim) else i for dim, i in zip(value.shape, own, strict=True)]]


def _operator(op: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: broadcast_binary(op, self, other)


extend(
    Tensor,
    __add__=_operator("add"),
    __radd__=_operator("add"),
    __sub__=_operator("sub"),
    __mul__=_operator("mul"),
    __rmul__=_operator("mul"),
)
