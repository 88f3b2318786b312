"""The export of a module: each method of a spec becomes a function."""

from __future__ import annotations

import threading
from collections import Counter
from typing import ClassVar

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.frontend.nn.effect import Effect
from sunmao.compat.relax.frontend.nn.extern import ExternModule
from sunmao.compat.relax.frontend.nn.method import Method
from sunmao.compat.relax.frontend.nn.modules.effects import IOEffect
from sunmao.compat.relax.frontend.nn.parameter import Parameter
from sunmao.compat.relax.frontend.nn.spec import MethodSpec, ModuleSpec
from sunmao.compat.relax.frontend.nn.tree import named_members
from sunmao.errors import fail


class Exporter:
    """Builds a module from a spec. With `debug` each function takes and returns an effect that prints are ordered
    by."""

    _open: ClassVar[threading.local] = threading.local()

    @checked
    def __init__(self, debug: bool) -> None:
        self.builder = BlockBuilder()
        self.io_effect = IOEffect() if debug else None
        self.extern_mods: list[ExternModule] = []

    @staticmethod
    def current() -> Exporter:
        """Returns the exporter that is at work."""
        found: Exporter | None = getattr(Exporter._open, "exporter", None)
        if found is None:
            raise fail("E0039", "no module is exported now", "call it in a method that `export_tvm` or `jit` exports")
        return found

    @checked
    def add_external_module(self, mod: ExternModule) -> None:
        known = {symbol for other in self.extern_mods for symbol in other.symbols}
        twice = sorted(known & set(mod.symbols))
        if twice:
            raise fail("E0034", f"two external modules have the function `{twice[0]}`", "add each module once")
        self.extern_mods.append(mod)

    @checked
    def build(self, spec: ModuleSpec) -> tuple[IRModule, list[tuple[str, Parameter]], list[ExternModule]]:
        """Returns the module, the parameters by name, and external modules that methods have added."""
        if getattr(self._open, "exporter", None) is not None:
            raise fail("E0039", "a module is exported while another one is", "export it before or after")
        params = list(named_members(spec.module, "", Parameter))
        effects = list(named_members(spec.module, "", Effect))
        if self.io_effect is not None:
            effects.insert(0, ("", self.io_effect))
        _need_unique([name for name, _ in (*params, *effects)])
        self._open.exporter = self
        before = [parameter._expr for _, parameter in params]
        try:
            if effects:
                self._initialize(effects)
            for name, method in zip(spec.method_names, spec.method_specs, strict=True):
                self._add(name, method, params, effects)
        finally:
            for (_, parameter), expr in zip(params, before, strict=True):
                parameter._expr = expr
            self._open.exporter = None
        return self.builder.finalize(), params, self.extern_mods

    def _initialize(self, effects: list[tuple[str, Effect]]) -> None:
        """Adds the function that returns the first state of all effects."""
        builder = self.builder
        with builder.function("_initialize_effect"):
            with builder.dataflow():
                state = [var for name, effect in effects for var in effect.emit_init(name, builder)]
                output = builder.emit_output(builder.emit(make.tuple(state)))
            builder.emit_func_output(output, params=[])

    def _add(
        self, name: str, spec: MethodSpec, params: list[tuple[str, Parameter]], effects: list[tuple[str, Effect]]
    ) -> None:
        builder = self.builder
        method = Method(builder, spec, params, effects)
        with builder.function(name, attrs={"num_input": method.num_input}):
            with builder.dataflow():
                inputs, output = method.emit()
            made = builder.emit_func_output(output, inputs)
        loose = [v.name for v in _sunmao.free_vars(builder.get()[made])]
        if loose:
            raise fail("E0034", f"`{name}` uses `{loose[0]}`, which is none of its inputs",
                       "modules and parameters are attributes, or stand in nn.ModuleList and the like, not in lists of "
                       'Python; "param_mode" and "effect_mode" are not "none" where a method uses such')  # fmt: skip


def _need_unique(names: list[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise fail(
            "E0034", f"two parameters or effects are called `{twice[0]}`", "rename one of the attributes or keys"
        )


@checked
def add_extern(mod: ExternModule) -> None:
    """Adds an external module to what is exported now, once."""
    Exporter.current().add_external_module(mod)


__getattr__ = attribute_of(__name__)
