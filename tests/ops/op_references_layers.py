"""Reference implementations of convolutions, pools, norms and losses in NumPy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from op_references import lowest


def _windows(x: Any, size: Any, strides: Any, dilation: Any, padding: Any, fill: float) -> Any:
    """Returns all windows, as an array (batch, channels, *out, *size)."""
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


def conv(data: Any, weight: Any, **a: Any) -> Any:
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


def _ceiled(data: Any, pool_size: Any, strides: Any, dilation: Any, padding: Any, ceil_mode: bool) -> list[int]:
    """Returns for each axis how far the last window, which must begin inside the data or leading padding, exceeds the
    padding."""
    spatial, beyond = data.ndim - 2, []
    for i in range(spatial):
        length = data.shape[2 + i] + padding[i] + padding[i + spatial]
        span = dilation[i] * (pool_size[i] - 1) + 1
        last = -(-(length - span) // strides[i]) * strides[i]
        begins_inside = last < data.shape[2 + i] + padding[i]
        beyond.append(max(last + span - length, 0) if ceil_mode and begins_inside else 0)
    return beyond


def pool(is_max: bool) -> Callable[..., Any]:
    def apply(data: Any, **a: Any) -> Any:
        spatial = data.ndim - 2
        inside = tuple(range(-spatial, 0))
        size, rest = a["pool_size"], (a["strides"], a["dilation"])
        beyond = _ceiled(data, size, *rest, a["padding"], a["ceil_mode"])
        padding = [*a["padding"][:spatial], *(p + b for p, b in zip(a["padding"][spatial:], beyond, strict=True))]
        if is_max:
            return _windows(data, size, *rest, padding, lowest(data.dtype)).max(axis=inside)
        total = _windows(data, size, *rest, padding, 0).sum(axis=inside)
        # The mean divides by the number of data elements in the window and, if `count_include_pad` is set, of explicit
        # padding.
        ones, left = np.ones_like(data), padding
        if a["count_include_pad"]:
            widths = [(0, 0), (0, 0), *((a["padding"][i], a["padding"][i + spatial]) for i in range(spatial))]
            ones, left = np.pad(ones, widths, constant_values=1), [*[0] * spatial, *beyond]
        return total / _windows(ones, size, *rest, left, 0).sum(axis=inside)

    return apply


def layer_norm(data: Any, gamma: Any, beta: Any, **a: Any) -> Any:
    axes = tuple(a["axes"])
    mean = data.mean(axis=axes, keepdims=True)
    spread = np.sqrt(((data - mean) ** 2).mean(axis=axes, keepdims=True) + data.dtype.type(a["epsilon"]))
    return (data - mean) / spread * (gamma if a["scale"] else 1) + (beta if a["center"] else 0)


def rms_norm(data: Any, weight: Any, **a: Any) -> Any:
    square = (data**2).mean(axis=tuple(a["axes"]), keepdims=True)
    return data / np.sqrt(square + data.dtype.type(a["epsilon"])) * weight


def channel_norm(data: Any, gamma: Any, beta: Any, groups: int, epsilon: float) -> Any:
    """Normalises over the spatial axes and the channels of a group; the channel axis is the second one."""
    parts = data.reshape(data.shape[0], groups, -1)
    mean = parts.mean(axis=-1, keepdims=True)
    spread = np.sqrt(((parts - mean) ** 2).mean(axis=-1, keepdims=True) + data.dtype.type(epsilon))
    scale = (1, -1, *[1] * (data.ndim - 2))
    return ((parts - mean) / spread).reshape(data.shape) * gamma.reshape(scale) + beta.reshape(scale)


def batch_norm(data: Any, gamma: Any, beta: Any, mean: Any, var: Any, **a: Any) -> Any:
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


def conv_transpose(data: Any, weight: Any, **a: Any) -> Any:
    spatial = data.ndim - 2
    groups, strides, padding, dilation, more = (
        a[name] for name in ("groups", "strides", "padding", "dilation", "output_padding")
    )
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, weight.shape[2:], strict=True)]
    each, inside = weight.shape[1], data.shape[1] // groups
    full = [(n - 1) * s + k + m for n, s, k, m in zip(data.shape[2:], strides, spans, more, strict=True)]
    out = np.zeros((data.shape[0], each * groups, *full), data.dtype)
    for c, at in itertools.product(range(data.shape[1]), itertools.product(*map(range, data.shape[2:]))):
        first = c // inside * each
        place = tuple(slice(p * s, p * s + k, d) for p, s, k, d in zip(at, strides, spans, dilation, strict=True))
        part = data[(slice(None), c, *at)].reshape(-1, 1, *[1] * spatial) * weight[c]
        out[(slice(None), slice(first, first + each), *place)] += part
    cut = tuple(slice(padding[i], n - padding[i + spatial]) for i, n in enumerate(full))
    return out[(slice(None), slice(None), *cut)]


def _adaptive_window(at: Any, sizes: Any, output_size: Any) -> tuple[slice, ...]:
    """Returns the part of the data that makes the output at `at`."""
    return tuple(
        slice(k * n // parts, -((-(k + 1) * n) // parts)) for k, n, parts in zip(at, sizes, output_size, strict=True)
    )


def adaptive(reduce: Callable[..., Any]) -> Callable[..., Any]:
    def apply(data: Any, output_size: Any, **_: Any) -> Any:
        out = np.zeros((*data.shape[:2], *output_size), data.dtype)
        for at in np.ndindex(*output_size):
            window = data[(slice(None), slice(None), *_adaptive_window(at, data.shape[2:], output_size))]
            out[(slice(None), slice(None), *at)] = reduce(window.reshape(*data.shape[:2], -1), axis=-1)
        return out

    return apply


def adaptive_indices(data: Any, output_size: Any, **_: Any) -> Any:
    """Returns the index within its channel of the first maximum of each window; NaN is the largest value."""
    sizes, out = data.shape[2:], np.zeros((*data.shape[:2], *output_size), np.int64)
    places = np.arange(math.prod(sizes)).reshape(sizes)
    for at in np.ndindex(*output_size):
        window = _adaptive_window(at, sizes, output_size)
        rows = data[(slice(None), slice(None), *window)].reshape(*data.shape[:2], -1)
        out[(slice(None), slice(None), *at)] = places[window].reshape(-1)[rows.argmax(-1)]
    return out


def pool_indices(data: Any, **a: Any) -> Any:
    """Returns the index within its channel of the first maximum of each window; NaN is the largest value."""
    spatial, rest = data.ndim - 2, (a["pool_size"], a["strides"], a["dilation"])
    beyond = _ceiled(data, *rest, a["padding"], a["ceil_mode"])
    padding = [*a["padding"][:spatial], *(p + b for p, b in zip(a["padding"][spatial:], beyond, strict=True))]
    places = np.broadcast_to(np.arange(math.prod(data.shape[2:])).reshape(data.shape[2:]), data.shape)
    values, at = _windows(data, *rest, padding, 0), _windows(places, *rest, padding, -1)
    shape = values.shape[: data.ndim]
    flat = (math.prod(shape), math.prod(a["pool_size"]))
    rows = zip(values.reshape(flat), at.reshape(flat), strict=True)
    found = [p[p >= 0][v[p >= 0].argmax()] if (p >= 0).any() else -1 for v, p in rows]
    return np.array(found, np.int64).reshape(shape)


def nll_loss(predictions: Any, targets: Any, weights: Any = None, **a: Any) -> Any:
    axis = 0 if predictions.ndim == 1 else 1
    weights = np.ones(predictions.shape[axis], predictions.dtype) if weights is None else weights
    share = np.where(targets == a["ignore_index"], 0, weights[targets]).astype(predictions.dtype)
    taken = np.take_along_axis(predictions, np.expand_dims(targets, axis), axis).squeeze(axis)
    # Predictions of ignored targets may be NaN.
    each = np.where(targets == a["ignore_index"], 0, -taken * share)
    if a["reduction"] == "none":
        return each
    return each.sum() if a["reduction"] == "sum" else each.sum() / share.sum()


def pixel_shuffle(data: Any, upscale_factor: int) -> Any:
    r = upscale_factor
    n, c, h, w = data.shape
    return data.reshape(n, c // r // r, r, r, h, w).transpose(0, 1, 4, 2, 5, 3).reshape(n, c // r // r, h * r, w * r)
