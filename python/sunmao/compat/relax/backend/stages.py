"""The parts of the default pipeline. They are the same for every target, because kernels are scheduled when code is
generated for them."""

from __future__ import annotations

from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import Pass, PassContext, Sequential, module_pass
from sunmao.compat.relax import transform
from sunmao.compat.relax.backend.dispatch import DispatchSampling, DispatchSortScan
from sunmao.compat.target import Target
from sunmao.errors import fail


def _need_supported(target: Target, what: str) -> None:
    """Fails (E0032) unless the target is `llvm` or a GPU."""
    if target.kind.name != "llvm" and "gpu" not in target.keys:
        raise fail("E0032", f"the target {target} is not yet supported by {what}", 'name a GPU or "llvm"')


@checked
def library_dispatch_passes(target: Target) -> list[Pass]:
    """Returns the passes that replace ops by kernels of their own."""
    _need_supported(target, "library_dispatch_passes")
    return [DispatchSampling(), DispatchSortScan()]


@checked
def legalize_passes(target: Target) -> list[Pass]:
    """Returns the passes that make kernels of all ops and fuse them."""
    _need_supported(target, "legalize_passes")
    return fused_kernels()


@checked
def dataflow_lower_passes(target: Target) -> list[Pass]:
    """Returns the passes that make plain blocks, and destinations of calls explicit."""
    _need_supported(target, "dataflow_lower_passes")
    return plain_calls()


@checked
def finalize_passes(target: Target) -> list[Pass]:
    """Returns the passes that make memory and sizes explicit."""
    _need_supported(target, "finalize_passes")
    return explicit_memory()


@checked
def get_default_pipeline(target: Target) -> Pass:
    """Returns all parts as one pass, in whose scope `target` is the current one."""
    parts = (library_dispatch_passes, legalize_passes, dataflow_lower_passes, finalize_passes)
    passes = [each for part in parts for each in part(target)]

    def run(module: IRModule, _context: PassContext) -> IRModule:
        with target:
            lowered: IRModule = Sequential(passes)(module)
        return lowered

    pipeline: Pass = module_pass(run, opt_level=0, name="_pipeline")
    return pipeline


def fused_kernels() -> list[Pass]:
    return _of("LegalizeOps", "AnnotateTIROpPattern", "FoldConstant", "FuseOps", "FuseTIR")


def plain_calls() -> list[Pass]:
    return _of("RewriteDataflowReshape", "ToNonDataflow", "RemovePurityChecking", "CallTIRRewrite")


def explicit_memory() -> list[Pass]:
    return _of(
        "StaticPlanBlockMemory",
        "LowerAllocTensor",
        "KillAfterLastUse",
        "LowerRuntimeBuiltin",
        "ComputePrimValue",
        "VMShapeLower",
        "AttachGlobalSymbol",
    )


def _of(*names: str) -> list[Pass]:
    return [getattr(transform, name)() for name in names]
