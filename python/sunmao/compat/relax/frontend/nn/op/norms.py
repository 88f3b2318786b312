"""Normalisations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.expr import const
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested
from sunmao.errors import fail


def _scale(weight: Tensor | None, shape: Sequence[int], dtype: str, value: float) -> Any:
    """Returns the weight, or a constant in its place."""
    return const(np.full(shape, value), dtype) if weight is None else weight._expr


@checked
def layer_norm(
    x: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    name: str = "layer_norm",
) -> Tensor:
    """Normalises over the last dimensions, which are of `normalized_shape`."""
    sizes = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
    gamma, beta = _scale(weight, sizes, x.dtype, 1), _scale(bias, sizes, x.dtype, 0)
    axes = list(range(-len(sizes), 0))
    return wrap_nested(relax_op.nn.layer_norm(x._expr, gamma, beta, axes=axes, epsilon=eps), name)


@checked
def rms_norm(
    x: Tensor, weight: Tensor, axes: int | Sequence[int], epsilon: float = 1e-5, name: str = "rms_norm"
) -> Tensor:
    """Divides by the root mean square over `axes`, and multiplies by the weight."""
    return wrap_nested(relax_op.nn.rms_norm(x._expr, weight._expr, axes, epsilon), name)


@checked
def group_norm(
    x: Tensor,
    num_groups: int,
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float = 1e-5,
    channel_axis: int = 1,
    axes: Sequence[int] | None = None,
    name: str = "group_norm",
) -> Tensor:
    """Normalises groups of channels, over them and `axes`; without these over all from the third dimension on."""
    if not -x.ndim <= channel_axis < x.ndim:
        raise fail(
            "E0034", f"{name}: `channel_axis` is {channel_axis}, got {x!r}", f"axes are in [{-x.ndim}, {x.ndim - 1}]"
        )
    channels = [x.shape[channel_axis]]
    found = relax_op.nn.group_norm(
        x._expr,
        _scale(weight, channels, x.dtype, 1),
        _scale(bias, channels, x.dtype, 0),
        num_groups,
        channel_axis=channel_axis,
        axes=list(range(2, x.ndim)) if axes is None else axes,
        epsilon=eps,
    )
    return wrap_nested(found, name)


__getattr__ = attribute_of(__name__)
