"""Python's operators on expressions: `x + y` is `relax.op.add(x, y)`."""

from __future__ import annotations

import operator
from typing import Any

from sunmao import _sunmao
from sunmao.compat.facade import extend
from sunmao.compat.relax.op.builder import OpFunction, find
from sunmao.errors import fail

_BINARY = {
    "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
    "mod": "floor_mod", "pow": "power",
}  # fmt: skip
_COMPARISON = {"lt": "less", "gt": "greater", "le": "less_equal", "ge": "greater_equal"}
_PYTHON_NAMES = {name: python for python, name in (*_BINARY.items(), *_COMPARISON.items())}


def _apply(name: str, *args: Any) -> Any:
    op = find(name)
    if not isinstance(op, OpFunction):
        return NotImplemented
    return op(*args)


def _other(value: Any) -> Any:
    if isinstance(value, _sunmao.Expr | _sunmao.Scalar):
        return value
    if isinstance(value, bool | int | float):
        raise fail("E0034", f"Please convert {value} to an expression first: relax.const({value}, dtype)")
    return None


def _scalar_of(value: Any) -> Any:
    """Returns the scalar that a variable stands for, or the scalar itself; None for other values."""
    if isinstance(value, _sunmao.Expr) and isinstance(value.type, _sunmao.PrimType):
        return value.type.value
    return value if isinstance(value, _sunmao.Scalar | int | float) else None


def _on_scalars(name: str, a: Any, b: Any) -> Any:
    x, y = _scalar_of(a), _scalar_of(b)
    if x is None or y is None:
        return None
    return getattr(operator, _PYTHON_NAMES[name])(x, y)


def _forward(name: str) -> Any:
    def apply(self: _sunmao.Expr, other: Any) -> Any:
        scalar = _on_scalars(name, self, other)
        if scalar is not None:
            return scalar
        value = _other(other)
        return NotImplemented if value is None else _apply(name, self, value)

    return apply


def _backward(name: str) -> Any:
    def apply(self: _sunmao.Expr, other: Any) -> Any:
        scalar = _on_scalars(name, other, self)
        if scalar is not None:
            return scalar
        value = _other(other)
        return NotImplemented if value is None else _apply(name, value, self)

    return apply


def _astype(self: Any, dtype: Any) -> Any:
    """Returns the values as another dtype."""
    return _apply("astype", self, dtype)


def _operators() -> dict[str, Any]:
    members: dict[str, Any] = {}
    for python, name in _BINARY.items():
        members[f"__{python}__"] = _forward(name)
        members[f"__r{python}__"] = _backward(name)
    for python, name in _COMPARISON.items():
        members[f"__{python}__"] = _forward(name)
    members["__neg__"] = lambda self: _apply("negative", self)
    members["astype"] = _astype
    return members


extend(_sunmao.Expr, **_operators())
