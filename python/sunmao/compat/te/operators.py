"""Elementwise operators on two operands, one of which is a tensor: `x + y` is the op `add`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.facade import extend
from sunmao.compat.te.record import apply
from sunmao.compat.te.tensor import Tensor
from sunmao.compat.tirx.operators import binary, loop_scalar


def elementwise(op_name: str, a: Any, b: Any) -> Tensor:
    """Applies an op to two operands, converted to one dtype by the rule of scalars."""
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype == b.dtype:
        return apply(op_name, a, b)
    dtype = binary("add", _element(a), _element(b)).dtype
    return apply(op_name, _converted(a, dtype), _converted(b, dtype))


def _element(operand: Any) -> Any:
    """Stands for an element where only its dtype counts."""
    return make.sym_var("x", operand.dtype) if isinstance(operand, Tensor) else operand


def _converted(operand: Any, dtype: str) -> Any:
    if isinstance(operand, Tensor):
        return operand if operand.dtype == dtype else apply("astype", operand, dtype=dtype)
    value: _sunmao.Scalar = loop_scalar(operand, dtype)
    return value if value.dtype == dtype else make.cast(dtype, value)


def _forward(op: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: elementwise(op, self, other)


def _backward(op: str) -> Callable[[Any, Any], Any]:
    return lambda self, other: elementwise(op, other, self)


extend(
    Tensor,
    __add__=_forward("add"),
    __radd__=_backward("add"),
    __sub__=_forward("subtract"),
    __mul__=_forward("multiply"),
    __rmul__=_backward("multiply"),
)
