"""Source locations, in the form of the IR and in upstream's form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.errors import fail


@dataclass(frozen=True)
class SourceName:
    """The name of a source."""

    name: str


@dataclass(frozen=True)
class Span:
    """A range of a source; lines and columns count from 1."""

    source_name: SourceName
    line: int
    end_line: int
    column: int
    end_column: int


@dataclass(frozen=True)
class SequentialSpan:
    """A sequence of spans."""

    spans: Sequence[Span]


def native_span(span: Any) -> _sunmao.Span | None:
    if span is None or isinstance(span, _sunmao.Span):
        return span
    if not hasattr(span, "source_name"):
        raise fail("E0034", f"a place is a `Span`, got {type(span).__name__}")
    if span.end_line != span.line:
        problem = f"a place lies in one line, this one reaches from line {span.line} to line {span.end_line}"
        raise fail("E0034", problem, "give the part that lies in its first line")
    return make.span(span.source_name.name, int(span.line), int(span.column), int(span.end_column))


def placed(value: _sunmao.Scalar, span: Any) -> _sunmao.Scalar:
    """Returns the scalar with a source location, if one is given. A symbol keeps its own."""
    native = native_span(span)
    return value if native is None else make.placed(value, native)


def span_property(kind: type) -> property:
    """Returns the property `span` of an extension class, in upstream's form."""
    read: Any = vars(kind)["span"].__get__
    return property(lambda self: span_of(read(self)), doc="Where it comes from: None when it is unknown.")


def span_of(native: _sunmao.Span | None) -> Any:
    """Returns a source location in upstream's form; None when it is unknown."""
    if native is None:
        return None
    return Span(SourceName(native.name), native.line, native.line, native.column, native.end_column)
