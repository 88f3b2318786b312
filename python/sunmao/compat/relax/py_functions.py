"""Functions of Python that `R.call_py_func` calls: `get_global_func("vm.builtin.register_py_func")(name, function)`
adds one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.runtime.registry import get_global_func, register_global_func, remove_global_func
from sunmao.errors import fail

_names: set[str] = set()


@checked
def register_py_func(name: str, function: Callable[..., Any]) -> None:
    """Adds a function, in place of one that was added under this name; fails (E0032) where a global function has it."""
    register_global_func(name, function, override=name in _names)
    _names.add(name)


@checked
def get_py_func(name: str) -> Callable[..., Any]:
    """Returns the function that was added under this name."""
    if name not in _names:
        raise fail("E0034", f"there is no Python function `{name}`", "add it by vm.builtin.register_py_func")
    found: Callable[..., Any] = get_global_func(name)
    return found


def clear_py_func_registry() -> None:
    """Removes the functions that were added."""
    while _names:
        remove_global_func(_names.pop())


for _function in (register_py_func, get_py_func, clear_py_func_registry):
    register_global_func(f"vm.builtin.{_function.__name__}", _function)

__getattr__ = attribute_of(__name__)
