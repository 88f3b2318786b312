"""The reference evaluator: interprets any verified module, without compilation. It is slow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao
from sunmao.arrays import to_numpy, to_tensor
from sunmao.errors import fail


def evaluate(module: _sunmao.Module, *args: Any, function: str = "main") -> Any:
    """Returns the result of a function of the module: arrays as NumPy arrays, tuples of them, shapes as lists.
    Arguments are arrays, numbers, lists of integers for shapes, tuples, and objects that another function gave."""
    return _to_python(_sunmao.evaluate(_native_module(module), function, [_to_native(arg) for arg in args]))


@dataclass(frozen=True)
class PoisonedRun:
    """The result of a run, and the computing calls that depend on no poisoned argument."""

    result: Any
    clean: list[_sunmao.Work]  # of the other arguments
    constant: list[_sunmao.Work]  # of no argument


def evaluate_poisoned(
    module: _sunmao.Module, *args: Any, poisoned: Sequence[int] = (0,), function: str = "main"
) -> PoisonedRun:
    """Evaluates a function and tracks which calls depend on the arguments `poisoned`, whatever the values are."""
    values = [_to_native(arg) for arg in args]
    result, clean, constant = _sunmao.evaluate_poisoned(_native_module(module), function, values, poisoned)
    return PoisonedRun(_to_python(result), clean, constant)


def _native_module(module: Any) -> _sunmao.Module:
    native = getattr(module, "__sunmao_module__", lambda: module)()
    if not isinstance(native, _sunmao.Module):
        raise fail("E0034", f"the evaluator runs a module, not {type(module).__name__}")
    return native


def _to_native(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_to_native(field) for field in value)
    if isinstance(value, bool | int | float | str | _sunmao.ProgramValue):
        return value
    if isinstance(value, list) and all(isinstance(item, int) for item in value):
        return value
    return to_tensor(value)


def _to_python(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_to_python(field) for field in value)
    return to_numpy(value) if isinstance(value, _sunmao.Tensor) else value
