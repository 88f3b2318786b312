"""CombineParallelMatmul with a predicate of the program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import ModulePass, NamedPass, Pass, PassContext, PassInfo
from sunmao.compat.relax.analysis.analysis import get_var2val


@checked
def CombineParallelMatmul(check: Callable[..., Any] | None = None) -> Pass:
    """Merges matmuls with the same left operand into one, whose result is split. `check(input, right operands, biases,
    values of variables)` decides for each group."""
    if check is None:
        return NamedPass("CombineParallelMatmul", "combine-parallel-matmul")

    def combine(module: IRModule, _context: PassContext) -> IRModule:
        bound: dict[Any, Any] = {}
        for _, function in module.functions_items():
            if isinstance(function, _sunmao.Function):
                bound.update(get_var2val(function))
        value = _sunmao.combine_parallel_matmul(
            module.__sunmao_module__(), lambda given, weights, biases: check(given, weights, biases, bound)
        )
        return IRModule(value)

    return ModulePass(PassInfo(0, "CombineParallelMatmul"), combine)
