"""Tuning under upstream's names: the plans of kernels are measured, and those that are faster stand on the module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import ModulePass, Pass, PassContext, PassInfo
from sunmao.compat.missing import refuse, unsupported
from sunmao.compat.relax.transform.passes import find_pass
from sunmao.compat.target import Target
from sunmao.errors import fail

_FILE = "sunmao.tuning"  # in the folder that calls name
_ALL = (1 << 63) - 1  # plans


def database_of(work_dir: str) -> Path:
    """Returns the file with what was measured, which `sunmao.compile(…, tuning=…)` takes too."""
    return Path(work_dir) / _FILE


def _count(what: str, value: int | None) -> int:
    if value is None:
        return _ALL
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise fail("E0034", f"`{what}` must be a whole number from 0, got {value!r}")
    return value


def _tune(module: IRModule, work_dir: str, trials: int, per_kernel: int, names: Sequence[str]) -> None:
    Path(work_dir).mkdir(parents=True, exist_ok=True)
    native = module.__sunmao_module__()
    target = str(Target.current() or Target("llvm"))
    _sunmao.tune(native, str(database_of(work_dir)), target, trials, per_kernel, list(names))


@checked
def MetaScheduleTuneIRMod(
    params: Mapping[str, Any] | None,
    work_dir: str,
    max_trials_global: int,
    max_trials_per_task: int | None = None,
    op_names: Sequence[str] | None = None,
) -> Pass:
    """Measures plans of the module's kernels, with the constants `params`, and keeps them in the folder `work_dir`: so
    many plans of all kernels, and of each, of kernels whose names contain one of `op_names`. The module is returned as
    it is."""
    counts = _count("max_trials_global", max_trials_global), _count("max_trials_per_task", max_trials_per_task)

    def run(module: IRModule, _context: PassContext) -> IRModule:
        bind = find_pass("BindParams") if params else None
        _tune(bind("main", dict(params or {}))(module) if bind else module, work_dir, *counts, op_names or [])
        return module

    return ModulePass(PassInfo(0, "MetaScheduleTuneIRMod"), run)


@checked
def MetaScheduleTuneTIR(work_dir: str, max_trials_global: int) -> Pass:
    """Measures plans of the module's loop-level functions, and keeps them in the folder `work_dir`."""
    count = _count("max_trials_global", max_trials_global)

    def run(module: IRModule, _context: PassContext) -> IRModule:
        _tune(module, work_dir, count, _ALL, [])
        return module

    return ModulePass(PassInfo(0, "MetaScheduleTuneTIR"), run)


@checked
def MetaScheduleApplyDatabase(work_dir: str | None = None, enable_warning: bool = False) -> Pass:
    """Puts the plans that were faster, from the folder `work_dir`, on the module: its kernels take them when it is
    compiled for the target that they were measured for."""
    refuse("MetaScheduleApplyDatabase", enable_warning=enable_warning)
    if work_dir is None:
        raise unsupported("MetaScheduleApplyDatabase without `work_dir`", "name the folder that tuning wrote to")
    path = database_of(work_dir)

    def run(module: IRModule, _context: PassContext) -> IRModule:
        native = module.__sunmao_module__()
        tuned = _sunmao.with_tuning(native, str(path))
        return module if tuned.same_as(native) else IRModule(tuned)

    return ModulePass(PassInfo(0, "MetaScheduleApplyDatabase"), run)
