"""Slices, gathering and other movements of elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sunmao.arrays import NumPyArray
from sunmao.errors import fail


def _ends(begin: Sequence[int], end: Sequence[int]) -> list[int | None]:
    """Returns the ends of slices whose `end` is a size; a negative one takes what is left."""
    return [None if size < 0 else first + size for first, size in zip(begin, end, strict=True)]


def strided_slice_python(
    data: NumPyArray,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int] | None,
    slice_mode: str = "end",
    axes: Sequence[int] | None = None,
) -> NumPyArray:
    """Returns `data[begin:end:strides]` along the leading axes, or along `axes`. With slice_mode="size", `end` is how
    many elements are taken, and `strides` has no effect."""
    if slice_mode not in ("end", "size"):
        raise fail("E0034", f"strided_slice_python: `slice_mode` is {slice_mode!r}", 'it is "end" or "size"')
    ends = _ends(begin, end) if slice_mode == "size" else list(end)
    steps = list(strides or []) if slice_mode == "end" else []
    index = [slice(None)] * data.ndim
    for i, axis in enumerate(range(max(len(begin), len(ends))) if axes is None else axes):
        first, last = begin[i] if i < len(begin) else None, ends[i] if i < len(ends) else None
        index[axis] = slice(first, last, steps[i] if i < len(steps) else None)
    part: NumPyArray = data[tuple(index)]
    return part


def strided_set_python(
    data: NumPyArray, v: NumPyArray, begin: Sequence[int], end: Sequence[int], strides: Sequence[int] | None
) -> NumPyArray:
    """Returns a copy of `data` whose slice is `v`."""
    out = data.copy()
    strided_slice_python(out, begin, end, strides)[...] = v
    return out


def slice_axis_python(data: NumPyArray, axis: int, begin: int, end: int | None = None) -> NumPyArray:
    """Returns the elements from `begin` to `end` of one axis."""
    return strided_slice_python(data, [begin], [data.shape[axis] if end is None else end], None, axes=[axis])


def gather_python(data: NumPyArray, axis: int, indices: NumPyArray) -> NumPyArray:
    """Returns the elements whose place along `axis` is the index; along other axes it may have fewer elements."""
    part = [slice(None) if i == axis % data.ndim else slice(size) for i, size in enumerate(indices.shape)]
    return np.take_along_axis(data[tuple(part)], indices, axis)


def gather_nd_python(a_np: NumPyArray, indices_np: NumPyArray) -> NumPyArray:
    """Returns the elements, or parts, whose places are the columns of the indices."""
    part: NumPyArray = a_np[tuple(indices_np.astype(np.int64))]
    return part


def one_hot(indices: NumPyArray, on_value: Any, off_value: Any, depth: int, axis: int, dtype: str) -> NumPyArray:
    """Returns `on_value` where the place along the new axis is the index, `off_value` elsewhere."""
    places = np.moveaxis(np.equal.outer(indices, np.arange(depth)), -1, axis)
    return np.where(places, on_value, off_value).astype(dtype)


def dilate_python(
    input_np: NumPyArray, strides: Sequence[int], dilation_value: float = 0.0, out_dtype: str | None = None
) -> NumPyArray:
    """Returns the elements `strides` apart, with `dilation_value` between them."""
    shape = [(size - 1) * step + 1 for size, step in zip(input_np.shape, strides, strict=True)]
    out = np.full(shape, dilation_value, out_dtype or input_np.dtype)
    out[tuple(slice(None, None, step) for step in strides)] = input_np
    return out


def depth_to_space_python(data: NumPyArray, block_size: int, mode: str = "DCR") -> NumPyArray:
    """Moves blocks of channels into height and width; "DCR" has the block outside of the channels, "CRD" inside."""
    n, c, h, w = data.shape
    b, left = block_size, c // block_size**2
    if mode == "DCR":
        parts = data.reshape(n, b, b, left, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        parts = data.reshape(n, left, b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return parts.reshape(n, left, h * b, w * b)


def space_to_depth_python(data: NumPyArray, block_size: int) -> NumPyArray:
    """Moves blocks of height and width into the channels: the reverse of depth_to_space_python."""
    n, c, h, w = data.shape
    b = block_size
    parts = data.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4)
    return parts.reshape(n, c * b * b, h // b, w // b)


def affine_grid_python(data: NumPyArray, target_shape: Sequence[int]) -> NumPyArray:
    """Returns where each pixel of the target lies after the transform of (x, y, 1); the corners are at -1 and 1."""
    height, width = target_shape
    y, x = np.meshgrid(np.linspace(-1, 1, height), np.linspace(-1, 1, width), indexing="ij")
    return np.einsum("bij,jhw->bihw", data, np.stack([x, y, np.ones_like(x)]))
