"""Analyzer: simplifies scalar expressions and proves statements about them, under what is bound to variables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.convert import scalar
from sunmao.compat.missing import attribute_of
from sunmao.compat.tirx.range import Range
from sunmao.errors import fail


@dataclass(frozen=True)
class ConstIntBound:
    """The least and the largest value of an expression; POS_INF and NEG_INF stand for no bound."""

    POS_INF: ClassVar[int] = 2**63 - 1
    NEG_INF: ClassVar[int] = -(2**63 - 1)

    min_value: int
    max_value: int


class Analyzer:
    def __init__(self) -> None:
        self._native = _sunmao.Analyzer()
        self._values: dict[_sunmao.SymVar, _sunmao.Scalar] = {}

    def _read(self, value: Any) -> _sunmao.Scalar:
        """Returns an expression in which bound variables have their values."""
        read = scalar(value)
        return _sunmao.substitute(read, self._values) if self._values else read

    @checked
    def bind(self, var: _sunmao.SymVar, expr: Any, allow_override: bool = False) -> None:
        """Binds a variable to an expression, or to a `Range` in which its values lie."""
        if var in self._values and not allow_override:
            raise fail("E0034", f"`{var.name}` is bound already", "say `allow_override=True`")
        if not isinstance(expr, Range):
            self._values[var] = self._read(expr)
            return
        first, last = (self._native.range(self._read(value)) for value in (expr.min, expr.min + expr.extent - 1))
        self._native.assume(var, first[0], last[1])

    @checked
    def simplify(self, expr: Any, steps: int = 2) -> _sunmao.Scalar:
        """Returns the canonical form of an expression, which one step reaches: more steps change nothing."""
        if steps < 0:
            raise fail("E0034", f"simplify takes {steps} steps", "give a number from 0")
        return self._native.simplify(self._read(expr)) if steps else scalar(expr)

    @checked
    def rewrite_simplify(self, expr: Any) -> _sunmao.Scalar:
        return self.simplify(expr)

    @checked
    def canonical_simplify(self, expr: Any) -> _sunmao.Scalar:
        return self.simplify(expr)

    @checked
    def can_prove(self, expr: Any) -> bool:
        """Returns whether a condition holds for all values of its variables."""
        return self._native.can_prove(self._read(expr))

    @checked
    def can_prove_equal(self, lhs: Any, rhs: Any) -> bool:
        return self._native.can_prove_equal(self._read(lhs), self._read(rhs))

    @checked
    def can_prove_greater_equal(self, expr: Any, lower_bound: int) -> bool:
        return self._native.range(self._read(expr))[0] >= lower_bound

    @checked
    def can_prove_less(self, expr: Any, upper_bound: int) -> bool:
        return self._native.range(self._read(expr))[1] < upper_bound

    @checked
    def const_int_bound(self, expr: Any) -> ConstIntBound:
        least, largest = self._native.range(self._read(expr))
        return ConstIntBound(max(least, ConstIntBound.NEG_INF), largest)


__getattr__ = attribute_of(__name__)
