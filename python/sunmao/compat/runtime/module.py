"""Libraries of compiled functions."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of, refuse, unsupported
from sunmao.compat.runtime import benchmark
from sunmao.compat.runtime.device import Device
from sunmao.compat.runtime.saved import Library
from sunmao.errors import MissingApiError


class Module:
    """A library: functions by name, its own and those of the libraries that it imports."""

    kind = "library"

    def __init__(self) -> None:
        self._imports: list[Module] = []

    @property
    def imports(self) -> list[Module]:
        return self._imports

    def own_functions(self) -> dict[str, Callable[..., Any]]:
        """Returns the functions without those of imported libraries."""
        return {}

    def library(self) -> Library:
        """Returns what is saved."""
        raise unsupported(f"saving a library of the kind `{self.kind}`", "save what `build` gives")

    def holds_imports(self) -> bool:
        """Returns whether the libraries that it imports are saved with it."""
        return not self.imports

    def loaded(self) -> Module:
        """Returns the library with its machine code loaded anew."""
        return self

    @checked
    def implements_function(self, name: str, query_imports: bool = False) -> bool:
        return self._find(name, query_imports) is not None

    @checked
    def get_function(self, name: str, query_imports: bool = False) -> Callable[..., Any]:
        found = self._find(name, query_imports)
        if found is None:
            known = ", ".join(self.own_functions())
            raise MissingApiError("E0030", f"the library has no function `{name}`", f"it has {known or 'none'}")
        return found

    def _find(self, name: str, query_imports: bool) -> Callable[..., Any] | None:
        found = self.own_functions().get(name)
        for library in self.imports if query_imports and found is None else []:
            found = found or library._find(name, True)
        return found

    def __getitem__(self, name: str) -> Callable[..., Any]:
        return self.get_function(name, True)

    def __call__(self, *args: Any) -> Any:
        """Calls `main`, or the only function that there is."""
        functions = self.own_functions()
        name = next(iter(functions)) if len(functions) == 1 else "main"
        return self.get_function(name)(*args)

    @checked
    def import_module(self, module: Module) -> None:
        """Makes the functions of another library those of this one."""
        self._imports.append(module)

    def is_runnable(self) -> bool:
        return True

    def is_compilation_exportable(self) -> bool:
        """Returns whether `export_library` can save it."""
        return self.holds_imports()

    def is_binary_serializable(self) -> bool:
        """Returns whether it is data alone, without machine code."""
        return False

    @checked
    def write_to_file(self, file_name: str, fmt: str = "") -> None:
        """Writes the library to a file that `load_module` reads. Forms of other compilers are not written."""
        ending = fmt or Path(file_name).suffix.removeprefix(".")
        if ending in ("o", "obj", "ll", "bc", "s", "asm", "a", "c", "cc"):
            raise unsupported(f"writing a library as `{ending}`", "name a file that ends in .so or .sunmao")
        if not self.holds_imports():
            raise unsupported("saving a library that imports others", "save each of them")
        self.library().write(file_name)

    @checked
    def export_library(
        self, file_name: str, *, fcompile: Any = None, addons: Any = None, workspace_dir: str | None = None
    ) -> None:
        """Writes the library to a file, whose name says nothing of its form: it is a zip file that `load_module` reads.
        A copy goes to `workspace_dir`."""
        refuse("export_library", fcompile=fcompile, addons=addons)
        self.write_to_file(file_name, "sunmao")
        if workspace_dir is not None:
            shutil.copy(file_name, workspace_dir)

    @checked
    def time_evaluator(self, func_name: str, dev: Device, **options: Any) -> Callable[..., benchmark.BenchmarkResult]:
        return benchmark.time_evaluator(self.get_function(func_name, True), dev, **options)

    def __repr__(self) -> str:
        return f"<library of {', '.join(self.own_functions())}>"


class KernelModule(Module):
    """Loop-level functions as machine code: they are called on tensors, which they fill, and integers."""

    def __init__(self, compiled: _sunmao.Compiled, kind: str = "llvm") -> None:
        super().__init__()
        self.kind = kind
        self._compiled = compiled
        self._kernels = compiled.kernels()
        self._functions = {symbol: self._caller(name) for symbol, name in _symbols(compiled.module)}

    def _caller(self, name: str) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            return self._kernels.run(name, list(args))

        return call

    def own_functions(self) -> dict[str, Callable[..., Any]]:
        return self._functions

    def library(self) -> Library:
        return Library("kernels", self._compiled)

    def holds_imports(self) -> bool:
        """Returns whether the libraries that it imports are saved with it."""
        return not self.imports

    def loaded(self) -> Module:
        return KernelModule(self._compiled, self.kind)

    def is_compilation_exportable(self) -> bool:
        return self.kind == "llvm" and not self.imports


def _symbols(module: _sunmao.Module) -> Iterable[tuple[str, str]]:
    """Yields the names of loop-level functions, by which programs and the module know them."""
    for entry in module.functions:
        if isinstance(entry.func, _sunmao.PrimFunc) and "form_of" not in entry.func.attrs:
            yield str(entry.func.attrs.get("global_symbol", entry.var.name)), entry.var.name


__getattr__ = attribute_of(__name__)
