"""A small library of layers for building functions with a BlockBuilder: each emits what it computes into the function
under construction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao.compat import topi
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.type import TensorType
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.expr import Var
from sunmao.compat.runtime.tensors import Tensor, tensor
from sunmao.errors import fail


def _builder() -> BlockBuilder:
    found = BlockBuilder.current()
    if found is None:
        raise fail("E0034", "no function is under construction", "write `with builder.function(name):` around it")
    return found


def emit(expr: Any, name_hint: str = "") -> _sunmao.Var:
    return _builder().emit(expr, name_hint=name_hint)


def emit_te(func: Callable[..., Any], *args: Any, **kwargs: Any) -> _sunmao.Var:
    return _builder().emit_te(func, *args, **kwargs)


def _variable(shape: Sequence[Any], dtype: str, name: str) -> _sunmao.Var:
    builder = BlockBuilder.current()
    unique = builder.get_unique_name(name) if builder is not None else name
    return Var.make(unique, TensorType(shape, dtype))


@checked
def Placeholder(shape: Sequence[Any], dtype: str = "float32", name: str = "data") -> _sunmao.Var:
    """Returns a variable for an input of the function."""
    return _variable(shape, dtype, name)


@checked
def Parameter(shape: Sequence[Any], dtype: str = "float32", name: str = "param") -> _sunmao.Var:
    """Returns a variable for a weight of the function."""
    return _variable(shape, dtype, name)


class Module:
    """A layer: `forward` says what it computes. Its weights are the variables that it and its parts hold."""

    def parameters(self) -> list[_sunmao.Var]:
        return _variables_in(vars(self))

    def forward(self, *_args: Any, **_named: Any) -> Any:
        raise fail("E0034", f"the layer {type(self).__name__} has no `forward`", "define it: it says what is computed")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.forward(*args, **kwargs)


def _variables_in(value: Any) -> list[_sunmao.Var]:
    if isinstance(value, _sunmao.Var):
        return [value]
    if isinstance(value, Module):
        return value.parameters()
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else []
    return [found for item in items for found in _variables_in(item)]


class Sequential(Module):
    """Layers one after the other."""

    def __init__(self, *modules: Module) -> None:
        self.modules = modules

    def forward(self, input: Any) -> Any:
        for module in self.modules:
            input = module(input)
        return input


class ReLU(Module):
    def forward(self, input: Any) -> _sunmao.Var:
        return emit_te(topi.nn.relu, input)


class LogSoftmax(Module):
    def forward(self, input: Any) -> _sunmao.Var:
        return emit(op.nn.log_softmax(input))


class Linear(Module):
    """A product with a weight of shape (in, out), and a sum with a bias."""

    @checked
    def __init__(self, in_features: int, out_features: int, bias: bool = True) -> None:
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter((in_features, out_features), name="linear_weight")
        self.bias = Parameter((out_features,), name="linear_bias") if bias else None

    def forward(self, input: Any) -> _sunmao.Var:
        product = emit_te(topi.matmul, input, self.weight)
        return product if self.bias is None else emit_te(topi.add, product, self.bias)


@checked
def init_params(mod: IRModule) -> list[Tensor]:
    """Returns zeros for the parameters of `main` whose name does not begin with `data`."""
    out = []
    for param in mod["main"].params:
        if param.name.startswith("data"):
            continue
        dims = getattr(param.type, "shape", None)
        sizes = [getattr(d, "value", None) for d in dims or ()]
        if dims is None or not all(isinstance(size, int) for size in sizes):
            raise fail("E0034", f"`{param.name}` has sizes that are not known: {param.type!r}")
        out.append(tensor(np.zeros(sizes, param.type.dtype)))
    return out


__getattr__ = attribute_of(__name__)
