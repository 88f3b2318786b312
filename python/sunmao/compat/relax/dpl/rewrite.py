"""Functions with what matches a pattern replaced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.dpl.context import PatternContext
from sunmao.compat.relax.dpl.rules import Rule, rule_of

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


class PatternMatchingRewriter:
    """Rules of what to replace by what; called on a function or a module, it gives the rewritten one."""

    def __init__(self, rules: list[Rule]) -> None:
        self._rules = rules

    @staticmethod
    def from_pattern(pattern: _sunmao.Pattern, func: Callable[[Any, Found], Any]) -> PatternMatchingRewriter:
        return ExprPatternRewriter(pattern, func)

    @staticmethod
    def from_module(mod: IRModule) -> PatternMatchingRewriter:
        """The rule that a module states by its functions `pattern` and `replacement`."""
        return PatternMatchingRewriter([rule_of(mod)])

    def __or__(self, other: PatternMatchingRewriter) -> PatternMatchingRewriter:
        return OrRewriter(self, other)

    def __call__(self, obj: Any) -> Any:
        if not isinstance(obj, IRModule):
            return self._rewrite(obj)
        result = obj.clone()
        for var, function in obj.functions_items():
            if isinstance(function, _sunmao.Function):
                result[var] = self._rewrite(function)
        return result

    def _rewrite(self, function: _sunmao.Function) -> _sunmao.Function:
        pattern = self._rules[0][0]
        for alternative, _ in self._rules[1:]:
            pattern = make.or_pattern(pattern, alternative)
        return rewrite_call(pattern, self._apply, function)

    def _apply(self, expr: Any, found: Found) -> Any:
        return next(func(expr, found) for pattern, func in self._rules if pattern in found)


class ExprPatternRewriter(PatternMatchingRewriter):
    """One rule."""

    def __init__(self, pattern: _sunmao.Pattern, func: Callable[[Any, Found], Any]) -> None:
        super().__init__([(pattern, func)])


class OrRewriter(PatternMatchingRewriter):
    """The rules of both, those of the left one first."""

    def __init__(self, lhs: PatternMatchingRewriter, rhs: PatternMatchingRewriter) -> None:
        super().__init__(lhs._rules + rhs._rules)


__getattr__ = attribute_of(__name__)
