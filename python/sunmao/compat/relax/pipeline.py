"""Pipelines by name: passes of the compiler in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import Pass, PassContext, Sequential, module_pass
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.relax import transform
from sunmao.compat.relax.backend.dispatch import DispatchSampling, DispatchSortScan
from sunmao.compat.relax.backend.stages import (
    dataflow_lower_passes,
    explicit_memory,
    finalize_passes,
    fused_kernels,
    get_default_pipeline,
    legalize_passes,
    library_dispatch_passes,
    plain_calls,
)
from sunmao.compat.relax.transform.tuning import database_of
from sunmao.compat.target import Target
from sunmao.errors import fail

Maker = TypeVar("Maker", bound=Callable[..., Pass])


def _sequence(name: str, passes: list[Pass], target: Target | None = None) -> Pass:
    def run(module: IRModule, _context: PassContext) -> IRModule:
        sequence = Sequential(passes)
        if target is None:
            found: IRModule = sequence(module)
            return found
        with target:
            found = sequence(module)
        return found

    pipeline: Pass = module_pass(run, opt_level=0, name=name)
    return pipeline


def zero_pipeline(*, enable_warning: bool = False) -> Pass:
    """Makes kernels of ops and fuses them."""
    refuse("zero_pipeline", enable_warning=enable_warning or None)
    return _sequence("f_zero_pipeline", fused_kernels())


def default_build_pipeline() -> Pass:
    """Lowers a module: kernels, which are not fused, plain blocks, explicit memory, and scalars by functions."""
    kernels = [DispatchSampling(), DispatchSortScan(), transform.LegalizeOps()]
    return _sequence("_pipeline", [*kernels, *plain_calls(), *explicit_memory()])


@checked
def static_shape_tuning_pipeline(
    total_trials: int,
    target: str | dict[str, Any] | Target,
    work_dir: str = "tuning_logs",
    cpu_weight_prepack: bool = False,
    max_trials_per_task: int | None = None,
) -> Pass:
    """Makes fused kernels, with `cpu_weight_prepack` such that choose the layouts of weights, and measures
    `total_trials` of their plans, of each kernel `max_trials_per_task`. Kernels take the plans that were faster, also
    those that `work_dir` has from before."""
    passes = [transform.DecomposeOpsForInference(), transform.CanonicalizeBindings(), zero_pipeline()]
    if cpu_weight_prepack:
        passes += [transform.AttachAttrLayoutFreeBuffers(), transform.SplitLayoutRewritePreproc()]
        passes += [transform.LiftTransformParams(), transform.FoldConstant()]
    if total_trials:
        passes.append(transform.MetaScheduleTuneIRMod({}, work_dir, total_trials, max_trials_per_task))
    if total_trials or database_of(work_dir).exists():
        passes.append(transform.MetaScheduleApplyDatabase(work_dir))
    return _sequence("_pipeline", passes, Target(target))


_PIPELINES: dict[str, Callable[..., Pass]] = {
    "zero": zero_pipeline, "default": default_build_pipeline, "default_build": default_build_pipeline,
    "static_shape_tuning": static_shape_tuning_pipeline,
}  # fmt: skip


@checked
def get_pipeline(name: str = "zero", **kwargs: Any) -> Pass:
    """Returns the pipeline of this name."""
    if name not in _PIPELINES:
        raise fail("E0032", f"the pipeline `{name}` is not supported", f"there are: {', '.join(_PIPELINES)}")
    return _PIPELINES[name](**kwargs)


@checked
def register_pipeline(name: str) -> Callable[[Maker], Maker]:
    """Marks a function that returns a pipeline, for `get_pipeline` to find it: `@register_pipeline("mine")`."""
    if name in _PIPELINES:
        raise fail("E0034", f"the pipeline `{name}` has already been registered", "choose another name")

    def register(make: Maker) -> Maker:
        _PIPELINES[name] = make
        return make

    return register


__all__ = [
    "dataflow_lower_passes", "default_build_pipeline", "finalize_passes", "get_default_pipeline", "get_pipeline",
    "legalize_passes", "library_dispatch_passes", "register_pipeline", "static_shape_tuning_pipeline", "zero_pipeline",
]  # fmt: skip

__getattr__ = attribute_of(__name__)
