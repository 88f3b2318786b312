"""Modules whose `forward` becomes a function of its own, which callers call: `define_subroutine = True`."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.frontend.nn.effect import Object
from sunmao.compat.relax.frontend.nn.tensor import Tensor, current_builder, wrap_nested
from sunmao.errors import fail


class SubroutineMixin:
    """The base of modules. In a class with `define_subroutine = True` a call of `forward` emits a private function, and
    a call of it; modules whose functions are the same share one. Its parameters are the tensors among the arguments,
    then the parameters of the module; other arguments are fixed in it."""

    define_subroutine: bool = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        forward = vars(cls).get("forward")
        if inspect.isfunction(forward):
            cls.forward = _dispatching(forward)


def _dispatching(forward: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `forward` such that it becomes a function where the class asks for it."""
    signature = inspect.signature(forward)

    @functools.wraps(forward)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if not self.define_subroutine:
            return forward(self, *args, **kwargs)
        given = signature.bind(self, *args, **kwargs)
        return _Subroutine(self, forward, given).call()

    return call


class _Subroutine:
    """A call of `forward` as a function."""

    def __init__(self, module: Any, forward: Callable[..., Any], given: inspect.BoundArguments) -> None:
        self._module, self._forward, self._given = module, forward, given
        self._name = _snake_case(type(module).__name__)
        self._args: list[_sunmao.Expr] = []  # what the caller passes, beside the weights
        self._params: list[_sunmao.Var] = []  # the parameters of the function

    def call(self) -> Any:
        builder = current_builder()
        inside = inspect.BoundArguments(self._given.signature, self._given.arguments.copy())
        for name, value in list(inside.arguments.items())[1:]:
            inside.arguments[name] = self._parameter(name, value)
        weights = list(self._module.parameters())
        passed = [parameter._expr for parameter in weights]
        for name, parameter in list(self._module.named_parameters()):
            parameter._expr = self._own_variable(name, parameter._expr)
        try:
            function = self._function(builder, inside)
        finally:
            for parameter, expr in zip(weights, passed, strict=True):
                parameter._expr = expr
        made = make.call(function, [*self._args, *passed], {}, [])
        return wrap_nested(builder.emit(made, f"{self._name}_output"), self._name)

    def _parameter(self, name: str, value: Any) -> Any:
        """Returns what stands for an argument in the function: parameters for tensors and expressions."""
        if isinstance(value, Tensor):
            return Tensor(_expr=self._parameter(name, value._expr))
        if isinstance(value, _sunmao.Expr):
            self._args.append(value)
            return self._own_variable(name, value)
        if isinstance(value, dict):
            return {key: self._parameter(f"{name}_{key}", item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return type(value)(self._parameter(f"{name}_{i}", item) for i, item in enumerate(value))
        return value

    def _own_variable(self, name: str, value: _sunmao.Expr) -> _sunmao.Var:
        variable: Any = make.var(name, value.type)
        self._params.append(variable)
        return variable

    def _function(self, builder: BlockBuilder, inside: inspect.BoundArguments) -> _sunmao.GlobalVar:
        """Emits the function. One that is structurally equal is there once."""
        is_dataflow = builder.current_block_is_dataflow()
        output: Any
        with builder.function(self._name, self._params, private=True):
            if is_dataflow:
                with builder.dataflow():
                    output = builder.emit_output(unwrapped(self._forward(*inside.args, **inside.kwargs)))
            else:
                output = unwrapped(self._forward(*inside.args, **inside.kwargs))
            made = builder.emit_func_output(output)
        function: Any = builder.get()[made]
        loose = [v.name for v in _sunmao.free_vars(function)] + [s.name for s in _sunmao.free_symbolic_vars(function)]
        if loose:
            raise fail("E0034", f"the subroutine `{self._name}` uses `{loose[0]}`, which is not its own",
                       "effects and symbols that no argument has cannot be used in a subroutine")  # fmt: skip
        builder.update_func(made, _sunmao.fresh_copy(function))
        return made


def unwrapped(value: Any) -> _sunmao.Expr:
    """Returns a result of a method as an expression."""
    if isinstance(value, Tensor | Object):
        return value._expr
    if isinstance(value, _sunmao.Expr):
        return value
    if isinstance(value, list | tuple):
        return make.tuple([unwrapped(item) for item in value])
    raise fail("E0034", f"a method of a module returns tensors, got a {type(value).__name__}")


def _snake_case(name: str) -> str:
    """Returns the name of a class as that of a function: `rms_norm` for RMSNorm."""
    parted = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", parted).lower()


__getattr__ = attribute_of(__name__)
