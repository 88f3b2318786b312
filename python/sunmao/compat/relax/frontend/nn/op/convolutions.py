"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.op.manipulation import reshaped
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested
from sunmao.errors import fail


def _with_bias(found: Any, bias: Tensor | None, layout: str, name: str) -> Tensor:
    """Adds a bias of one element for each channel."""
    if bias is not None:
        if layout.find("C") not in (1, len(layout) - 1):
            raise fail(
                "E0034", f"{name}: a bias cannot be added in the layout `{layout}`", "channels are axis 1 or last"
            )
        found = relax_op.add(found, reshaped(bias._expr, [-1 if axis == "C" else 1 for axis in layout]))
    return wrap_nested(found, name)


@checked
def conv1d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    name: str = "conv1d",
) -> Tensor:
    found = relax_op.nn.conv1d(x._expr, weight._expr, stride, padding, dilation, groups)
    return _with_bias(found, bias, "NCW", name)


@checked
def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_layout: str = "NCHW",
    name: str = "conv2d",
) -> Tensor:
    found = relax_op.nn.conv2d(x._expr, weight._expr, stride, padding, dilation, groups, data_layout=data_layout)
    return _with_bias(found, bias, data_layout, name)


@checked
def conv3d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    data_layout: str = "NCDHW",
    name: str = "conv3d",
) -> Tensor:
    found = relax_op.nn.conv3d(x._expr, weight._expr, stride, padding, dilation, groups, data_layout=data_layout)
    return _with_bias(found, bias, data_layout, name)


@checked
def conv1d_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    stride: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    output_padding: int | Sequence[int] = 0,
    dilation: int | Sequence[int] = 1,
    groups: int = 1,
    name: str = "conv1d_transpose",
) -> Tensor:
    found = relax_op.nn.conv1d_transpose(x._expr, weight._expr, stride, padding, output_padding, dilation, groups)
    return _with_bias(found, bias, "NCW", name)


__getattr__ = attribute_of(__name__)
