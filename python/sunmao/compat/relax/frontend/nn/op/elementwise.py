"""Ops on single elements, and comparisons."""

from __future__ import annotations

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested


@checked
def add(a: Tensor, b: Tensor, name: str = "add") -> Tensor:
    return wrap_nested(relax_op.add(a._expr, b._expr), name)


@checked
def subtract(a: Tensor, b: Tensor, name: str = "subtract") -> Tensor:
    return wrap_nested(relax_op.subtract(a._expr, b._expr), name)


@checked
def multiply(a: Tensor, b: Tensor, name: str = "mul") -> Tensor:
    return wrap_nested(relax_op.multiply(a._expr, b._expr), name)


@checked
def divide(a: Tensor, b: Tensor, name: str = "divide") -> Tensor:
    return wrap_nested(relax_op.divide(a._expr, b._expr), name)


@checked
def maximum(x1: Tensor, x2: Tensor, name: str = "maximum") -> Tensor:
    return wrap_nested(relax_op.maximum(x1._expr, x2._expr), name)


@checked
def minimum(x1: Tensor, x2: Tensor, name: str = "minimum") -> Tensor:
    return wrap_nested(relax_op.minimum(x1._expr, x2._expr), name)


@checked
def less(a: Tensor, b: Tensor, name: str = "less") -> Tensor:
    return wrap_nested(relax_op.less(a._expr, b._expr), name)


@checked
def less_equal(a: Tensor, b: Tensor, name: str = "less_equal") -> Tensor:
    return wrap_nested(relax_op.less_equal(a._expr, b._expr), name)


@checked
def greater(a: Tensor, b: Tensor, name: str = "greater") -> Tensor:
    return wrap_nested(relax_op.greater(a._expr, b._expr), name)


@checked
def greater_equal(a: Tensor, b: Tensor, name: str = "greater_equal") -> Tensor:
    return wrap_nested(relax_op.greater_equal(a._expr, b._expr), name)


@checked
def equal(a: Tensor, b: Tensor, name: str = "equal") -> Tensor:
    return wrap_nested(relax_op.equal(a._expr, b._expr), name)


@checked
def not_equal(a: Tensor, b: Tensor, name: str = "not_equal") -> Tensor:
    return wrap_nested(relax_op.not_equal(a._expr, b._expr), name)


@checked
def exp(x: Tensor, name: str = "exp") -> Tensor:
    return wrap_nested(relax_op.exp(x._expr), name)


@checked
def log(x: Tensor, name: str = "log") -> Tensor:
    return wrap_nested(relax_op.log(x._expr), name)


@checked
def floor(x: Tensor, name: str = "floor") -> Tensor:
    return wrap_nested(relax_op.floor(x._expr), name)


@checked
def sqrt(x: Tensor, name: str = "sqrt") -> Tensor:
    return wrap_nested(relax_op.sqrt(x._expr), name)


@checked
def square(x: Tensor, name: str = "square") -> Tensor:
    return wrap_nested(relax_op.square(x._expr), name)


@checked
def negative(x: Tensor, name: str = "neg") -> Tensor:
    return wrap_nested(relax_op.negative(x._expr), name)


@checked
def astype(x: Tensor, dtype: str, name: str = "astype") -> Tensor:
    """Returns the values as another dtype; the tensor itself if it has that."""
    return x if x.dtype == dtype else wrap_nested(relax_op.astype(x._expr, dtype), name)


@checked
def where(condition: Tensor, x1: Tensor, x2: Tensor, name: str = "where") -> Tensor:
    """Returns elements of `x1` where the condition is not 0, and of `x2` elsewhere."""
    return wrap_nested(relax_op.where(astype(condition, "bool")._expr, x1._expr, x2._expr), name)


__getattr__ = attribute_of(__name__)
