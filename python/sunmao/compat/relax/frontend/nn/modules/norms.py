"""Normalisations as modules."""

from __future__ import annotations

from collections.abc import Sequence

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn import op
from sunmao.compat.relax.frontend.nn.module import Module
from sunmao.compat.relax.frontend.nn.parameter import Parameter
from sunmao.compat.relax.frontend.nn.tensor import Tensor


class LayerNorm(Module):
    """Normalises over the last dimension, by mean and variance."""

    @checked
    def __init__(
        self, normalized_shape: int, eps: float = 1e-5, elementwise_affine: bool = True, dtype: str | None = None
    ) -> None:
        self.normalized_shape, self.eps, self.elementwise_affine = normalized_shape, eps, elementwise_affine
        self.weight = Parameter((normalized_shape,), dtype) if elementwise_affine else None
        self.bias = Parameter((normalized_shape,), dtype) if elementwise_affine else None

    def forward(self, x: Tensor) -> Tensor:
        return op.layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(Module):
    """Divides by the root mean square over `axes`."""

    @checked
    def __init__(
        self,
        hidden_size: int,
        axes: int | Sequence[int],
        epsilon: float = 1e-5,
        bias: bool = True,
        dtype: str | None = None,
    ) -> None:
        self.axes, self.epsilon = axes, epsilon
        self.weight = Parameter((hidden_size,), dtype)
        self.bias = Parameter((hidden_size,), dtype) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        normal = op.rms_norm(x, self.weight, self.axes, self.epsilon)
        return normal if self.bias is None else op.add(normal, self.bias)


class GroupNorm(Module):
    """Normalises groups of channels."""

    @checked
    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True, dtype: str | None = None
    ) -> None:
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight = Parameter((num_channels,), dtype) if affine else None
        self.bias = Parameter((num_channels,), dtype) if affine else None

    def forward(self, x: Tensor, channel_axis: int = 1, axes: Sequence[int] | None = None) -> Tensor:
        """`axes` are normalised beside the channels; without them all from the third on."""
        return op.group_norm(x, self.num_groups, self.weight, self.bias, self.eps, channel_axis, axes)


__getattr__ = attribute_of(__name__)
