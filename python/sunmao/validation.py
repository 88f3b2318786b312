"""Translation validation: compares the results of a module's functions before and after each pass."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.transform import NamedPass, Pass
from sunmao.compiling import read_any
from sunmao.errors import fail
from sunmao.pass_list import passes as compiler_passes


@dataclass(frozen=True)
class ValidatedPass:
    """The validation of one pass: the functions with equal results before and after, and those whose results the pass
    changes by design, each with the largest difference (`main: 0.01`)."""

    name: str  # with its arguments
    is_changed: bool  # it gave another module
    same: list[str]
    on_purpose: list[str]


@dataclass(frozen=True)
class Validation:
    """The result of validating a sequence of passes without finding a difference."""

    passes: list[ValidatedPass]
    not_validated: dict[str, str]  # functions that could not be compared, with the reasons
    lines: list[str]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def validate(
    model: Any,
    passes: Sequence[Any] | None = None,
    *,
    weights: Mapping[str, Any] | str | os.PathLike[str] | None = None,
    seed: int = 0,
    target: str = "host",
) -> Validation:
    """Runs passes on a model file or a module, and the module's functions before and after each of them, on generated
    inputs. Fails with E0541 at the first pass that changes a number: it names pass, function, result and element.

    `passes` are texts as `sunmao opt --passes` takes them ("convert-to-dataflow(min_size=3)"), passes of
    `sunmao.relax.transform`, or functions from a module to a module; without them it is the pipeline of `compile`.
    Weights that the model does not have, and `weights` does not give, are generated too. Of functions that cannot be
    compared a warning tells why.
    """
    if not isinstance(seed, int) or not 0 <= seed < 2**64:
        raise fail("E0034", f"`seed`: {seed!r} is no integer from 0")
    module, tensors, *_ = read_any(model, weights)
    if passes is None:
        report = _sunmao.validate_pipeline(module, tensors, seed, target)
    else:
        if isinstance(passes, str) or not isinstance(passes, Sequence):
            raise fail("E0034", f"`passes`: expected a list, got a {type(passes).__name__}")
        watched = _sunmao.validation(tensors, seed)
        for name, arguments, run in [step for entry in passes for step in _steps(entry, target)]:
            result = run(module)
            watched.check(name, arguments, module, result)
            module = result
        report = watched.report()
    seen, not_validated, lines = report
    for name, reason in not_validated.items():
        warnings.warn(f"`{name}` is not validated: {reason}", stacklevel=2)
    return Validation([ValidatedPass(*row) for row in seen], not_validated, lines)


Step = tuple[str, dict[str, Any], Callable[[_sunmao.Module], _sunmao.Module]]


def _steps(entry: Any, target: str) -> list[Step]:
    """Yields the passes of an entry: name, arguments, and a function that runs the pass."""
    if isinstance(entry, str):
        return [_by_name(name, arguments, target) for name, arguments in _sunmao.parse_passes(entry)]
    if not callable(entry):
        raise fail("E0034", f"`passes`: a {type(entry).__name__} is no pass", "give a name, a pass or a function")
    name, arguments = getattr(entry, "__name__", type(entry).__name__), {}
    if isinstance(entry, NamedPass):
        name, arguments = entry._name, entry._arguments
    elif isinstance(entry, Pass):  # one that is made of others may stand for a pass of the compiler
        name = {p.compat_name: p.name for p in compiler_passes()}.get(entry.info.name, entry.info.name)
    return [(name, arguments, lambda module: _run_own(entry, isinstance(entry, Pass), module))]


def _by_name(name: str, arguments: dict[str, Any], target: str) -> Step:
    return name, arguments, lambda module: _sunmao.run_pass(module, name, {}, 2, target, arguments)


def _run_own(entry: Callable[[Any], Any], takes_variable: bool, module: _sunmao.Module) -> _sunmao.Module:
    """Runs a pass written in Python, which takes and returns an IRModule or a module value."""
    result = entry(IRModule(module) if takes_variable else module)
    value = getattr(result, "__sunmao_module__", lambda: result)()
    if not isinstance(value, _sunmao.Module):
        raise fail("E0034", f"the pass gave a {type(result).__name__}, expected a module")
    return value
