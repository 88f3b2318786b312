"""Activations as modules."""

from __future__ import annotations

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn import op
from sunmao.compat.relax.frontend.nn.module import Module
from sunmao.compat.relax.frontend.nn.tensor import Tensor


class ReLU(Module):
    def forward(self, x: Tensor) -> Tensor:
        return op.relu(x)


class SiLU(Module):
    def forward(self, x: Tensor) -> Tensor:
        return op.silu(x)


class GELU(Module):
    def forward(self, x: Tensor) -> Tensor:
        return op.gelu(x)


class Identity(Module):
    """Gives what it takes."""

    def forward(self, x: Tensor) -> Tensor:
        return x


__getattr__ = attribute_of(__name__)
