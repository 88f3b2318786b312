"""Python's operators on tensors, and ops as methods: `x + y` is `nn.op.add(x, y)`."""

from __future__ import annotations

from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao.compat.missing import attribute_of


class TensorOperators:
    """The operators of Tensor. A number among the operands becomes a constant of the tensor's dtype."""

    __array_ufunc__ = None  # numbers of NumPy on the left leave the operation to the tensor

    def __add__(self, other: Any) -> Any:
        return _ops().add(self, _operand(other, self))

    def __radd__(self, other: Any) -> Any:
        return _ops().add(self, _operand(other, self))

    def __sub__(self, other: Any) -> Any:
        return _ops().subtract(self, _operand(other, self))

    def __rsub__(self, other: Any) -> Any:
        return _ops().subtract(_operand(other, self), self)

    def __mul__(self, other: Any) -> Any:
        return _ops().multiply(self, _operand(other, self))

    def __rmul__(self, other: Any) -> Any:
        return _ops().multiply(self, _operand(other, self))

    def __truediv__(self, other: Any) -> Any:
        return _ops().divide(self, _operand(other, self))

    def __rtruediv__(self, other: Any) -> Any:
        return _ops().divide(_operand(other, self), self)

    def __neg__(self) -> Any:
        return _ops().negative(self)

    def __lt__(self, other: Any) -> Any:
        return _ops().less(self, _operand(other, self))

    def __le__(self, other: Any) -> Any:
        return _ops().less_equal(self, _operand(other, self))

    def __gt__(self, other: Any) -> Any:
        return _ops().greater(self, _operand(other, self))

    def __ge__(self, other: Any) -> Any:
        return _ops().greater_equal(self, _operand(other, self))

    def astype(self, dtype: Any) -> Any:
        return _ops().astype(self, dtype)

    def maximum(self, other: Any) -> Any:
        return _ops().maximum(self, _operand(other, self))

    def minimum(self, other: Any) -> Any:
        return _ops().minimum(self, _operand(other, self))

    def reshape(self, *shape: Any) -> Any:
        return _ops().reshape(self, _listed(shape))

    def permute_dims(self, *axes: Any) -> Any:
        return _ops().permute_dims(self, _listed(axes) or None)

    def repeat(self, repeats: int, axis: int | None = None) -> Any:
        return _ops().repeat(self, repeats, axis)


_given: list[Any] = []  # the package of ops, whose functions take tensors


def give_ops(ops: Any) -> None:
    """Called by the package of ops when it is loaded."""
    _given[:] = [ops]


def _ops() -> Any:
    return _given[0]


def _operand(value: Any, like: Any) -> Any:
    if isinstance(value, _sunmao.IntImm | _sunmao.FloatImm):
        value = value.value
    return type(like).from_scalar(value, like.dtype) if isinstance(value, int | float | np.number) else value


def _listed(values: tuple[Any, ...]) -> list[Any]:
    """Returns the arguments, or those of the one list that is given in their place."""
    return list(values[0]) if len(values) == 1 and isinstance(values[0], list | tuple) else list(values)


__getattr__ = attribute_of(__name__)
