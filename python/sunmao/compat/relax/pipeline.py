"""Pipelines by name: passes of the compiler in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import Pass, PassContext, Sequential, module_pass
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.relax import transform
from sunmao.errors import fail


def _sequence(name: str, passes: list[str]) -> Pass:
    def run(module: IRModule, _context: PassContext) -> IRModule:
        found: IRModule = Sequential([getattr(transform, each)() for each in passes])(module)
        return found

    pipeline: Pass = module_pass(run, opt_level=0, name=name)
    return pipeline


def zero_pipeline(*, enable_warning: bool = False) -> Pass:
    """Legalizes ops, folds constants and removes unused bindings."""
    refuse("zero_pipeline", enable_warning=enable_warning or None)
    return _sequence("zero_pipeline", ["LegalizeOps", "FoldConstant", "DeadCodeElimination"])


def default_build_pipeline() -> Pass:
    """Lowers a module for `build`: ops become loop-level functions, dataflow blocks become plain blocks, scalars are
    computed by functions."""
    passes = ["LegalizeOps", "ToNonDataflow", "RemovePurityChecking", "ComputePrimValue", "AttachGlobalSymbol"]
    return _sequence("_pipeline", passes)


_PIPELINES: dict[str, Callable[..., Pass]] = {
    "zero": zero_pipeline, "default": default_build_pipeline, "default_build": default_build_pipeline,
}  # fmt: skip


def get_pipeline(name: str = "zero", **kwargs: Any) -> Pass:
    """Returns the pipeline of this name."""
    if name not in _PIPELINES:
        raise fail("E0032", f"the pipeline `{name}` is not supported", f"there are: {', '.join(_PIPELINES)}")
    return _PIPELINES[name](**kwargs)


__getattr__ = attribute_of(__name__)
