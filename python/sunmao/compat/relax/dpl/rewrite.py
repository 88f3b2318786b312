"""Functions with what matches a pattern replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sunmao import _sunmao
from sunmao.compat import convert as c
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.dpl.context import PatternContext

Found = dict[_sunmao.Pattern, Any]


def rewrite_call(
    pattern: _sunmao.Pattern, rewriter: Callable[[Any, Found], Any], func: _sunmao.Function
) -> _sunmao.Function:
    """Replaces each value that matches by what `rewriter` makes of it, until it returns what it is given."""
    return _sunmao.rewrite_calls(pattern, lambda expr, found: c.expr(rewriter(expr, found)), func)


def rewrite_bindings(
    ctx: PatternContext,
    rewriter: Callable[[Found, dict[_sunmao.Var, Any]], Mapping[_sunmao.Var, Any]],
    func: _sunmao.Function,
) -> _sunmao.Function:
    """Gives variables of each dataflow block that matches the values that `rewriter` states for them."""

    def replacements(found: Found, values: dict[_sunmao.Var, Any]) -> dict[_sunmao.Var, Any]:
        return {var: c.expr(value) for var, value in (rewriter(found, values) or {}).items()}

    return _sunmao.rewrite_bindings(ctx.graph(), replacements, func)


__getattr__ = attribute_of(__name__)
