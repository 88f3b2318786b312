"""One exported method: the variables for its inputs, effects and parameters, and what it computes."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.frontend.nn import spec as specs
from sunmao.compat.relax.frontend.nn.effect import Effect
from sunmao.compat.relax.frontend.nn.parameter import Parameter
from sunmao.compat.relax.frontend.nn.subroutine import unwrapped
from sunmao.compat.relax.frontend.nn.tensor import Tensor, symbol_named, tensor_type
from sunmao.errors import fail


class Method:
    """Emits a method into a function whose dataflow block is open."""

    def __init__(
        self,
        builder: BlockBuilder,
        spec: specs.MethodSpec,
        params: list[tuple[str, Parameter]],
        effects: list[tuple[str, Effect]],
    ) -> None:
        self._builder, self._spec, self._params, self._effects = builder, spec, params, effects
        self._symbols: dict[str, _sunmao.SymVar] = {}

    @property
    def num_input(self) -> int:
        """How many parameters of the function are inputs or effects."""
        effects = {"plain": sum(len(effect.create(name)) for name, effect in self._effects), "packed": 1, "none": 0}
        return len(self._spec.arg_specs) + effects[self._spec.effect_mode]

    def emit(self) -> tuple[list[Any], Any]:
        """Returns the parameters of the function and its output."""
        named = list(zip(self._spec.arg_names, self._spec.arg_specs, strict=True))
        inputs = [make.var(name, self._type(name, spec)) for name, spec in named]
        state = self._state()
        weights = self._weights()
        args = {name: self._value(spec, var, name) for (name, spec), var in zip(named, inputs, strict=True)}
        result = unwrapped(self._spec.method(**args))
        left = [var for _, effect in self._effects for var in effect.finalize()]
        if left and self._spec.effect_mode != "none":
            result = make.tuple([result, make.tuple(left)])
        return [*inputs, *state, *weights], self._builder.emit_output(result)

    def _type(self, name: str, spec: Any) -> Any:
        if isinstance(spec, specs.Int):
            return make.shape_type([symbol_named(name, self._symbols)])
        if isinstance(spec, specs.Tensor):
            return tensor_type(spec.shape, spec.dtype, self._symbols)
        if isinstance(spec, specs.Tuple):
            return make.tuple_type([self._type(f"{name}_{i}", item) for i, item in enumerate(spec.elements)])
        if isinstance(spec, specs.Object):
            return make.any_type()
        raise fail("E0034", f"spec of `{name}`: {spec!r} is no spec of an argument")

    def _value(self, spec: Any, var: _sunmao.Var, name: str) -> Any:
        """Returns what the method gets for an input."""
        if isinstance(spec, specs.Int):
            return self._symbols[name]
        if isinstance(spec, specs.Tensor):
            return Tensor(_expr=var)
        if isinstance(spec, specs.Object):
            return spec.object_type(_expr=var, _name=name)
        items = []
        for i, item in enumerate(spec.elements):
            field = f"{name}_{i}"
            is_symbol = isinstance(item, specs.Int)
            part = var if is_symbol else self._builder.emit(make.tuple_get_item(var, i), field)
            items.append(self._value(item, part, field))
        return type(spec.elements)(items)

    def _state(self) -> list[Any]:
        """Gives the effects their state, and returns the parameters for it."""
        variables = [effect.create(name) for name, effect in self._effects]
        flat: list[Any] = [var for of_effect in variables for var in of_effect]
        if self._spec.effect_mode == "packed":
            packed = make.var("packed_effects", make.tuple_type([var.type for var in flat]))
            fields = iter([self._field(packed, i, var.name) for i, var in enumerate(flat)])
            variables = [[next(fields) for _ in of_effect] for of_effect in variables]
            flat = [packed]
        for (_, effect), state in zip(self._effects, variables, strict=True):
            effect.set_state(state)
        return [] if self._spec.effect_mode == "none" else flat

    def _weights(self) -> list[Any]:
        """Gives the parameters of the module their variables, and returns the parameters of the function for them.
        Symbols of one name are one symbol, in all of them."""
        symbols: dict[str, Any] = {}
        found = []
        for name, parameter in self._params:
            type = parameter._expr.type
            used = _sunmao.free_symbolic_vars(type.shape)
            own = {s: symbols.setdefault(s.name, make.sym_var(s.name, "int64")) for s in used}
            parameter._expr = make.var(name, _sunmao.substitute(type, own))
            found.append(parameter._expr)
        if self._spec.param_mode == "packed":
            packed = make.var("packed_params", make.tuple_type([var.type for var in found]))
            for i, (name, parameter) in enumerate(self._params):
                parameter._expr = self._field(packed, i, name)
            return [packed]
        return found if self._spec.param_mode == "plain" else []

    def _field(self, packed: _sunmao.Var, i: int, name: str) -> _sunmao.Var:
        return self._builder.emit(make.tuple_get_item(packed, i), name.replace(".", "_"))


__getattr__ = attribute_of(__name__)
