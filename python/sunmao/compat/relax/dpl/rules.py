"""Rewrite rules given as modules: the functions `pattern` and `replacement` have the same signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.supply import UniqueNameSupply
from sunmao.compat.missing import attribute_of
from sunmao.errors import fail


@dataclass(frozen=True)
class Rule:
    """A rewrite rule: `rewrite` returns the replacement of a match of `pattern`."""

    pattern: _sunmao.Pattern
    rewrite: Callable[[Any, dict[_sunmao.Pattern, Any]], Any]
    # The module in which the rule was written. When a rewritten module calls functions of it other than `pattern` and
    # `replacement`, these functions are added to that module.
    source: IRModule | None = None
    subroutines: Mapping[_sunmao.GlobalVar, Any] = field(default_factory=dict)

    def with_fresh_names(self, supply: UniqueNameSupply) -> Rule:
        """Returns the rule with unique names for its subroutines."""
        fresh = {var.name: supply.fresh_name(var.name) for var in self.subroutines}
        if self.source is None or all(old == new for old, new in fresh.items()):
            return self
        return rule_of(IRModule(_sunmao.rename_functions(self.source.__sunmao_module__(), fresh)))


def rule_of(module: IRModule) -> Rule:
    """Returns the rule of a module with the functions `pattern` and `replacement`."""
    functions = {var.name: function for var, function in module.functions_items()}
    pattern, replacement = (_function(functions, name) for name in ("pattern", "replacement"))
    subroutines = {v: f for v, f in module.functions_items() if v.name not in ("pattern", "replacement")}
    for var, function in subroutines.items():
        if "global_symbol" in function.attrs:
            raise fail("E0034", f"`{var.name}` of a rewriter is publicly exposed: say `private=True`")
    if not _same_signature(pattern, replacement):
        raise fail("E0034", "`pattern` and `replacement` must have the same signature")
    wildcards = [make.type_pattern(make.wildcard_pattern(), _known(p.type)) for p in pattern.params]
    values: dict[_sunmao.Var, Any] = dict(zip(pattern.params, wildcards, strict=True))

    def rewrite(_expr: Any, found: dict[_sunmao.Pattern, Any]) -> Any:
        arguments = {p: found[w] for p, w in zip(replacement.params, wildcards, strict=True)}
        return _nested(_sunmao.bind_params(replacement, arguments))

    return Rule(_pattern_of(pattern, values), rewrite, module, subroutines)


def _function(functions: dict[str, Any], name: str) -> _sunmao.Function:
    if name not in functions:
        raise KeyError(f"a rewriter states a function `{name}`")
    if not isinstance(functions[name], _sunmao.Function):
        raise fail("E0034", f"`{name}` of a rewriter is a function of the graph level")
    return functions[name]


def _known(type: _sunmao.Type | None) -> _sunmao.Type:
    return make.any_type() if type is None else type


def _same_signature(a: _sunmao.Function, b: _sunmao.Function) -> bool:
    return a.type is not None and b.type is not None and _sunmao.structural_equal(a.type, b.type)


def _pattern_of(function: _sunmao.Function, known: dict[_sunmao.Var, Any]) -> _sunmao.Pattern:
    values = _sunmao.var_to_value(function)

    def build(e: Any) -> _sunmao.Pattern:
        if isinstance(e, _sunmao.Var):
            if e not in known:
                known[e] = build(values[e])
            return known[e]
        if isinstance(e, _sunmao.Call):
            call = make.call_pattern(build(e.callee), [build(arg) for arg in e.args], False)
            attrs = e.attrs.native()
            return make.attr_pattern(call, attrs) if attrs else call
        if isinstance(e, _sunmao.Tuple):
            return make.tuple_pattern([build(field) for field in e.fields], True)
        if isinstance(e, _sunmao.TupleGetItem):
            return make.tuple_item_pattern(build(e.tuple), e.index)
        return make.expr_pattern(e)

    return build(function.body.body)


def _nested(function: _sunmao.Function) -> Any:
    """Returns the result of the function as one nested expression; a value that is used twice is one shared node."""
    values = _sunmao.var_to_value(function)
    built: dict[_sunmao.Var, Any] = {}

    def build(e: Any) -> Any:
        if isinstance(e, _sunmao.Var):
            if e in values and e not in built:
                built[e] = build(values[e])
            return built.get(e, e)
        if isinstance(e, _sunmao.Call):
            args = [build(arg) for arg in e.args]
            if isinstance(e.callee, _sunmao.GlobalVar):
                return make.typed_call(e.callee, args, e.attrs.native(), list(e.type_args), _known(e.type))
            return make.call(e.callee, args, e.attrs.native(), list(e.type_args))
        if isinstance(e, _sunmao.Tuple):
            return make.tuple([build(field) for field in e.fields])
        if isinstance(e, _sunmao.TupleGetItem):
            return make.tuple_get_item(build(e.tuple), e.index)
        return c.expr(e)

    return build(function.body.body)


__getattr__ = attribute_of(__name__)
