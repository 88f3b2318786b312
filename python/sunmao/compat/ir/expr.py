"""What both levels say of expressions, and ranges."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.convert import scalar
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.expr import BaseFunc, Call, Expr, GlobalVar, Var
from sunmao.compat.tirx.scalar_classes import PrimExpr


class Range:
    """A half-open range of integers: from `min` on, `extent` of them."""

    def __init__(self, begin: Any, end: Any = None, span: Any = None) -> None:
        first = scalar(0) if end is None else scalar(begin)
        self.min = first
        self.extent = scalar(begin) if end is None else scalar(end) - first

    @staticmethod
    def from_min_extent(min_value: Any, extent: Any, span: Any = None) -> Range:
        found = Range(0)
        found.min, found.extent = scalar(min_value), scalar(extent)
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Range) and all(
            _sunmao.structural_equal(a, b) for a, b in ((self.min, other.min), (self.extent, other.extent))
        )

    def __hash__(self) -> int:
        return hash((self.min, self.extent))

    def __repr__(self) -> str:
        return f"Range({self.min!r}, {self.min + self.extent!r})"


def is_prim_expr(value: object) -> bool:
    """Whether it is a scalar expression, or a variable that holds a scalar."""
    if isinstance(value, _sunmao.Expr):
        return isinstance(value.type, _sunmao.PrimType)
    return isinstance(value, _sunmao.Scalar)


def is_prim_var(value: object) -> bool:
    return isinstance(value, _sunmao.SymVar) or (isinstance(value, _sunmao.Var) and is_prim_expr(value))


__all__ = ["BaseFunc", "Call", "Expr", "GlobalVar", "PrimExpr", "Range", "Var", "is_prim_expr", "is_prim_var"]

__getattr__ = attribute_of(__name__)
