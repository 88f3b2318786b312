"""Front ends: models of other frameworks become modules."""

import importlib
from types import ModuleType

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend import onnx, torch
from sunmao.compat.relax.frontend.parameters import detach_params

__all__ = ["detach_params", "onnx", "torch"]


def _at_first_use(name: str) -> ModuleType | None:
    """Loads `nn`, which takes a third of the time of the front ends, where a program asks for it."""
    return importlib.import_module(f"{__name__}.nn") if name == "nn" else None


__getattr__ = attribute_of(__name__, _at_first_use)
