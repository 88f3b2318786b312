"""Convolutions as modules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn import op
from sunmao.compat.relax.frontend.nn.module import Module
from sunmao.compat.relax.frontend.nn.parameter import Parameter
from sunmao.compat.relax.frontend.nn.tensor import Tensor
from sunmao.errors import fail


def _per_group(channels: Any, groups: int) -> Any:
    if isinstance(channels, int) and channels % groups:
        raise fail("E0034", f"{channels} channels do not divide into {groups} groups")
    return channels if groups == 1 else channels // groups


class Conv1D(Module):
    """A convolution of signals of shape (n, in_channels, width)."""

    @checked
    def __init__(
        self,
        in_channels: int | _sunmao.Scalar,
        out_channels: int | _sunmao.Scalar,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
        dtype: str | None = None,
    ) -> None:
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, kernel_size
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self.weight = Parameter((out_channels, _per_group(in_channels, groups), kernel_size), dtype)
        self.bias = Parameter((out_channels,), dtype) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return op.conv1d(x, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class _OfImages(Module):
    """A convolution over several axes, each with a size of its own or all with one."""

    _axes: ClassVar[int]
    _default_layout: ClassVar[str]

    @checked
    def __init__(
        self,
        in_channels: int | _sunmao.Scalar,
        out_channels: int | _sunmao.Scalar,
        kernel_size: int | Sequence[int],
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] = 0,
        dilation: int | Sequence[int] = 1,
        groups: int = 1,
        bias: bool = True,
        dtype: str | None = None,
        data_layout: str | None = None,
    ) -> None:
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size = [kernel_size] * self._axes if isinstance(kernel_size, int) else list(kernel_size)
        self.stride, self.padding, self.dilation, self.groups = stride, padding, dilation, groups
        self.data_layout = data_layout or self._default_layout
        self.weight = Parameter((out_channels, _per_group(in_channels, groups), *self.kernel_size), dtype)
        self.bias = Parameter((out_channels,), dtype) if bias else None


class Conv2D(_OfImages):
    """A convolution of images in `data_layout`, "NCHW" if none is given."""

    _axes, _default_layout = 2, "NCHW"

    def forward(self, x: Tensor) -> Tensor:
        sizes = (self.stride, self.padding, self.dilation, self.groups)
        return op.conv2d(x, self.weight, self.bias, *sizes, self.data_layout)


class Conv3D(_OfImages):
    """A convolution of volumes in `data_layout`, "NCDHW" if none is given."""

    _axes, _default_layout = 3, "NCDHW"

    def forward(self, x: Tensor) -> Tensor:
        sizes = (self.stride, self.padding, self.dilation, self.groups)
        return op.conv3d(x, self.weight, self.bias, *sizes, self.data_layout)


class ConvTranspose1D(Module):
    """A transposed convolution of signals of shape (n, in_channels, width)."""

    @checked
    def __init__(
        self,
        in_channels: int | _sunmao.Scalar,
        out_channels: int | _sunmao.Scalar,
        kernel_size: int,
        stride: int = 1,
        padding: int = 0,
        output_padding: int = 0,
        dilation: int = 1,
        groups: int = 1,
        bias: bool = True,
        dtype: str | None = None,
    ) -> None:
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, kernel_size
        self.stride, self.padding, self.output_padding = stride, padding, output_padding
        self.dilation, self.groups = dilation, groups
        self.weight = Parameter((in_channels, _per_group(out_channels, groups), kernel_size), dtype)
        self.bias = Parameter((out_channels,), dtype) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        sizes = (self.stride, self.padding, self.output_padding, self.dilation, self.groups)
        return op.conv1d_transpose(x, self.weight, self.bias, *sizes)


__getattr__ = attribute_of(__name__)
