"""Running of compiled programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.contrib import tensor_cache as tensor_cache  # registers builtins
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.relax.vm_executable import VMExecutable, VMModule
from sunmao.compat.runtime import benchmark
from sunmao.compat.runtime.device import Device, need_cpu
from sunmao.compat.runtime.executable import Executable
from sunmao.compat.runtime.module import Module
from sunmao.compat.runtime.registry import get_global_func
from sunmao.errors import fail

_ALLOCATORS = ("naive", "pooled")


class VMInstrumentReturnKind(IntEnum):
    """What an instrument says before a call: to go on, or to leave it out."""

    NO_OP = 0
    SKIP_RUN = 1


def _keeps_memory(memory_cfg: str | dict[Any, str] | None) -> bool:
    """Returns whether the host's allocator is the one that keeps memory; a device that a dict leaves out has it."""
    of_devices = memory_cfg if isinstance(memory_cfg, dict) else {None: memory_cfg or "pooled"}
    for device, allocator in of_devices.items():
        need_cpu(device)
        if allocator not in _ALLOCATORS:
            raise fail("E0032", f"the allocator `{allocator}` is not supported", f"there are {_ALLOCATORS}")
    return "naive" not in of_devices.values()


@checked
class VirtualMachine:
    """Runs a program: `vm["main"](x, *weights)`. Functions of a compiled module run as bytecode, which calls functions
    of Python and those registered by `register_global_func`, and passes them objects. Between two calls the memory of a
    program is kept for the next one; with the allocator "naive" in `memory_cfg` it is freed."""

    def __init__(
        self,
        rt_mod: Executable | Module,
        device: Device | Sequence[Device] | None = None,
        memory_cfg: str | dict[Any, str] | None = None,
        profile: bool = False,
    ) -> None:
        refuse("VirtualMachine", profile=profile)
        for place in [device] if device is None or isinstance(device, Device) else device:
            need_cpu(place)
        self._keeps_memory = _keeps_memory(memory_cfg)
        library = rt_mod.mod if isinstance(rt_mod, Executable) else rt_mod
        if not isinstance(library, VMModule):
            raise fail(
                "E0037", f"a library of the kind `{library.kind}` has no program", "build a module with relax.build"
            )
        self.module: Module = library
        self._program = library.program
        self._saved: dict[str, Callable[[], Any]] = {}
        self._inputs: dict[str, list[Any]] = {}
        self._outputs: dict[str, Any] = {}
        self._watch: Callable[[str, bool, Any, list[Any]], bool] | None = None

    def __getitem__(self, name: str) -> Callable[..., Any]:
        if name in self._saved:
            return self._saved[name]
        self._need(name)

        def call(*args: Any) -> Any:
            if name in self._inputs and not args:
                raise fail(
                    "E0918",
                    f"`{name}`: its inputs are set, and this call has none",
                    f'say invoke_stateful("{name}"), or pass the arguments here',
                )
            return self._call(name, self._program.in_order(name, args, {}))

        return call

    def _call(self, name: str, args: list[Any]) -> Any:
        return self._freeing(lambda: self._program.call(name, args, self._watch))

    def _freeing(self, call: Callable[[], Any]) -> Any:
        try:
            return call()
        finally:
            if not self._keeps_memory:
                self._program.release_memory()

    def invoke_closure(self, closure: Any, *args: Any) -> Any:
        """Calls a function value that a function of the program has returned."""
        return self._freeing(lambda: self._program.invoke(closure, args, self._watch))

    def save_function(
        self, func_name: str, saved_name: str, *args: Any, include_return: bool = True, **by_name: Any
    ) -> None:
        """Saves a call with its arguments under a name; `vm[saved_name]()` runs it."""
        self._need(func_name)
        if saved_name in self._saved or saved_name in self._program.names:
            raise fail("E0037", f"there is a function `{saved_name}` already", "choose another name")
        given = self._program.in_order(func_name, args, by_name)

        def call(*more: Any) -> Any:
            if more:
                raise fail("E0037", f"`{saved_name}` has its arguments, got {len(more)} more", "call it without any")
            result = self._call(func_name, given)
            return result if include_return else None

        self._saved[saved_name] = call

    def set_input(self, func_name: str, *args: Any, **by_name: Any) -> None:
        """Sets the arguments of the next `invoke_stateful`."""
        self._need(func_name)
        self._inputs[func_name] = self._program.in_order(func_name, args, by_name)

    def invoke_stateful(self, func_name: str) -> None:
        """Calls a function on the inputs that were set; `get_outputs` returns the result."""
        self._need(func_name)
        if func_name not in self._inputs and self._program.params(func_name):
            raise fail("E0918", f"`{func_name}`: no inputs are set", f'say set_input("{func_name}", …) first')
        self._outputs[func_name] = self._call(func_name, self._inputs.get(func_name, []))

    def get_outputs(self, func_name: str) -> Any:
        """Returns the result of the last `invoke_stateful`."""
        if func_name not in self._outputs:
            raise fail("E0918", f"`{func_name}` has not run yet", f'say invoke_stateful("{func_name}") first')
        return self._outputs[func_name]

    def set_instrument(self, instrument: Callable[..., Any] | str | None) -> None:
        """Sets a function that is called before and after each call of the program's functions, with the function, its
        name, whether it is before, the result, and the arguments. SKIP_RUN before a call leaves the call out. None:
        nothing is called any more."""
        if instrument is None:
            self._watch = None
            return
        told = get_global_func(instrument) if isinstance(instrument, str) else instrument

        def watch(name: str, is_before: bool, result: Any, args: list[Any]) -> bool:
            said = told(self._callee(name), name, is_before, result, *args)
            return is_before and said == VMInstrumentReturnKind.SKIP_RUN

        self._watch = watch

    def _callee(self, name: str) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            if name in self._program.names:
                return self._program.call(name, args, None)
            return get_global_func(name)(*args)

        return call

    def time_evaluator(self, func_name: str, dev: Device, **options: Any) -> Callable[..., benchmark.BenchmarkResult]:
        """Returns a function that times calls, of a function of the program, a saved one, or `invoke_stateful`. Options
        are those of `runtime.Module.time_evaluator`."""
        found = self.invoke_stateful if func_name == "invoke_stateful" else self[func_name]
        return benchmark.time_evaluator(found, dev, **options)

    def _need(self, name: str) -> None:
        if name not in self._program.names:
            known = ", ".join(sorted(self._program.names))
            raise fail("E0037", f"there is no function `{name}`", f"there are {known}")


__all__ = ["VMExecutable", "VMInstrumentReturnKind", "VirtualMachine"]

__getattr__ = attribute_of(__name__)
