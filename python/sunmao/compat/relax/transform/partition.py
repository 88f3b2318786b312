"""Outlining of pattern matches into functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sunmao import _sunmao
from sunmao.compat.convert import attribute
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import ModulePass, Pass, PassContext, PassInfo
from sunmao.compat.missing import attribute_of
from sunmao.errors import fail


@dataclass(frozen=True)
class PatternCheckContext:
    """A match that is about to be outlined, as passed to the check of its pattern."""

    matched_expr: Any
    # Maps the names of the pattern's annotations to the expressions that they matched.
    annotated_expr: Mapping[str, Any]
    # The matched bindings, which would move to the new function, as a map from variable to value.
    matched_bindings: Mapping[_sunmao.Var, Any]
    function: _sunmao.Function

    @property
    def var_usages(self) -> dict[_sunmao.Var, list[_sunmao.Var]]:
        """Returns the users of each variable of the function."""
        values = _sunmao.var_to_value(self.function)
        uses: dict[_sunmao.Var, list[_sunmao.Var]] = {var: [] for var in values}
        for var, value in values.items():
            for read in _sunmao.free_vars(value):
                uses.setdefault(read, []).append(var)
        return uses

    @property
    def value_to_bound_var(self) -> dict[Any, _sunmao.Var]:
        return {value: var for var, value in _sunmao.var_to_value(self.function).items()}


@dataclass(frozen=True)
class FusionPattern:
    """A pattern, the name of its functions, and the check that accepts a match."""

    name: str
    pattern: _sunmao.Pattern
    annotation_patterns: Mapping[str, _sunmao.Pattern] = field(default_factory=dict)
    check: Callable[[PatternCheckContext], bool] | None = None
    attrs_getter: Callable[[dict[str, Any]], Mapping[str, Any]] | None = None

    def accept(
        self, found: dict[_sunmao.Pattern, Any], value: Any, members: list[_sunmao.Binding], function: _sunmao.Function
    ) -> dict[str, Any] | None:
        """Returns further attributes of the new function; None rejects the match."""
        named = {name: found[part] for name, part in (self.annotation_patterns or {}).items() if part in found}
        context = PatternCheckContext(value, named, {b.var: b.value for b in members}, function)
        if self.check is not None and not self.check(context):
            return None
        more = self.attrs_getter(named) if self.attrs_getter is not None else {}
        return {key: attribute(item) for key, item in more.items()}


def FuseOpsByPattern(
    patterns: Sequence[FusionPattern | tuple[Any, ...]],
    bind_constants: bool = True,
    annotate_codegen: bool = False,
    entry_functions: Sequence[str] | None = None,
) -> Pass:
    """Outlines matches of patterns in dataflow blocks into functions; earlier patterns take precedence."""
    fusions = []
    for given in patterns:
        fusion = FusionPattern(*given) if isinstance(given, tuple) else given
        if not isinstance(fusion, FusionPattern) or not isinstance(fusion.pattern, _sunmao.Pattern):
            problem = f"Invalid pattern: {given!r}: expected FusionPattern, or a tuple (name, pattern, …)"
            raise fail("E0034", problem)
        fusions.append((fusion.name, fusion.pattern, fusion.accept))

    def run(module: IRModule, _context: PassContext) -> IRModule:
        native = module.__sunmao_module__()
        result = _sunmao.partition(native, fusions, bind_constants, annotate_codegen, list(entry_functions or []))
        return module if result.same_as(native) else IRModule(result)

    return ModulePass(PassInfo(0, "FuseOpsByPattern"), run)


__getattr__ = attribute_of(__name__)
