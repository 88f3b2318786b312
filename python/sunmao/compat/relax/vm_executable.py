"""VMExecutable: a program for a VirtualMachine, which can be read, saved and loaded again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.programs import Program
from sunmao.compat.runtime.executable import Executable
from sunmao.compat.runtime.module import KernelModule, Module
from sunmao.compat.runtime.saved import Library
from sunmao.errors import fail


class VMModule(Module):
    """A program for a VirtualMachine as a library."""

    kind = "relax.VMExecutable"

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program = program
        self._kernels: list[Module] | None = None

    @property
    def imports(self) -> list[Module]:
        """The program's kernels as a library, which is loaded when it is asked for, and libraries that were added."""
        if self._kernels is None:
            compiled = self.program.kernels()
            self._kernels = [] if compiled is None else [KernelModule(compiled)]
        return [*self._kernels, *self._imports]

    def own_functions(self) -> dict[str, Callable[..., Any]]:
        about = {"as_text": self.program.text, "as_python": self.program.python, "stats": self.program.statistics}
        return {**{name: self._caller(name) for name in sorted(self.program.names)}, **about}

    def _caller(self, name: str) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            return self.program.call(name, self.program.in_order(name, args, {}), None)

        return call

    def library(self) -> Library:
        return self.program.library()

    def holds_imports(self) -> bool:
        return not self._imports


@checked
class VMExecutable(Executable):
    """A compiled program."""

    def __init__(self, mod: VMModule | Program) -> None:
        library = mod if isinstance(mod, VMModule) else VMModule(mod)
        super().__init__(library)
        self.program = library.program

    @property
    def kind(self) -> str:
        """Returns what runs the program: "bytecode", or "registers", the interpreter of instructions on registers, for
        what ExecBuilder makes and for modules that bytecode cannot express."""
        return self.program.kind

    @property
    def compiled(self) -> _sunmao.Compiled:
        """What compilation gave."""
        found = self.program.kernels()
        if found is None:
            raise fail("E0037", "the program calls no compiled kernel, and has no artifact")
        return found

    def stats(self) -> str:
        """Returns how many functions, kernels and constants there are."""
        return self.program.statistics()

    def as_text(self) -> str:
        """Returns the program as text: a compiled module as script, instructions on registers one a line."""
        return self.program.text()

    def as_python(self) -> str:
        """Returns the program as Python: as script, or as calls of ExecBuilder."""
        return self.program.python()

    def save_to_file(self, path: str) -> None:
        """Writes the program to a file that `load_module` reads."""
        self.mod.write_to_file(path, "sunmao")


__getattr__ = attribute_of(__name__)
