"""Constraints between patterns, collected in a `with` statement."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from sunmao import _sunmao
from sunmao.compat.missing import attribute_of, unsupported

_entered: list[PatternContext] = []


class PatternContext:
    """Collects the constraints that are stated while it is the innermost entered context."""

    def __init__(self, incremental: bool = False) -> None:
        self._uses: list[_sunmao.PatternUse] = []
        self._same_shape: list[list[_sunmao.Pattern]] = []
        if incremental:
            outer = PatternContext.current()
            if outer is None:
                raise unsupported("an incremental context outside of another one", "enter the outer context first")
            self._uses += outer._uses
            self._same_shape += outer._same_shape

    def __enter__(self) -> PatternContext:
        _entered.append(self)
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _entered.remove(self)

    @staticmethod
    def current() -> PatternContext | None:
        """Returns the innermost entered context; None outside of all."""
        return _entered[-1] if _entered else None

    def add_use(self, use: _sunmao.PatternUse) -> None:
        self._uses.append(use)

    def add_same_shape(self, patterns: list[_sunmao.Pattern]) -> None:
        self._same_shape.append(patterns)

    def graph(self) -> _sunmao.PatternGraph:
        """Returns all constraints stated so far."""
        return _sunmao.PatternGraph(self._uses, self._same_shape)

    def match_dfb(self, dfb: _sunmao.BindingBlock) -> dict[_sunmao.Pattern, Any] | None:
        """Returns the variables of a dataflow block that the patterns match; None when they do not match."""
        return _sunmao.match_block(self.graph(), dfb)


__getattr__ = attribute_of(__name__)
