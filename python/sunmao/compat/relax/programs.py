"""Programs that a virtual machine runs: bytecode, and instructions on registers. Which of them a module becomes is the
compiler's decision (`build_for_vm`)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.closures import find_closure_builtin
from sunmao.compat.relax.vm_arguments import Signature, flatten, in_order, nest
from sunmao.compat.runtime.containers import ShapeTuple
from sunmao.compat.runtime.registry import get_global_func
from sunmao.compat.runtime.saved import Library
from sunmao.compat.runtime.tensors import Tensor
from sunmao.compile_warnings import warn_all
from sunmao.errors import fail

# Is told of each call before and after it: its name, whether it is before, the result, the arguments. What it returns
# before a call says whether the call is left out.
Watch = Callable[[str, bool, Any, list[Any]], bool]


class Program(ABC):
    """What a virtual machine needs of a program."""

    kind: str  # what runs it: "bytecode" or "registers"
    names: set[str]

    @abstractmethod
    def in_order(self, name: str, args: Sequence[Any], by_name: Mapping[str, Any]) -> list[Any]:
        """Returns the arguments in the order of the parameters, after checking them."""

    @abstractmethod
    def params(self, name: str) -> list[str]: ...

    @abstractmethod
    def call(self, name: str, args: Sequence[Any], watch: Watch | None) -> Any: ...

    @abstractmethod
    def invoke(self, closure: Any, args: Sequence[Any], watch: Watch | None) -> Any: ...

    @abstractmethod
    def release_memory(self) -> None:
        """Frees the memory that is kept for the next calls."""

    @abstractmethod
    def text(self) -> str: ...

    @abstractmethod
    def python(self) -> str: ...

    @abstractmethod
    def statistics(self) -> str: ...

    @abstractmethod
    def library(self) -> Library: ...

    @abstractmethod
    def kernels(self) -> _sunmao.Compiled | None:
        """Returns the loop-level functions that it calls, compiled."""


class GraphProgram(Program):
    """A compiled module, whose functions run as bytecode."""

    kind = "bytecode"

    def __init__(self, compiled: _sunmao.Compiled, watched: Callable[[], RegisterProgram] | None = None) -> None:
        """`watched` makes the same program of instructions that call its kernels one by one."""
        self.compiled = compiled
        self._watched = watched
        self._steps: RegisterProgram | None = None
        self._module = compiled.module
        self._loaded = compiled.load()
        self.names = set(self._loaded.signatures)

    def _signature(self, name: str) -> Signature:
        function = self._module.find(name)
        assert isinstance(function, _sunmao.Function)
        return Signature(name, function, self._module)

    def in_order(self, name: str, args: Sequence[Any], by_name: Mapping[str, Any]) -> list[Any]:
        return self._signature(name).in_order(args, by_name)

    def params(self, name: str) -> list[str]:
        return [p.name for p in self._signature(name).params]

    def call(self, name: str, args: Sequence[Any], watch: Watch | None) -> Any:
        if watch is not None:
            return self._in_steps(name).call(name, args, watch)
        signature = self._signature(name)
        inputs: list[Any] = []
        for param, arg in zip(signature.params, args, strict=True):
            flatten(arg, param.type, f"`{name}`: argument `{param.name}`", inputs)
        return nest(iter(self._loaded.call(name, inputs, self._find, Tensor, ShapeTuple)), signature.result_type)

    def _call(self, name: str, args: list[Any]) -> Any:
        return self.call(name, self.in_order(name, args, {}), None)

    def _find(self, name: str) -> Any:
        """Returns a function of the host that the program calls."""
        if name == "sunmao.function":
            return _need_global_func
        return find_closure_builtin(name, self._call) or _need_global_func(name)

    def _in_steps(self, name: str) -> RegisterProgram:
        if self._watched is None:
            raise fail("E0032", f"watching the calls of `{name}` in a loaded program is not supported", "build it here")
        if self._steps is None:
            warn_all(["watched calls run in the interpreter of register programs, not as bytecode"])
            self._steps = self._watched()
        return self._steps

    def invoke(self, closure: Any, args: Sequence[Any], watch: Watch | None) -> Any:
        if watch is not None:
            return self._in_steps("a closure").invoke(closure, args, watch)
        return _need_function(closure)(*args)

    def release_memory(self) -> None:
        self._loaded.release_memory()

    def text(self) -> str:
        """Returns the module of which bytecode and kernels were generated, as script."""
        return self._module.script()

    def python(self) -> str:
        return self.text()

    def statistics(self) -> str:
        kernels = [e.var.name for e in self._module.functions if isinstance(e.func, _sunmao.PrimFunc)]
        lines = [
            f"{len(self.names)} functions: [{', '.join(sorted(self.names))}]",
            f"{len(kernels)} kernels: [{', '.join(kernels)}]",
            f"{self.compiled.size} bytes of artifact",
        ]
        return "\n".join(lines) + "\n"

    def library(self) -> Library:
        return Library("graph", self.compiled)

    def kernels(self) -> _sunmao.Compiled | None:
        return self.compiled


def _need_function(value: Any) -> Callable[..., Any]:
    if not callable(value):
        raise fail("E0037", f"a {type(value).__name__} is no function", "pass what a function of the program gave")
    return value


class RegisterProgram(Program):
    """Instructions on registers, which are interpreted. `kernels` has the loop-level functions that they call,
    compiled; `source` is the module whose functions they are, None where a program made them one by one."""

    kind = "registers"

    def __init__(
        self,
        builder: _sunmao.RegisterBuilder,
        kernels: _sunmao.Compiled | None = None,
        source: _sunmao.Module | None = None,
    ) -> None:
        self._machine = _sunmao.RegisterMachine(builder, None if kernels is None else kernels.kernels())
        self._kernels = kernels
        self._source = source
        self.names = set(self._machine.functions)

    def in_order(self, name: str, args: Sequence[Any], by_name: Mapping[str, Any]) -> list[Any]:
        values = in_order(name, self.params(name), args, by_name)
        expected = len(self.params(name))
        if len(values) != expected:
            raise fail("E0037", f"`{name}`: {len(values)} arguments given, expected {expected}")
        return values

    def params(self, name: str) -> list[str]:
        return self._machine.params(name)

    def call(self, name: str, args: Sequence[Any], watch: Watch | None) -> Any:
        return self._machine.call(name, args, find_function, watch)

    def invoke(self, closure: Any, args: Sequence[Any], watch: Watch | None) -> Any:
        return self._machine.invoke(closure, args, find_function, watch)

    def release_memory(self) -> None:
        """Does nothing: instructions allocate and free memory as they run."""

    def text(self) -> str:
        return self._machine.text()

    def python(self) -> str:
        return self._machine.builder_calls()

    def statistics(self) -> str:
        return self._machine.statistics()

    def library(self) -> Library:
        if self._source is None:
            help = "build it of a module: relax.build, or relax.vm_build"
            raise fail("E0032", "saving a program whose instructions were emitted one by one is not supported", help)
        return Library("registers", self._kernels, self._source)

    def kernels(self) -> _sunmao.Compiled | None:
        return self._kernels


def _need_global_func(name: str) -> Any:
    found = find_function(name)
    if found is None:
        help = f'register it first: register_global_func("{name}", f)'
        raise fail("E0509", f"the function `{name}` is not known to this program", help)
    return found


def find_function(name: str) -> Any:
    return get_global_func(name, allow_missing=True)
