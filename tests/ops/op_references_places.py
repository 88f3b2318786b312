"""Reference implementations in NumPy of ops that read or write elements at indices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def strided_slice(x: Any, axes: Any, begin: Any, end: Any, strides: Any = None, **_: Any) -> Any:
    cut = [slice(None)] * x.ndim
    for axis, b, e, s in zip(axes, begin, end, strides, strict=True):
        cut[axis] = slice(b, e, s)
    return x[tuple(cut)]


def take(x: Any, indices: Any, axis: int | None, mode: str, from_end: bool) -> Any:
    axis = 0 if axis is None else axis
    if mode != "nan":
        return np.take(x, indices, axis, mode="raise" if mode == "fast" else mode)
    axis %= x.ndim
    inside = (indices >= 0) & (indices < x.shape[axis])
    mask = inside.reshape((1,) * axis + inside.shape + (1,) * (x.ndim - axis - 1))
    return np.where(mask, np.take(x, indices, axis, mode="clip"), np.nan if x.dtype.kind == "f" else 0).astype(x.dtype)


def gather_nd(data: Any, indices: Any, batch_dims: int) -> Any:
    if batch_dims == 0:
        return data[tuple(np.moveaxis(indices, -1, 0))]
    parts = [gather_nd(d, i, batch_dims - 1) for d, i in zip(data, indices, strict=True)]
    return np.stack(parts) if parts else np.empty((0, *indices.shape[1:-1], *data.shape[1 + indices.shape[-1] :]))


def one_hot(indices: Any, on_value: Any, off_value: Any, depth: int, axis: int, checked: bool) -> Any:
    hot = np.moveaxis(np.expand_dims(indices, -1) == np.arange(depth), -1, axis)
    return np.where(hot, on_value, off_value).astype(np.float32 if isinstance(on_value, float) else np.int64)


def index_put(data: Any, indices: Any, values: Any, accumulate: bool) -> Any:
    out = data.copy()
    if accumulate:
        np.add.at(out, tuple(indices), values)
    else:
        out[tuple(indices)] = values
    return out


def _scattered(data: Any, updates: Any, place_of: Callable[[Any], Any], count: Any, reduction: str) -> Any:
    """Applies updates one by one; a mean is over the original element and all its updates."""
    combine = {"update": lambda old, new: new, "mul": np.multiply, "min": np.minimum, "max": np.maximum}
    out, counts = data.copy(), np.ones(data.shape, np.int64)
    for at in np.ndindex(*count):
        place = place_of(at)
        out[place] = combine.get(reduction, np.add)(out[place], updates[at])
        counts[place] += 1
    if reduction != "mean":
        return out
    return (out / counts if data.dtype.kind == "f" else out // counts).astype(data.dtype)


def scatter_nd(data: Any, indices: Any, updates: Any, reduction: str) -> Any:
    return _scattered(data, updates, lambda at: tuple(indices[at]), indices.shape[:-1], reduction)


def scatter_elements(data: Any, indices: Any, updates: Any, axis: int, reduction: str, from_end: bool) -> Any:
    def place_of(at: Any) -> Any:
        place = list(at)
        place[axis] = indices[at]
        return tuple(place)

    return _scattered(data, updates, place_of, indices.shape, reduction)


def slice_scatter(data: Any, src: Any, start: int, end: int, step: int, axis: int) -> Any:
    out = data.copy()
    np.moveaxis(out, axis, 0)[start:end:step] = np.moveaxis(src, axis, 0)
    return out


def reverse_sequence(data: Any, lengths: Any, seq_axis: int, batch_axis: int) -> Any:
    out = data.copy()
    rows = np.moveaxis(out, (batch_axis, seq_axis), (0, 1))
    for row, length in zip(rows, lengths, strict=True):
        row[:length] = row[:length][::-1].copy()
    return out


def unique(x: Any, axis: int | None, **a: Any) -> Any:
    """Slices compare as tuples; NaN is larger than any number and unequal to any other NaN."""
    slices = np.moveaxis(x, axis, 0) if axis is not None else x.reshape(-1)
    groups: dict[Any, list[int]] = {}
    for i, part in enumerate(slices.reshape(len(slices), math.prod(slices.shape[1:]))):
        key = tuple((1, i) if v != v else (0, v) for v in part.tolist())
        groups.setdefault(key, []).append(i)
    order = sorted(groups) if a["sorted"] else list(groups)
    first = np.array([groups[key][0] for key in order], np.int64)
    inverse = np.zeros(len(slices), np.int64)
    for g, key in enumerate(order):
        inverse[groups[key]] = g
    values = slices[first]
    out = [values if axis is None else np.moveaxis(values, 0, axis)]
    if a["return_index"]:
        out.append(first)
    if a["return_inverse"]:
        out.append(inverse)
    if a["return_counts"]:
        out.append(np.array([len(groups[key]) for key in order], np.int64))
    return tuple(out) if len(out) > 1 else out[0]


def nonzero(x: Any) -> Any:
    if x.ndim == 0:
        return np.empty((0, int(x != 0)), np.int64)
    return np.array(np.nonzero(x), np.int64)


def nonzero_sized(x: Any, shape: Any) -> Any:
    found = nonzero(x)[:, : shape[0]]
    return np.concatenate([found, np.full((x.ndim, shape[0] - found.shape[1]), -1)], axis=1)


def unique_groups(x: Any, sorted: bool) -> Any:
    axis = 0 if x.ndim == 2 else None
    wanted = dict.fromkeys(["return_index", "return_inverse", "return_counts"], True)
    _, first, group, members = unique(x, axis, sorted=sorted, **wanted)

    def filled(values: Any) -> Any:
        return np.concatenate([values, np.zeros(len(x) - len(values), np.int64)])

    return np.array([len(first)]), filled(first), group, filled(members)


def dynamic_slice_sizes(shape: Any, begin: Any, end: Any, strides: Any) -> Any:
    axes = zip(shape, begin, end, strides, strict=True)
    return np.array([len(range(*slice(b, e, s).indices(size))) for size, b, e, s in axes], np.int64)


def dynamic_slice_sized(x: Any, begin: Any, strides: Any, shape: Any) -> Any:
    first = [b % size for b, size in zip(begin, x.shape, strict=True)]
    places = [b + s * np.arange(count) for b, s, count in zip(first, strides, shape, strict=True)]
    return x[np.ix_(*places)]


def dynamic_slice(x: Any, begin: Any, end: Any, strides: Any) -> Any:
    return x[tuple(slice(b, e, s) for b, e, s in zip(begin, end, strides, strict=True))]


def bucketize(x: Any, borders: Any, right: bool, out_int32: bool) -> Any:
    places = np.searchsorted(borders, x, "right" if right else "left")
    return places.astype(np.int32 if out_int32 else np.int64)
