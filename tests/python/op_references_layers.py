"""What convolutions, pools, norms and losses mean, in NumPy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np


def _windows(x: Any, size: Any, strides: Any, dilation: Any, padding: Any, fill: float) -> Any:
    """All windows: (batch, channels, *out, *size)."""
    spatial = len(size)
    pad = [(0, 0), (0, 0)] + [(padding[i], padding[i + spatial]) for i in range(spatial)]
    x = np.pad(x, pad, constant_values=fill)
    out = [(x.shape[2 + i] - dilation[i] * (size[i] - 1) - 1) // strides[i] + 1 for i in range(spatial)]
    windows = np.empty((*x.shape[:2], *out, *size), x.dtype)
    for at in itertools.product(*map(range, out)):
        cut = tuple(
            slice(p * s, p * s + d * (k - 1) + 1, d) for p, s, d, k in zip(at, strides, dilation, size, strict=True)
        )
        windows[(slice(None), slice(None), *at)] = x[(slice(None), slice(None), *cut)]
    return windows


def _conv(data: Any, weight: Any, **a: Any) -> Any:
    spatial = data.ndim - 2
    windows = _windows(data, weight.shape[2:], a["strides"], a["dilation"], a["padding"], 0)
    groups, filters = a["groups"], weight.shape[0]
    inside = tuple(range(-spatial, 0))
    out = []
    for f in range(filters):
        begin = f // (filters // groups) * weight.shape[1]
        part = windows[:, begin : begin + weight.shape[1]]
        kernel = weight[f].reshape(weight.shape[1], *[1] * spatial, *weight.shape[2:])
        out.append((part * kernel).sum(axis=(1, *inside)))
    return np.stack(out, axis=1)


def _pool(is_max: bool) -> Callable[..., Any]:
    def apply(data: Any, **a: Any) -> Any:
        spatial = data.ndim - 2
        inside = tuple(range(-spatial, 0))
        size, rest = a["pool_size"], (a["strides"], a["dilation"], a["padding"])
        if is_max:
            return _windows(data, size, *rest, -np.inf).max(axis=inside)
        total = _windows(data, size, *rest, 0).sum(axis=inside)
        ones = np.ones_like(data) if not a["count_include_pad"] else None
        if ones is None:
            return total / math.prod(size)
        return total / _windows(ones, size, *rest, 0).sum(axis=inside)

    return apply


def _layer_norm(data: Any, gamma: Any, beta: Any, **a: Any) -> Any:
    axes = tuple(a["axes"])
    mean = data.mean(axis=axes, keepdims=True)
    spread = np.sqrt(((data - mean) ** 2).mean(axis=axes, keepdims=True) + data.dtype.type(a["epsilon"]))
    return (data - mean) / spread * (gamma if a["scale"] else 1) + (beta if a["center"] else 0)


def _rms_norm(data: Any, weight: Any, **a: Any) -> Any:
    square = (data**2).mean(axis=tuple(a["axes"]), keepdims=True)
    return data / np.sqrt(square + data.dtype.type(a["epsilon"])) * weight


def _channel_norm(data: Any, gamma: Any, beta: Any, groups: int, epsilon: float) -> Any:
    """Over the spatial axes and the channels of a group; the channels are the second axis."""
    parts = data.reshape(data.shape[0], groups, -1)
    mean = parts.mean(axis=-1, keepdims=True)
    spread = np.sqrt(((parts - mean) ** 2).mean(axis=-1, keepdims=True) + data.dtype.type(epsilon))
    scale = (1, -1, *[1] * (data.ndim - 2))
    return ((parts - mean) / spread).reshape(data.shape) * gamma.reshape(scale) + beta.reshape(scale)


def _batch_norm(data: Any, gamma: Any, beta: Any, mean: Any, var: Any, **a: Any) -> Any:
    scale = (1, -1, *[1] * (data.ndim - 2))
    real = data.dtype.type
    if a["training"]:
        own_mean, own_var = (f(data, axis=(0, *range(2, data.ndim))) for f in (np.mean, np.var))
        share = real(a["momentum"])
        after = (mean * (1 - share) + own_mean * share, var * (1 - share) + own_var * share)
    else:
        own_mean, own_var, after = mean, var, (mean, var)
    plain = (data - own_mean.reshape(scale)) / np.sqrt(own_var.reshape(scale) + real(a["epsilon"]))
    return (plain * gamma.reshape(scale) + beta.reshape(scale), *after)


def _conv_transpose(data: Any, weight: Any, **a: Any) -> Any:
    spatial = data.ndim - 2
    groups, strides, padding = a["groups"], a["strides"], a["padding"]
    size = weight.shape[2:]
    each = weight.shape[1]
    full = [(n - 1) * s + k for n, s, k in zip(data.shape[2:], strides, size, strict=True)]
    out = np.zeros((data.shape[0], each * groups, *full), data.dtype)
    inside = data.shape[1] // groups
    for c, at in itertools.product(range(data.shape[1]), itertools.product(*map(range, data.shape[2:]))):
        first = c // inside * each
        place = tuple(slice(p * s, p * s + k) for p, s, k in zip(at, strides, size, strict=True))
        part = data[(slice(None), c, *at)].reshape(-1, 1, *[1] * spatial) * weight[c]
        out[(slice(None), slice(first, first + each), *place)] += part
    cut = tuple(slice(padding[i], n - padding[i + spatial]) for i, n in enumerate(full))
    return out[(slice(None), slice(None), *cut)]


def _adaptive(reduce: Callable[..., Any]) -> Callable[..., Any]:
    def apply(data: Any, output_size: Any, **_: Any) -> Any:
        out = data
        for i, parts in enumerate(output_size):
            axis = i + 2
            n = data.shape[axis]
            borders = [(k * n // parts, -((-(k + 1) * n) // parts)) for k in range(parts)]
            reduced = [reduce(np.take(out, range(b, e), axis), axis=axis) for b, e in borders]
            out = np.stack(reduced, axis).astype(data.dtype)
        return out

    return apply


def _pool_indices(data: Any, **a: Any) -> Any:
    """Where the first of the largest elements of each window stands in its channel; NaN is the largest."""
    rest = (a["pool_size"], a["strides"], a["dilation"], a["padding"])
    places = np.broadcast_to(np.arange(math.prod(data.shape[2:])).reshape(data.shape[2:]), data.shape)
    values, at = _windows(data, *rest, 0), _windows(places, *rest, -1)
    shape = values.shape[: data.ndim]
    rows = zip(values.reshape(math.prod(shape), -1), at.reshape(math.prod(shape), -1), strict=True)
    return np.array([p[p >= 0][v[p >= 0].argmax()] for v, p in rows], np.int64).reshape(shape)


def _nll_loss(predictions: Any, targets: Any, weights: Any, reduction: str, ignore_index: int) -> Any:
    each = -np.take_along_axis(predictions, targets[:, None], 1)[:, 0] * weights[targets]
    if reduction == "none":
        return each
    return each.sum() if reduction == "sum" else each.sum() / weights[targets].sum()


def _pixel_shuffle(data: Any, upscale_factor: int) -> Any:
    r = upscale_factor
    n, c, h, w = data.shape
    return data.reshape(n, c // r // r, r, r, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // r // r, h * r, w * r)


LAYERS: dict[str, Callable[..., Any]] = {
    **{f"nn.conv{i}d": _conv for i in (1, 2, 3)},
    **{f"nn.max_pool{i}d": _pool(True) for i in (1, 2, 3)},
    **{f"nn.avg_pool{i}d": _pool(False) for i in (1, 2, 3)},
    **{f"nn.conv{i}d_transpose": _conv_transpose for i in (1, 2, 3)},
    **{f"nn.max_pool{i}d_indices": _pool_indices for i in (1, 2, 3)},
    **{f"nn.adaptive_avg_pool{i}d": _adaptive(np.mean) for i in (1, 2, 3)},
    **{f"nn.adaptive_max_pool{i}d": _adaptive(np.max) for i in (1, 2, 3)},
    "nn.layer_norm": _layer_norm,
    "nn.rms_norm": _rms_norm,
    "nn.batch_norm": _batch_norm,
    "nn.group_norm": lambda x, g, b, num_groups, epsilon, **_: _channel_norm(x, g, b, num_groups, epsilon),
    "nn.instance_norm": lambda x, g, b, epsilon, **_: _channel_norm(x, g, b, x.shape[1], epsilon),
    "nn.cross_entropy_with_logits": lambda x, y: -(x * y).sum() / (x.shape[0] if x.ndim == 2 else 1),
    "nn.nll_loss": _nll_loss,
    "nn.pixel_shuffle": _pixel_shuffle,
    "nn.batch_flatten": lambda x, **_: x.reshape(x.shape[0], math.prod(x.shape[1:])),
}
