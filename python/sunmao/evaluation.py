"""The reference evaluator: slow and right. It runs any verified module, without a target."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.arrays import to_numpy, to_tensor
from sunmao.errors import fail


def evaluate(module: _sunmao.Module, *args: Any, function: str = "main") -> Any:
    """What a function of the module gives for these arguments: arrays as NumPy's, tuples of them, shapes as lists.

    Arguments are arrays, numbers, lists of integers for shapes, and tuples.
    """
    native = getattr(module, "__sunmao_module__", lambda: module)()
    if not isinstance(native, _sunmao.Module):
        raise fail("E0034", f"the evaluator runs a module, not {type(module).__name__}")
    return _to_python(_sunmao.evaluate(native, function, [_to_native(arg) for arg in args]))


def _to_native(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_to_native(field) for field in value)
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list) and all(isinstance(item, int) for item in value):
        return value
    return to_tensor(value)


def _to_python(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_to_python(field) for field in value)
    return to_numpy(value) if isinstance(value, _sunmao.Tensor) else value
