"""Reference implementations in NumPy of linear systems, embedding bags, histograms, and overlapping or sliding
windows."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np


def triangular_solve(a: Any, b: Any, upper: bool, transposed: bool, unit_diagonal: bool) -> Any:
    t = np.triu(a) if upper else np.tril(a)
    if unit_diagonal:
        t = t - t * np.eye(a.shape[-1]) + np.eye(a.shape[-1])
    return np.linalg.solve(np.swapaxes(t, -1, -2) if transposed else t, b)


def cholesky(a: Any) -> Any:
    """Textbook algorithm: NumPy's raises for a matrix that is not positive definite, where this yields NaN."""
    out = np.zeros_like(a)
    for at in np.ndindex(a.shape[:-2]):
        for i in range(a.shape[-1]):
            for j in range(i + 1):
                rest = a[(*at, i, j)] - out[(*at, i)] @ out[(*at, j)]
                out[(*at, i, j)] = np.sqrt(rest) if i == j else rest / out[(*at, j, j)]
    return out


def embedding_bag(weight: Any, indices: Any, offsets: Any, scale: Any = None, *, mode: str, padding_idx: int,
                   include_last_offset: bool) -> Any:  # fmt: skip
    bounds = list(offsets) if include_last_offset else [*offsets, len(indices)]
    out = np.zeros((len(bounds) - 1, weight.shape[1]), weight.dtype)
    for bag, (begin, end) in enumerate(itertools.pairwise(bounds)):
        places = [i for i in range(begin, end) if indices[i] != padding_idx]
        rows = np.array([weight[indices[i]] * (1 if scale is None else scale[i]) for i in places])
        if places:
            out[bag] = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode](rows, axis=0)
    return out


def histogram(x: Any, bins: int, min: float, max: float) -> Any:
    return np.histogram(x[np.isfinite(x)], bins, (min, max))[0].astype(x.dtype)


def col2im(x: Any, output_size: Any, kernel_size: Any, strides: Any, padding: Any, dilation: Any) -> Any:
    (height, width), (rows, columns) = output_size, kernel_size
    channels = x.shape[1] // (rows * columns)
    image = np.zeros((x.shape[0], channels, height + 2 * padding[0], width + 2 * padding[1]), np.float64)
    tops = range(0, image.shape[2] - dilation[0] * (rows - 1), strides[0])
    lefts = range(0, image.shape[3] - dilation[1] * (columns - 1), strides[1])
    taps = x.reshape(x.shape[0], channels, rows, columns, len(tops), len(lefts))
    for (i, top), (j, left), r, c in itertools.product(enumerate(tops), enumerate(lefts), range(rows), range(columns)):
        image[:, :, top + r * dilation[0], left + c * dilation[1]] += taps[:, :, r, c, i, j]
    return image[:, :, padding[0] : padding[0] + height, padding[1] : padding[1] + width].astype(x.dtype)


def _bilinear(plane: Any, y: float, x: float) -> float:
    total = 0.0
    for i, j in itertools.product((math.floor(y), math.floor(y) + 1), (math.floor(x), math.floor(x) + 1)):
        if 0 <= i < plane.shape[0] and 0 <= j < plane.shape[1]:
            total += (1 - abs(y - i)) * (1 - abs(x - j)) * plane[i, j]
    return total


def deform_conv2d(data: Any, offset: Any, weight: Any, mask: Any = None, *, strides: Any, padding: Any, dilation: Any,
                   groups: int, offset_groups: int) -> Any:  # fmt: skip
    filters, width, rows, columns = weight.shape
    out = np.zeros((data.shape[0], filters, *offset.shape[2:]))
    for n, f, y, x in np.ndindex(out.shape):
        for c, r, k in np.ndindex(width, rows, columns):
            channel = f // (filters // groups) * width + c
            tap = (channel // (data.shape[1] // offset_groups) * rows + r) * columns + k
            down, right = offset[n, 2 * tap : 2 * tap + 2, y, x].astype(np.float64)
            value = _bilinear(data[n, channel], y * strides[0] + r * dilation[0] - padding[0] + down,
                              x * strides[1] + k * dilation[1] - padding[1] + right)  # fmt: skip
            out[n, f, y, x] += value * weight[f, c, r, k] * (1 if mask is None else mask[n, tap, y, x])
    return out.astype(data.dtype)
