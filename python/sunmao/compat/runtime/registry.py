"""Registry of functions by name, which scripts and the evaluator call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao.arrays import to_numpy
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.runtime.containers import ShapeTuple
from sunmao.compat.runtime.tensors import Tensor
from sunmao.errors import fail


def _share_memory(a: Tensor, b: Tensor) -> bool:
    """Returns whether two tensors have bytes in common."""
    return bool(np.may_share_memory(to_numpy(a.native), to_numpy(b.native)))


_functions: dict[str, Callable[..., Any]] = {"runtime.TVMTensorIsStorageShared": _share_memory}


def register_global_func(func_name: Any, f: Callable[..., Any] | None = None, override: bool = False) -> Any:
    """Registers a function under a name; without a function, returns a decorator."""
    if callable(func_name):
        return register_global_func(func_name.__name__, func_name, override)

    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        if func_name in _functions and not override:
            raise fail("E0032", f"a second function under the name `{func_name}` is not supported", "say override=True")
        _functions[func_name] = function
        return function

    return note if f is None else note(f)


@checked
def get_global_func(name: str, allow_missing: bool = False) -> Any:
    """Returns the function registered under this name, or the builtin of the virtual machine."""
    if name not in _functions and _sunmao.is_builtin(name):
        return _builtin(name)
    if name not in _functions and not allow_missing:
        raise fail("E0034", f"Cannot find global function {name}", "note it by register_global_func")
    return _functions.get(name)


def _builtin(name: str) -> Callable[..., Any]:
    def call(*args: Any) -> Any:
        return _sunmao.call_builtin(name, args, Tensor, ShapeTuple)

    return call


register_func = register_global_func


@checked
def remove_global_func(name: str) -> None:
    _functions.pop(name, None)


__getattr__ = attribute_of(__name__)
