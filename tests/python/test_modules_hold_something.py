"""Every module of the mirrored API has a name to use, or a module inside it that has one."""

import importlib
import pkgutil
from types import ModuleType

import pytest
from sunmao import compat


def has_names(module: ModuleType) -> bool:
    """Returns whether the module has a public name other than modules and the maker of its `__getattr__`."""
    names = {
        n: v for n, v in vars(module).items() if not n.startswith("__") and n not in ("annotations", "attribute_of")
    }
    return any(not isinstance(value, ModuleType) for value in names.values())


def empty_modules() -> set[str]:
    names = [m.name for m in pkgutil.walk_packages(compat.__path__, compat.__name__ + ".")]
    full = [name for name in names if has_names(importlib.import_module(name))]
    return {name for name in names if not any(f == name or f.startswith(name + ".") for f in full)}


def test_no_module_is_empty() -> None:
    assert empty_modules() == set()
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("sunmao.compat.rpc")
