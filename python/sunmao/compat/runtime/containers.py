"""Shapes of known numbers, and values of Python as containers."""

from __future__ import annotations

from typing import Any

from sunmao.compat.ir.container import Array, Map
from sunmao.compat.marks import marks_of


class ShapeTuple(tuple[int, ...]):
    """A shape of known numbers."""

    __slots__ = ()

    def script(self, **options: Any) -> str:
        return marks_of(self, options).show(repr(self))

    def __repr__(self) -> str:
        return f"Shape({', '.join(map(str, self))})"


def convert(value: Any) -> Any:
    """Lists and dicts as containers; anything else as it is."""
    if isinstance(value, list | tuple):
        return Array(convert(item) for item in value)
    if isinstance(value, dict):
        return Map({key: convert(item) for key, item in value.items()})
    return value
