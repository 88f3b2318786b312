"""Conversions, and copies with fresh variables."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.missing import attribute_of
from sunmao.errors import fail


def convert_to_expr(value: Any) -> Any:
    """Converts a value to an expression: numbers become scalars, lists and tuples become tuples, texts literals."""
    if isinstance(value, _sunmao.Expr | _sunmao.Scalar):
        return value
    if isinstance(value, bool):
        return c.scalar(value)
    if isinstance(value, int | float):
        return c.scalar(value)
    if isinstance(value, str):
        return make.string(value)
    if isinstance(value, list | tuple):
        if value and all(isinstance(item, int | _sunmao.Scalar) for item in value):
            return make.shape(c.scalars(value))
        return make.tuple([c.expr(convert_to_expr(item)) for item in value])
    raise fail("E0034", f"Cannot convert {value!r} with type {type(value)} to a Relax expression")


def copy_with_new_vars(func: _sunmao.Function) -> _sunmao.Function:
    """Returns a copy of the function with fresh variables and symbols."""
    return _sunmao.fresh_copy(func)


__getattr__ = attribute_of(__name__)
