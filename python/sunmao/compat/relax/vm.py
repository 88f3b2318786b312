"""Building and running of modules. Weights are not bound: every function with a global symbol can be called, with raw
weights, or with the results of the weight transform after LiftTransformParams."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.pass_options import unroll_options
from sunmao.compat.ir.transform import PassContext
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.relax.vm_arguments import Signature, flatten, nest
from sunmao.compat.runtime.containers import ShapeTuple
from sunmao.compat.runtime.device import Device, need_cpu
from sunmao.compat.runtime.registry import get_global_func
from sunmao.compat.runtime.tensors import Tensor
from sunmao.compat.target import Target
from sunmao.errors import fail


@checked
class VMExecutable:
    """A compiled module."""

    def __init__(self, compiled: _sunmao.Compiled) -> None:
        self._compiled = compiled

    @property
    def compiled(self) -> _sunmao.Compiled:
        return self._compiled


@checked
def build(
    mod: IRModule,
    target: str | dict[str, Any] | Target | None = None,
    params: dict[str, Any] | None = None,
    relax_pipeline: Any = "default",
    tir_pipeline: Any = "default",
    exec_mode: str = "bytecode",
    *,
    system_lib: bool | None = None,
) -> VMExecutable:
    """Compiles `mod`, by default for the host."""
    refuse("build", params=params, system_lib=system_lib)
    if exec_mode != "bytecode":
        help = 'programs are bytecode: exec_mode="bytecode"'
        raise fail("E0032", f"build: `exec_mode={exec_mode!r}` is not supported", help)
    if relax_pipeline not in ("default", None) or tir_pipeline not in ("default", None):
        refuse("build", relax_pipeline=relax_pipeline, tir_pipeline=tir_pipeline)
    targets = [str(Target(target or Target.current() or "llvm"))]
    module = mod.__sunmao_module__()
    unroll = unroll_options(PassContext.current().config)
    return VMExecutable(_sunmao.compile(module, {}, targets, {}, bind_weights=False, allow_walk=True, unroll=unroll))


@checked
def compile(mod: IRModule, target: str | dict[str, Any] | Target | None = None, **options: Any) -> VMExecutable:
    return build(mod, target, **options)


@checked
class VirtualMachine:
    """Runs a compiled module: `vm["main"](x, *weights)`. Straight-line functions on tensors run as bytecode. Others are
    interpreted with the same compiled kernels: branches, calls between functions, callbacks, functions registered by
    `register_global_func`, shapes and numbers, nested tuples."""

    def __init__(
        self,
        rt_mod: VMExecutable,
        device: Device | Sequence[Device] | None = None,
        memory_cfg: Any = None,
        profile: bool = False,
    ) -> None:
        refuse("VirtualMachine", profile=profile, memory_cfg=memory_cfg)
        for place in [device] if device is None or isinstance(device, Device) else device:
            need_cpu(place)
        compiled = rt_mod.compiled
        self._module = compiled.module
        self._loaded = compiled.load()
        self._bytecode = set(self._loaded.signatures)
        self._walked = compiled.walked
        self._executor = compiled.executor(Tensor, ShapeTuple) if self._walked else None
        self._saved: dict[str, Callable[[], Any]] = {}
        self._inputs: dict[str, list[Any]] = {}
        self._outputs: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Callable[..., Any]:
        if name in self._saved:
            return self._saved[name]
        signature = self._signature(name)

        def call(*args: Any) -> Any:
            if name in self._inputs and not args:
                raise fail(
                    "E0918",
                    f"`{name}`: its inputs are set, and this call has none",
                    f'say invoke_stateful("{name}"), or pass the arguments here',
                )
            signature.check(args)
            return self._run(signature, args)

        return call

    def invoke_closure(self, closure: Any, *args: Any) -> Any:
        """Calls a function value that a function of the program has returned."""
        if self._executor is None:
            raise fail("E0037", "no function of the program gives a function")
        return self._executor.invoke(closure, args, _find_function)

    def save_function(
        self, func_name: str, saved_name: str, *args: Any, include_return: bool = True, **by_name: Any
    ) -> None:
        """Saves a call with its arguments under a name; `vm[saved_name]()` runs it."""
        signature = self._signature(func_name)
        if saved_name in self._saved or saved_name in self._bytecode | self._walked:
            raise fail("E0037", f"there is a function `{saved_name}` already", "choose another name")
        given = signature.in_order(args, by_name)

        def call() -> Any:
            result = self._run(signature, given)
            return result if include_return else None

        self._saved[saved_name] = call

    def set_input(self, func_name: str, *args: Any, **by_name: Any) -> None:
        """Sets the arguments of the next `invoke_stateful`."""
        self._inputs[func_name] = self._signature(func_name).in_order(args, by_name)

    def invoke_stateful(self, func_name: str) -> None:
        """Calls a function on the inputs that were set; `get_outputs` returns the result."""
        signature = self._signature(func_name)
        if func_name not in self._inputs and signature.params:
            raise fail("E0918", f"`{func_name}`: no inputs are set", f'say set_input("{func_name}", …) first')
        self._outputs[func_name] = self._run(signature, self._inputs.get(func_name, []))

    def get_outputs(self, func_name: str) -> Any:
        """Returns the result of the last `invoke_stateful`."""
        if func_name not in self._outputs:
            raise fail("E0918", f"`{func_name}` has not run yet", f'say invoke_stateful("{func_name}") first')
        return self._outputs[func_name]

    def _signature(self, name: str) -> Signature:
        function = self._module.find(name)
        known = self._bytecode | self._walked
        if name not in known or not isinstance(function, _sunmao.Function):
            raise fail("E0037", f"there is no function `{name}`", f"there are {', '.join(sorted(known))}")
        return Signature(name, function, self._module)

    def _run(self, signature: Signature, args: Sequence[Any]) -> Any:
        if self._executor is not None and signature.name in self._walked:
            return self._executor.call(signature.name, args, _find_function)
        inputs: list[_sunmao.Tensor] = []
        for param, arg in zip(signature.params, args, strict=True):
            flatten(arg, param.type, f"`{signature.name}`: argument `{param.name}`", inputs)
        return nest(iter(self._loaded.run(signature.name, inputs)), signature.result_type)


def _find_function(name: str) -> Any:
    return get_global_func(name, allow_missing=True)


__getattr__ = attribute_of(__name__)
