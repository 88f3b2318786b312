"""Passes that tests use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import ModulePass, Pass, PassContext, PassInfo
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.expr_functor import PyExprMutator
from sunmao.errors import fail

Chances = list[tuple[int, set[int]]]


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


@checked
def dataflow_liveness_analysis(block: _sunmao.BindingBlock) -> dict[_sunmao.Var, tuple[int, int]]:
    """Returns the first and the last binding of the block between which each variable is alive: -1 and the number of
    bindings for what is alive before and after it."""
    return _sunmao.live_ranges(block)


@checked
def dataflow_alias_analysis(
    block: _sunmao.BindingBlock, inputs: Sequence[_sunmao.Var]
) -> tuple[dict[_sunmao.Var, set[int]], dict[int, list[set[int]]]]:
    """Returns, by numbers, which memory each variable may be, and which the fields of each tuple; -1 is memory from
    outside. `inputs` have memory of their own."""
    return _sunmao.value_aliases(block, list(inputs))


@checked
def dataflow_inplace_analysis(
    block: _sunmao.BindingBlock, inputs: Sequence[_sunmao.Var], mod: IRModule
) -> tuple[Chances, Chances]:
    """Returns the bindings whose calls may write to the memory of an argument, with these arguments: first those that
    are large enough, then those of the same shape. `mod` has the functions that the block calls."""
    known = {var.name for var in mod.get_global_vars()}
    for binding in block.bindings:
        for var in _sunmao.all_global_vars(binding.value):
            if var.name not in known:
                raise fail("E0034", f"`mod` has no function `{var.name}`, which the block calls")
    large, same = _sunmao.inplace_chances(block, list(inputs))
    return [(i, set(args)) for i, args in large], [(i, set(args)) for i, args in same]


@checked
def dataflow_single_inplace_call(
    mod: IRModule, call: _sunmao.Call, inplace_indices: Sequence[int]
) -> tuple[_sunmao.Call, IRModule]:
    """Returns the call as one that writes to the memory of an argument, and the module with its function."""
    if len(inplace_indices) != 1:
        raise fail("E0032", f"`inplace_indices`: expected one index, for one result, got {list(inplace_indices)}")
    made, module = _sunmao.inplace_call(mod.__sunmao_module__(), call, int(inplace_indices[0]))
    return made, IRModule(module)


__getattr__ = attribute_of(__name__)
