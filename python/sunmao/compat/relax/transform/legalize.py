"""LegalizeOps with legalizations by programs, which take precedence over the library's; and FoldConstant, which skips
the ops that they replace."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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


def _legalize_once(module: IRModule, table: Mapping[str, Legalize]) -> IRModule:
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
    customize_legalize_map: Mapping[str, Legalize] | None = None, skip_ops: Any = None, enable_warning: bool = False
) -> Pass:
    """Replaces ops by calls of loop-level functions. A function `(builder, call) -> expression` of the map, or of an
    op's `FLegalize`, takes precedence over the library's; its result is legalized, too."""
    refuse("LegalizeOps", skip_ops=skip_ops, enable_warning=enable_warning)
    given = {str(name).removeprefix(PREFIX): function for name, function in (customize_legalize_map or {}).items()}

    def run(module: IRModule, context: PassContext) -> IRModule:
        table = {**legalizations(), **given}
        for _ in range(_MAX_ROUNDS if table else 0):
            before, module = module, _legalize_once(module, table)
            if module is before:
                break
        else:
            if table:
                help = "a function that has nothing to replace gives the call itself"
                raise fail("E0034", f"making ops legal does not end: {', '.join(sorted(table))}", help)
        value = run_named_pass(module.__sunmao_module__(), "legalize-ops", context.config, context.opt_level)
        return IRModule(value)

    return ModulePass(PassInfo(0, "LegalizeOps"), run)


@checked
def FoldConstant() -> Pass:
    """Evaluates calls on constants. Ops whose `FLegalize` a program has set are skipped, since the library's semantics
    may not apply to them."""

    def fold(module: IRModule, context: PassContext) -> IRModule:
        arguments = {"keep": sorted(legalizations())}
        value = module.__sunmao_module__()
        return IRModule(run_named_pass(value, "fold-constants", context.config, context.opt_level, arguments))

    return ModulePass(PassInfo(0, "FoldConstant"), fold)
