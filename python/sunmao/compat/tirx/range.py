"""Ranges of integers."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.print_options import print_options
from sunmao.compat.tirx.operators import binary, loop_scalar


class Range:
    """A half-open range of `extent` integers from `min` on."""

    def __init__(self, begin: Any, end: Any = None, span: Any = None) -> None:
        self.span = span
        first, last = (0, begin) if end is None else (begin, end)
        if isinstance(first, int) and isinstance(last, _sunmao.Scalar):
            first = loop_scalar(first, last.dtype)
        self.min = loop_scalar(first)
        self.extent = binary("sub", loop_scalar(last, self.min.dtype), self.min)

    @staticmethod
    def from_min_extent(min_value: Any, extent: Any, span: Any = None) -> Range:
        found = Range(0, span=span)
        found.min, found.extent = loop_scalar(min_value), loop_scalar(extent)
        return found

    def native(self) -> tuple[_sunmao.Scalar, _sunmao.Scalar]:
        return self.min, self.extent

    def script(self, **options: Any) -> str:
        return _sunmao.script_of_range(self.native(), print_options(options))

    def same_as(self, other: object) -> bool:
        return self is other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and all(
            _sunmao.structural_equal(a, b) for a, b in ((self.min, other.min), (self.extent, other.extent))
        )

    def __hash__(self) -> int:
        return hash((self.min, self.extent))

    __repr__ = script


def range_of(value: Any) -> Range:
    """Converts `(begin, end)` to a Range; returns a Range unchanged."""
    return value if isinstance(value, Range) else Range(*value)
