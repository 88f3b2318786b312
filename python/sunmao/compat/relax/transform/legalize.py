"""LegalizeOps with legalizations by programs, which take precedence over the library's; and FoldConstant, which skips
the ops that they replace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.op_class import PREFIX, legalizations, own_name
from sunmao.compat.ir.transform import ModulePass, Pass, PassContext, PassInfo, run_named_pass
from sunmao.compat.missing import refuse
from sunmao.compat.relax.expr_functor import PyExprMutator
from sunmao.errors import fail

Legalize = Callable[[Any, _sunmao.Call], Any]
# Limit on rounds of legalization. A replacement may contain ops that the next round legalizes; this never ends for
# functions that produce each other's ops.
_MAX_ROUNDS = 64


class _Legalizer(PyExprMutator):
    def __init__(self, module: IRModule, table: Mapping[str, Legalize]) -> None:
        super().__init__(module)
        self._table = table
        self.has_changed = False

    def visit_call_(self, op: Any) -> Any:
        call = self.visit_expr_post_order(op)
        callee = call.op if isinstance(call, _sunmao.Call) else None
        legalize = self._table.get(own_name(callee)) if isinstance(callee, _sunmao.Op) else None
        if legalize is None:
            return call
        found = c.expr(legalize(self.builder_, call))
        self.has_changed |= found is not call
        return found


def replace_calls(module: IRModule, table: Mapping[str, Legalize]) -> IRModule:
    """Replaces the calls of the ops that the table names, once."""
    legalizer = _Legalizer(module, table)
    changed = {}
    for var, function in module.functions_items():
        if isinstance(function, _sunmao.Function):
            found = legalizer.visit_expr(function)
            if found is not function:
                changed[var] = found
    if not legalizer.has_changed:
        return module
    result = legalizer.builder_.get()
    result.update(changed)
    return result


@checked
def LegalizeOps(
    customize_legalize_map: Mapping[str, Legalize] | None = None,
    skip_ops: Sequence[str] | None = None,
    enable_warning: bool = False,
) -> Pass:
    """Replaces ops by calls of loop-level functions, but for `skip_ops`. A function `(builder, call) -> expression` of
    the map, or of an op's `FLegalize`, takes precedence over the library's; its result is legalized, too."""
    refuse("LegalizeOps", enable_warning=enable_warning)
    given = {_own_name(name): function for name, function in (customize_legalize_map or {}).items()}
    kept = sorted(map(_own_name, skip_ops or ()))

    def run(module: IRModule, context: PassContext) -> IRModule:
        table = {name: f for name, f in {**legalizations(), **given}.items() if name not in kept}
        for _ in range(_MAX_ROUNDS if table else 0):
            before, module = module, replace_calls(module, table)
            if module is before:
                break
        else:
            if table:
                help = "a function that has nothing to replace gives the call itself"
                raise fail("E0034", f"making ops legal does not end: {', '.join(sorted(table))}", help)
        return _make_legal(module, context, {"keep": kept})

    return ModulePass(PassInfo(0, "LegalizeOps"), run)


def legalize_only(ops: Sequence[str], name: str) -> Pass:
    """Returns a pass `name` that replaces these ops of the library alone."""

    def run(module: IRModule, context: PassContext) -> IRModule:
        return _make_legal(module, context, {"only": list(ops), "keep": sorted(legalizations())})

    return ModulePass(PassInfo(0, name), run)


def _own_name(name: Any) -> str:
    return str(name).removeprefix(PREFIX)


def _make_legal(module: IRModule, context: PassContext, arguments: Mapping[str, Any]) -> IRModule:
    value = module.__sunmao_module__()
    return IRModule(run_named_pass(value, "legalize-ops", context.config, context.opt_level, arguments))


@checked
def FoldConstant() -> Pass:
    """Evaluates calls on constants. Ops whose `FLegalize` a program has set are skipped, since the library's semantics
    may not apply to them."""

    def fold(module: IRModule, context: PassContext) -> IRModule:
        arguments = {"keep": sorted(legalizations())}
        value = module.__sunmao_module__()
        return IRModule(run_named_pass(value, "fold-constants", context.config, context.opt_level, arguments))

    return ModulePass(PassInfo(0, "FoldConstant"), fold)
