"""Passes that tests use."""

from __future__ import annotations

from typing import Any

from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import ModulePass, Pass, PassContext, PassInfo
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.expr_functor import PyExprMutator


def ApplyEmptyCppMutator() -> Pass:
    """Rebuilds every function unchanged except for normal form."""

    def rebuild(module: IRModule, _context: PassContext) -> IRModule:
        result = module.clone()
        for var, function in module.functions_items():
            changed: Any = PyExprMutator(module).visit_expr(function)
            if changed is not function:
                result[var] = changed
        return result

    return ModulePass(PassInfo(0, "ApplyEmptyCppMutator"), rebuild)


__getattr__ = attribute_of(__name__)
