"""Compiled modules that take and give tensors of PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from sunmao.arrays import to_torch
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn import spec as specs
from sunmao.compat.relax.frontend.nn.exporter import Exporter
from sunmao.compat.relax.transform import LiftTransformParams
from sunmao.compat.relax.vm import VirtualMachine
from sunmao.compat.relax.vm_build import build
from sunmao.compat.runtime.containers import ShapeTuple
from sunmao.compat.runtime.device import Device, need_cpu
from sunmao.compat.runtime.device import device as device_named
from sunmao.compat.runtime.registry import get_global_func
from sunmao.compat.runtime.tensors import Tensor, from_dlpack
from sunmao.compat.target import Target
from sunmao.errors import fail


def compiled(
    module: Any, spec: Any, device: Any, pipeline: Any, debug: bool
) -> tuple[specs.ModuleSpec, VirtualMachine, list[Tensor]]:
    """Returns the spec, the program, and the data of the parameters, of which all must have some (E0520). Without a
    pipeline, functions take weights as the transforms beside them prepare them."""
    place = device if isinstance(device, Device) else device_named(device)
    need_cpu(place)
    wanted = specs.ModuleSpec.from_raw(spec, module)
    exported, params, extern = Exporter(debug=debug).build(wanted)
    for other in extern:
        unknown = [name for name in other.symbols if get_global_func(name, True) is None]
        if unknown:
            raise fail("E0509", f"the function `{unknown[0]}` is not known", f'register_global_func("{unknown[0]}", f)')
    missing = [f"`{name}`" for name, param in params if param.data is None]
    if missing:
        raise fail(
            "E0520", f"parameters have no data: {', '.join(missing)}", "set `parameter.data`, or load_state_dict"
        )
    if pipeline in (None, "default", "default_build"):
        pipeline = "default"
        if all(method.param_mode == "plain" for method in wanted.method_specs):
            exported = LiftTransformParams()(exported)
    machine = VirtualMachine(build(exported, Target("llvm"), relax_pipeline=pipeline), place)
    return wanted, machine, [param.data for _, param in params]


class TorchModule:
    """A compiled module: `module["forward"](x)` runs a method. It keeps the state of the effects."""

    def __init__(self, spec: specs.ModuleSpec, vm: VirtualMachine, params: list[Tensor]) -> None:
        self.spec = spec
        self.vm = vm
        self.params = params
        self._functions = vm.module.own_functions()
        self._prepared: dict[str, list[Any]] = {}
        has_effects = "_initialize_effect" in self._functions
        self.effects: list[Any] | None = list(vm["_initialize_effect"]()) if has_effects else None

    def __getitem__(self, method_name: str) -> Callable[..., Any]:
        methods: Mapping[str, specs.MethodSpec] = dict(zip(self.spec.method_names, self.spec.method_specs, strict=True))
        if method_name not in methods:
            raise fail("E0037", f"the module has no method `{method_name}`", f"it has {', '.join(methods)}")
        spec = methods[method_name]

        def call(*args: Any) -> Any:
            return self._call(method_name, spec, args)

        call.__name__ = method_name
        return call

    def _call(self, name: str, spec: specs.MethodSpec, args: tuple[Any, ...]) -> Any:
        if len(args) != len(spec.arg_names):
            count = f"{len(args)} arguments given, expected {len(spec.arg_names)}"
            raise fail("E0037", f"`{name}`: {count}", f"it is called as {spec.shown(name)}")
        pairs = zip(spec.arg_specs, args, spec.arg_names, strict=True)
        given = [_argument(arg_spec, arg, f"`{name}`: `{arg_name}`") for arg_spec, arg, arg_name in pairs]
        weights = self._weights(name, spec.param_mode)
        if self.effects is None or spec.effect_mode == "none":
            return _result(self.vm[name](*given, *weights))
        state = [self.effects] if spec.effect_mode == "packed" else self.effects
        result, effects = self.vm[name](*given, *state, *weights)
        self.effects = list(effects)
        return _result(result)

    def _weights(self, name: str, param_mode: str) -> list[Any]:
        """Returns the weights as the function takes them: prepared at the first call, where a transform stands beside
        it."""
        transform = f"{name}_transform_params"
        if transform not in self._functions or transform in self.spec.method_names:
            passed: dict[str, list[Any]] = {"plain": self.params, "packed": [self.params], "none": []}
            return passed[param_mode]
        if name not in self._prepared:
            self._prepared[name] = list(self.vm[transform](self.params))
        return self._prepared[name]


def _argument(spec: Any, value: Any, what: str) -> Any:
    """Returns an argument as the program takes it."""
    if isinstance(spec, specs.Tensor):
        if not isinstance(value, _torch().Tensor):
            raise fail("E0037", f"{what} is a torch tensor, got a {type(value).__name__}")
        return from_dlpack(value.detach())
    if isinstance(spec, specs.Int):
        if not isinstance(value, int):
            raise fail("E0037", f"{what} is an integer, got a {type(value).__name__}")
        return ShapeTuple((value,))
    if isinstance(spec, specs.Tuple):
        if not isinstance(value, list | tuple) or len(value) != len(spec.elements):
            raise fail("E0037", f"{what} is a list of {len(spec.elements)} values, got {type(value).__name__}")
        items = enumerate(zip(spec.elements, value, strict=True))
        return [_argument(element, item, f"{what}[{i}]") for i, (element, item) in items]
    return value


def _result(value: Any) -> Any:
    if isinstance(value, Tensor):
        _torch()
        return to_torch(value.native)
    if isinstance(value, ShapeTuple):
        return list(value)
    return [_result(item) for item in value] if isinstance(value, list | tuple) else value


def _torch() -> Any:
    return importlib.import_module("torch")


__getattr__ = attribute_of(__name__)
