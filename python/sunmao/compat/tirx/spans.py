"""Places in a text, as the IR keeps them and as programs read them."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.errors import fail


def native_span(span: Any) -> _sunmao.Span | None:
    if span is None or isinstance(span, _sunmao.Span):
        return span
    if not hasattr(span, "source_name"):
        raise fail("E0034", f"a place is a `Span`, got {type(span).__name__}")
    return make.span(span.source_name.name, int(span.line), int(span.column), int(span.end_column))


def span_of(native: _sunmao.Span | None) -> Any:
    """Upstream's form of a place; None where it is unknown."""
    from sunmao.compat.ir.base import SourceName, Span

    if native is None:
        return None
    return Span(SourceName(native.name), native.line, native.line, native.column, native.end_column)
