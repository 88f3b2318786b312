"""ShapeTuple, and conversion of Python values to containers."""

from __future__ import annotations

from typing import Any

from sunmao.compat.ir.container import Array, Map
from sunmao.compat.marks import marks_of


class ShapeTuple(tuple[int, ...]):
    """A shape of known sizes."""

    __slots__ = ()

    def script(self, **options: Any) -> str:
        return marks_of(self, options).show(repr(self))

    def __repr__(self) -> str:
        return f"Shape({', '.join(map(str, self))})"


def convert(value: Any) -> Any:
    """Converts lists and dicts to containers; returns other values unchanged."""
    if isinstance(value, list | tuple):
        return Array(convert(item) for item in value)
    if isinstance(value, dict):
        return Map({key: convert(item) for key, item in value.items()})
    return value
