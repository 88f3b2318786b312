"""Executables: what compilation gives, before its machine code is loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.runtime.module import Module


@checked
class Executable:
    """A compiled library, loaded at its first use."""

    def __init__(self, mod: Module) -> None:
        self.mod = mod
        self._jitted_mod: Module | None = None

    @property
    def kind(self) -> str:
        """Returns what runs the functions: "kernels", machine code that is called directly, for loop-level ones; of a
        program for a VirtualMachine see `relax.VMExecutable.kind`."""
        return "kernels"

    def jit(self, *, fcompile: Any = None, addons: Any = None, force_recompile: bool = False) -> Module:
        """Returns the library, loaded once; with `force_recompile` anew."""
        refuse("jit", fcompile=fcompile, addons=addons)
        if self._jitted_mod is None or force_recompile:
            self._jitted_mod = self.mod.loaded()
        return self._jitted_mod

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return self.jit()[name]

    def __call__(self, *args: Any) -> Any:
        return self.jit()(*args)

    def export_library(
        self, file_name: str, *, fcompile: Any = None, addons: Any = None, workspace_dir: str | None = None
    ) -> None:
        """Writes the library to a file that `load_module` reads."""
        self.mod.export_library(file_name, fcompile=fcompile, addons=addons, workspace_dir=workspace_dir)


__getattr__ = attribute_of(__name__)
