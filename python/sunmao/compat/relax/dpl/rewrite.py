"""Rewriting of functions by patterns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.supply import UniqueNameSupply
from sunmao.compat.ir.transform import Pass, PassContext, PassInfo
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.dpl.context import PatternContext
from sunmao.compat.relax.dpl.rules import Rule, rule_of

Found = dict[_sunmao.Pattern, Any]


@checked
def rewrite_call(
    pattern: _sunmao.Pattern, rewriter: Callable[[Any, Found], Any], func: _sunmao.Function
) -> _sunmao.Function:
    """Replaces each matching value by the result of `rewriter`, until `rewriter` returns its argument for all
    matches."""
    return _sunmao.rewrite_calls(pattern, lambda expr, found: c.expr(rewriter(expr, found)), func)


@checked
def rewrite_bindings(
    ctx: PatternContext,
    rewriter: Callable[[Found, dict[_sunmao.Var, Any]], Mapping[_sunmao.Var, Any]],
    func: _sunmao.Function,
) -> _sunmao.Function:
    """In each dataflow block that matches, gives variables the values that `rewriter` returns for them."""

    def replacements(found: Found, values: dict[_sunmao.Var, Any]) -> dict[_sunmao.Var, Any]:
        return {var: c.expr(value) for var, value in (rewriter(found, values) or {}).items()}

    return _sunmao.rewrite_bindings(ctx.graph(), replacements, func)


@checked
class PatternMatchingRewriter(Pass):
    """A set of rewrite rules. Calling it with a function or a module returns the rewritten one."""

    def __init__(self, rules: list[Rule]) -> None:
        super().__init__(PassInfo(0, type(self).__name__))
        self._rules = rules

    @staticmethod
    def from_pattern(pattern: _sunmao.Pattern, func: Callable[[Any, Found], Any]) -> PatternMatchingRewriter:
        return ExprPatternRewriter(pattern, func)

    @staticmethod
    def from_module(mod: IRModule) -> PatternMatchingRewriter:
        """Returns the rule given by the functions `pattern` and `replacement` of a module."""
        return PatternMatchingRewriter([rule_of(mod)])

    def __or__(self, other: PatternMatchingRewriter) -> PatternMatchingRewriter:
        return OrRewriter(self, other)

    def __call__(self, obj: Any) -> Any:
        return super().__call__(obj) if isinstance(obj, IRModule) else _rewrite(self._rules, obj)

    def run(self, module: IRModule, context: PassContext) -> IRModule:  # noqa: ARG002
        names = UniqueNameSupply()
        for var in module.get_global_vars():
            names.reserve_name(var.name)
        rules = [rule.with_fresh_names(names) for rule in self._rules]
        result = module.clone()
        for var, function in module.functions_items():
            if isinstance(function, _sunmao.Function):
                result[var] = _rewrite(rules, function)
        _add_subroutines(result, rules)
        return result


def _rewrite(rules: list[Rule], function: _sunmao.Function) -> _sunmao.Function:
    pattern = rules[0].pattern
    for rule in rules[1:]:
        pattern = make.or_pattern(pattern, rule.pattern)

    def apply(expr: Any, found: Found) -> Any:
        return c.expr(next(rule.rewrite(expr, found) for rule in rules if rule.pattern in found))

    stated_by_module = any(rule.source is not None for rule in rules)
    return _sunmao.rewrite_calls(pattern, apply, function, possible_tuples=stated_by_module)


def _add_subroutines(module: IRModule, rules: list[Rule]) -> None:
    """Adds the functions that rewritten functions call, transitively."""
    subroutines = {var.name: (var, function) for rule in rules for var, function in rule.subroutines.items()}
    pending = [function for _, function in module.functions_items() if isinstance(function, _sunmao.Function)]
    while pending:
        for called in _sunmao.all_global_vars(pending.pop()):
            if called.name in subroutines:
                var, function = subroutines.pop(called.name)
                module[var] = function
                if isinstance(function, _sunmao.Function):
                    pending.append(function)


class ExprPatternRewriter(PatternMatchingRewriter):
    """A single rewrite rule."""

    def __init__(self, pattern: _sunmao.Pattern, func: Callable[[Any, Found], Any]) -> None:
        super().__init__([Rule(pattern, func)])


@checked
class OrRewriter(PatternMatchingRewriter):
    """The rules of two rewriters; those of the left one take precedence."""

    def __init__(self, lhs: PatternMatchingRewriter, rhs: PatternMatchingRewriter) -> None:
        super().__init__(lhs._rules + rhs._rules)


__getattr__ = attribute_of(__name__)
