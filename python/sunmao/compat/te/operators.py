"""Operators on tensors, where `x + y` is the op `add`, and on axes of reductions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.facade import extend
from sunmao.compat.te.record import apply
from sunmao.compat.te.tensor import IterVar, Tensor
from sunmao.compat.tirx.operators import binary, loop_scalar
from sunmao.errors import fail


def elementwise(op_name: str, a: Any, b: Any) -> Tensor:
    """Applies an op to two operands after conversion to a common dtype (`in_one_dtype`)."""
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        need_broadcast(op_name, a.shape, b.shape)
    return apply(op_name, *in_one_dtype(a, b))


def in_one_dtype(a: Any, b: Any) -> tuple[Any, Any]:
    """Converts two operands to a common dtype, by the conversion rules of scalar arithmetic."""
    if isinstance(a, Tensor) and isinstance(b, Tensor) and a.dtype == b.dtype:
        return a, b
    dtype = common_dtype(a, b)
    return _converted(a, dtype), _converted(b, dtype)


def common_dtype(a: Any, b: Any) -> str:
    return binary("add", _element(a), _element(b)).dtype


def is_undecided(a: _sunmao.Scalar, b: _sunmao.Scalar) -> bool:
    """Returns whether two sizes are neither provably equal nor both constants (which the op's record compares)."""
    if isinstance(a, _sunmao.IntImm) and isinstance(b, _sunmao.IntImm):
        return False
    x, y = make.shape([a, b]).values  # in one dtype
    return not _sunmao.Analyzer().can_prove_equal(x, y)


def is_one(size: _sunmao.Scalar) -> bool:
    return isinstance(size, _sunmao.IntImm) and size.value == 1


def shown(size: _sunmao.Scalar) -> str:
    return str(size.value) if isinstance(size, _sunmao.IntImm) else f"`{size!r}`"


def need_broadcast(op_name: str, a: Sequence[_sunmao.Scalar], b: Sequence[_sunmao.Scalar]) -> None:
    """Fails (E0303) when broadcasting depends on the values of symbolic sizes."""
    rank = max(len(a), len(b))
    for i, (x, y) in enumerate(zip(reversed(a), reversed(b), strict=False), start=1):
        if not is_one(x) and not is_one(y) and is_undecided(x, y):
            sizes = f"{shown(x)} against {shown(y)} at dimension {rank - i}"
            problem = f"{op_name}: shapes do not broadcast: {sizes}"
            raise fail("E0303", problem, "sizes must be equal, or one of them 1; one symbol stands for equal sizes")


def _element(operand: Any) -> Any:
    """Returns a scalar with the operand's dtype, for the computation of result dtypes."""
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


def _on_variable(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(self.var, other.var if isinstance(other, IterVar) else other)


def _from_variable(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: function(other, self.var)


# A reduction axis in an expression is its variable.
for _name in ("add", "sub", "mul", "floordiv", "mod"):
    _function = getattr(operator, _name)
    extend(IterVar, **{f"__{_name}__": _on_variable(_function), f"__r{_name}__": _from_variable(_function)})
for _name in ("lt", "le", "gt", "ge"):
    extend(IterVar, **{f"__{_name}__": _on_variable(getattr(operator, _name))})
extend(IterVar, __neg__=lambda self: -self.var)
