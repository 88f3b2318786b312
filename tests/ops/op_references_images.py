"""Reference implementations of image ops in NumPy: ONNX's Resize, PyTorch's affine_grid and grid_sample."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


def _places(mode: str, size: int, wanted: int, start: float, end: float) -> Any:
    at = np.arange(wanted, dtype=np.float64)
    if mode == "align_corners":
        return at * (size - 1) / max(wanted - 1, 1)
    if mode == "asymmetric":
        return at * size / wanted
    if mode == "tf_half_pixel_for_nn":
        return (at + 0.5) * size / wanted
    if mode == "tf_crop_and_resize":
        if wanted == 1:
            return np.full(1, 0.5 * (start + end) * (size - 1))
        return start * (size - 1) + at * (end - start) * (size - 1) / (wanted - 1)
    if mode == "pytorch_half_pixel" and wanted == 1:
        return np.zeros(1)
    return (at + 0.5) * size / wanted - 0.5


def _nearest(place: Any, how: str) -> Any:
    """Rounds a coordinate; one within 1e-5 of the border between two pixels is treated as being on the border."""
    near = np.round(place * 2) / 2
    place = np.where(np.abs(place - near) < 1e-5, near, place)
    if how in ("floor", "ceil"):
        return np.floor(place) if how == "floor" else np.ceil(place)
    return np.ceil(place - 0.5) if how == "round_prefer_floor" else np.floor(place + 0.5)


def _cubic(distance: Any, a: float) -> Any:
    d = np.abs(distance)
    near = (a + 2) * d**3 - (a + 3) * d**2 + 1
    far = a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _taps(place: Any, size: int, **a: Any) -> tuple[list[Any], list[Any]]:
    if a["method"] == "nearest_neighbor":
        how = a["rounding_method"]
        if not how:
            how = "round" if a["coordinate_transformation_mode"] == "align_corners" else "floor"
        return [_nearest(place, how)], [np.ones_like(place)]
    low = np.floor(place)
    if a["method"] == "linear":
        return [low, low + 1], [1 - (place - low), place - low]
    indices = [low + i for i in (-1, 0, 1, 2)]
    weights = [_cubic(place - i, a["cubic_alpha"]) for i in indices]
    if a["cubic_exclude"]:
        weights = [np.where((i >= 0) & (i < size), w, 0) for i, w in zip(indices, weights, strict=True)]
        total = sum(weights)
        weights = [w / total for w in weights]
    return indices, weights


def resize(data: Any, size: Any, **a: Any) -> Any:
    out, outside = data, np.zeros((), bool)
    mode, spatial = a["coordinate_transformation_mode"], len(size)
    for i, wanted in enumerate(size):
        axis, n = i + 2, data.shape[i + 2]
        place = _places(mode, n, wanted, a["roi"][i], a["roi"][i + spatial])
        shape = [-1 if k == axis else 1 for k in range(data.ndim)]
        if mode == "tf_crop_and_resize":
            outside = outside | ((place < 0) | (place > n - 1)).reshape(shape)
        indices, weights = _taps(place, n, **a)
        if a["method"] == "nearest_neighbor":
            out = np.take(out, np.clip(indices[0], 0, n - 1).astype(np.int64), axis)
            continue
        parts = [np.take(out, np.clip(k, 0, n - 1).astype(np.int64), axis) for k in indices]
        out = sum(p * w.reshape(shape) for p, w in zip(parts, weights, strict=True))
    out = np.where(outside, a["extrapolation_value"], out)
    if data.dtype.kind != "f" and a["method"] != "nearest_neighbor":
        out = np.trunc(out + np.copysign(1e-5, out))  # with a tolerance for rounding errors
    return out.astype(data.dtype)


def affine_grid(data: Any, size: Any, align_corners: bool) -> Any:
    def along(n: int) -> Any:
        if align_corners:
            return np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
        return (np.arange(n) * 2 + 1) / n - 1

    places = np.meshgrid(*map(along, size), indexing="ij")
    points = np.stack([*reversed(places), np.ones_like(places[0])])
    return np.einsum("nij,j...->ni...", data.astype(np.float64), points).astype(data.dtype)


def _reflect(x: Any, low: float, high: float) -> Any:
    if high <= low:
        return np.zeros_like(x)
    span = high - low
    turned = np.mod(np.abs(x - low), 2 * span)
    return low + np.minimum(turned, 2 * span - turned)


def _padded(x: Any, n: int, padding_mode: str, align_corners: bool) -> Any:
    if padding_mode == "reflection":
        x = _reflect(x, 0, n - 1) if align_corners else _reflect(x, -0.5, n - 0.5)
    return x if padding_mode == "zeros" else np.clip(x, 0, n - 1)


def _grid_taps(place: Any, n: int, method: str, padding_mode: str, align_corners: bool) -> list[tuple[Any, Any]]:
    if method == "bicubic":
        low = np.floor(place)
        return [
            (_padded(low + i, n, padding_mode, align_corners), _cubic(place - low - i, -0.75)) for i in (-1, 0, 1, 2)
        ]
    place = _padded(place, n, padding_mode, align_corners)
    if method == "nearest":
        return [(np.round(place), np.ones_like(place))]
    low = np.floor(place)
    return [(low, 1 - (place - low)), (low + 1, place - low)]


def grid_sample(data: Any, grid: Any, method: str, layout: str, padding_mode: str, align_corners: bool) -> Any:
    sizes = data.shape[2:]
    out = np.zeros((*data.shape[:2], *grid.shape[2:]), np.float64)
    for b in range(data.shape[0]):
        taps = []
        for i, n in enumerate(sizes):
            # The last axis of the grid lists coordinates from the innermost spatial axis to the outermost.
            at = grid[b, len(sizes) - 1 - i].astype(np.float64)
            place = (at + 1) / 2 * (n - 1) if align_corners else ((at + 1) * n - 1) / 2
            taps.append(_grid_taps(place, n, method, padding_mode, align_corners))
        for combination in itertools.product(*taps):
            inside = np.ones(grid.shape[2:], bool)
            weight = np.ones(grid.shape[2:])
            cut = []
            for (index, w), n in zip(combination, sizes, strict=True):
                inside &= (index >= 0) & (index < n)
                weight = weight * w
                cut.append(np.clip(index, 0, n - 1).astype(np.int64))
            out[b] += np.where(inside, data[b][(slice(None), *cut)] * weight, 0)
    return out.astype(data.dtype)
