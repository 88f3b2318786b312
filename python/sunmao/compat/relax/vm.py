"""Building a module, and calling the result. Weights are not bound: every function with a global symbol is there, and
the caller passes raw weights, or, where LiftTransformParams has run, what its transform gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.arrays import to_tensor
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.relax.prepared_weights import PreparedWeights
from sunmao.compat.runtime import Device, Tensor
from sunmao.compat.target import Target
from sunmao.errors import RunError, fail


@checked
class VMExecutable:
    """A module that is compiled."""

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
    """Compiles `mod`. The target is this machine, unless it says more."""
    refuse("build", params=params, system_lib=system_lib)
    if relax_pipeline not in ("default", None) or tir_pipeline not in ("default", None):
        refuse("build", relax_pipeline=relax_pipeline, tir_pipeline=tir_pipeline)
    targets = [str(Target(target or Target.current() or "llvm"))]
    return VMExecutable(_sunmao.compile(mod.__sunmao_module__(), {}, targets, {}, bind_weights=False))


@checked
def compile(mod: IRModule, target: str | dict[str, Any] | Target | None = None, **options: Any) -> VMExecutable:
    return build(mod, target, **options)


@checked
class VirtualMachine:
    """A loaded executable: `vm["main"](x, *weights)`."""

    def __init__(
        self,
        rt_mod: VMExecutable,
        device: Device | Sequence[Device] | None = None,
        memory_cfg: Any = None,
        profile: bool = False,
    ) -> None:
        refuse("VirtualMachine", profile=profile)
        self._module = rt_mod.compiled.module
        self._loaded = rt_mod.compiled.load()
        self._names = set(self._loaded.signatures)

    def __getitem__(self, name: str) -> Callable[..., Any]:
        function = self._module.find(name)
        if name not in self._names or not isinstance(function, _sunmao.Function):
            raise fail("E0037", f"there is no function `{name}`", f"there are {', '.join(sorted(self._names))}")
        params, result = function.params, function.result_type
        weights = PreparedWeights.of(name, function)

        def call(*args: Any) -> Any:
            if len(args) != len(params):
                weights.check(args)
                known = f"they are {', '.join(p.name for p in params)}"
                raise fail("E0037", f"`{name}`: {len(args)} arguments given, expected {len(params)}", known)
            inputs: list[_sunmao.Tensor] = []
            for param, arg in zip(params, args, strict=True):
                _flatten(arg, param.type, f"`{name}`: argument `{param.name}`", inputs)
            try:
                outputs = self._loaded.run(name, inputs)
            except RunError:
                weights.check(args)
                raise
            return _nest(iter(outputs).__next__, result)

        return call


def _flatten(value: Any, type: _sunmao.Type | None, what: str, out: list[_sunmao.Tensor]) -> None:
    """Appends the tensors of `value`, which is to be nested as the type is."""
    if not isinstance(type, _sunmao.TupleType):
        if isinstance(value, list | tuple | dict):
            raise fail("E0037", f"{what} is a {_kind(value)}, expected a tensor: {type!r}", "pass one tensor")
        out.append(value.native if isinstance(value, Tensor) else to_tensor(value, what))
        return
    if not isinstance(value, list | tuple):
        raise fail("E0037", f"{what} is a {_kind(value)}, expected a tuple: {type!r}", "pass a list of tensors")
    if len(value) != len(type.fields):
        raise fail("E0037", f"{what} has {len(value)} fields, expected {len(type.fields)}: {type!r}")
    for i, (item, field) in enumerate(zip(value, type.fields, strict=True)):
        _flatten(item, field, f"{what}, field {i}", out)


def _nest(take: Callable[[], _sunmao.Tensor], type: _sunmao.Type | None) -> Any:
    if isinstance(type, _sunmao.TupleType):
        return [_nest(take, field) for field in type.fields]
    return Tensor(take())


def _kind(value: Any) -> str:
    return type(value).__name__


__getattr__ = attribute_of(__name__)
