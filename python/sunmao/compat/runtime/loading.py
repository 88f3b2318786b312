"""Loading of saved libraries."""

from __future__ import annotations

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import unsupported
from sunmao.compat.relax.exec_builder import ExecBuilder
from sunmao.compat.relax.programs import GraphProgram, RegisterProgram
from sunmao.compat.relax.vm_executable import VMModule
from sunmao.compat.runtime.module import KernelModule, Module
from sunmao.compat.runtime.saved import read_library
from sunmao.errors import fail


@checked
def load_module(path: str, fmt: str = "") -> Module:
    """Loads a library that `export_library` has written."""
    if fmt not in ("", "so", "sunmao"):
        raise unsupported(f"loading a library as `{fmt}`", "libraries are what export_library writes")
    library = read_library(path)
    if library.kind == "registers" and library.source is not None:
        return VMModule(_registers_of(library.source, library.compiled))
    if library.compiled is None:
        raise fail("E0864", f"`{path}` has no compiled functions")
    if library.kind == "graph":
        return VMModule(GraphProgram(library.compiled))
    return KernelModule(library.compiled, "library")


def _registers_of(source: _sunmao.Module, kernels: _sunmao.Compiled | None) -> RegisterProgram:
    builder = ExecBuilder()
    builder.native.add_functions(source)
    return RegisterProgram(builder.native, kernels, source)
