"""Activations."""

from __future__ import annotations

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested
from sunmao.errors import fail


@checked
def relu(x: Tensor, name: str = "relu") -> Tensor:
    return wrap_nested(relax_op.nn.relu(x._expr), name)


@checked
def relu6(x: Tensor, name: str = "relu6") -> Tensor:
    return wrap_nested(relax_op.nn.relu6(x._expr), name)


@checked
def silu(x: Tensor, name: str = "silu") -> Tensor:
    return wrap_nested(relax_op.nn.silu(x._expr), name)


@checked
def gelu(x: Tensor, approximate: str | None = None, name: str = "gelu") -> Tensor:
    """Computes GELU by the error function, or with "tanh" its approximation by that."""
    if approximate not in (None, "none", "tanh"):
        raise fail("E0034", f"gelu: `approximate` is {approximate!r}", 'there are None, "none" and "tanh"')
    function = relax_op.nn.gelu_tanh if approximate == "tanh" else relax_op.nn.gelu
    return wrap_nested(function(x._expr), name)


@checked
def sigmoid(x: Tensor, name: str = "sigmoid") -> Tensor:
    return wrap_nested(relax_op.sigmoid(x._expr), name)


@checked
def tanh(x: Tensor, name: str = "tanh") -> Tensor:
    return wrap_nested(relax_op.tanh(x._expr), name)


@checked
def softmax(x: Tensor, axis: int = -1, name: str = "softmax") -> Tensor:
    return wrap_nested(relax_op.nn.softmax(x._expr, axis), name)


@checked
def softplus(x: Tensor, beta: float = 1.0, threshold: float = 20.0, name: str = "softplus") -> Tensor:
    return wrap_nested(relax_op.nn.softplus(x._expr, beta=beta, threshold=threshold), name)


@checked
def prelu(x: Tensor, alpha: Tensor, name: str = "prelu") -> Tensor:
    """Multiplies what is below 0 by `alpha`, which has an element for each channel (axis 1)."""
    return wrap_nested(relax_op.nn.prelu(x._expr, alpha._expr), name)


__getattr__ = attribute_of(__name__)
