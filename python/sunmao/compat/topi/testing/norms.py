"""Softmax, and normalisation by mean and variance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sunmao.arrays import NumPyArray


def softmax_python(a_np: NumPyArray, axis: int = 1) -> NumPyArray:
    parts = np.exp(a_np - a_np.max(axis, keepdims=True))
    out: NumPyArray = parts / parts.sum(axis, keepdims=True)
    return out


def log_softmax_python(a_np: NumPyArray, axis: int = 1) -> NumPyArray:
    shifted = a_np - a_np.max(axis, keepdims=True)
    out: NumPyArray = shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))
    return out


def _along(vector: NumPyArray, rank: int, axes: Sequence[int]) -> NumPyArray:
    """Returns a view of the vector whose axes are `axes` of a tensor of that rank."""
    places = [axis % rank for axis in axes]
    sizes = dict(zip(places, vector.shape, strict=True))
    return vector.transpose(np.argsort(places)).reshape([sizes.get(i, 1) for i in range(rank)])


def _standardized(data: NumPyArray, axes: Sequence[int], epsilon: float) -> NumPyArray:
    mean, variance = data.mean(tuple(axes), keepdims=True), data.var(tuple(axes), keepdims=True)
    out: NumPyArray = (data - mean) / np.sqrt(variance + epsilon)
    return out


def _scaled(data: NumPyArray, gamma: NumPyArray, beta: NumPyArray | None, axes: Sequence[int]) -> NumPyArray:
    out = data * _along(gamma, data.ndim, axes)
    return out if beta is None else out + _along(beta, data.ndim, axes)


def layer_norm_python(
    data: NumPyArray, gamma: NumPyArray, beta: NumPyArray | None, axis: Sequence[int], epsilon: float = 1e-5
) -> NumPyArray:
    """Normalises over `axis`, and scales there."""
    return _scaled(_standardized(data, axis, epsilon), gamma, beta, axis)


def instance_norm_python(
    data: NumPyArray, gamma: NumPyArray, beta: NumPyArray | None, axis: Sequence[int], epsilon: float = 1e-5
) -> NumPyArray:
    """Normalises each channel, axis 1, of each example over `axis`."""
    return _scaled(_standardized(data, axis, epsilon), gamma, beta, [1])


def group_norm_python(
    data: NumPyArray,
    gamma: NumPyArray,
    beta: NumPyArray | None,
    num_groups: int,
    channel_axis: int,
    axes: Sequence[int],
    epsilon: float = 1e-5,
) -> NumPyArray:
    """Normalises groups of channels, each over its channels and `axes`."""
    channel = channel_axis % data.ndim
    size = data.shape[channel]
    split = [*data.shape[:channel], num_groups, size // num_groups, *data.shape[channel + 1 :]]
    over = {axis % data.ndim for axis in axes} - {channel}
    inner = [channel + 1, *(axis if axis < channel else axis + 1 for axis in over)]
    out = _standardized(data.reshape(split), inner, epsilon).reshape(data.shape)
    return _scaled(out, gamma, beta, [channel])


def rms_norm_python(data: NumPyArray, weight: NumPyArray, axis: Sequence[int], epsilon: float = 1e-5) -> NumPyArray:
    """Divides by the root of the mean square over `axis`, and scales there."""
    mean = np.square(data).mean(tuple(axis), keepdims=True)
    return _scaled(data / np.sqrt(mean + epsilon), weight, None, axis)


def l2_normalize_python(a_np: NumPyArray, eps: float, axis: Sequence[int] | None = None) -> NumPyArray:
    """Divides by the norm over `axis`, or over everything; squares are at least `eps`."""
    squares = np.square(a_np).sum(None if axis is None else tuple(axis), keepdims=True)
    out: NumPyArray = a_np / np.sqrt(np.maximum(squares, eps))
    return out
