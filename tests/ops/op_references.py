"""Reference implementations of ops in NumPy, for ops whose table (tests/ops) does not define them in one line.

Each function takes the values of a call's arguments, and its attributes. Layers, attention, scatter and gather, images
and boxes have files of their own (`op_references_*.py`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np

Reference = Callable[..., Any]


def elementwise(function: Callable[[float], float], x: Any) -> Any:
    return np.vectorize(function, otypes=[x.dtype])(x.astype(np.float64)) if x.size else x


def truncated_quotient(x: Any, y: Any) -> Any:
    if x.dtype.kind == "f":
        return x / y
    return (np.sign(x.astype(np.int64)) * (np.abs(x.astype(np.int64)) // y.astype(np.int64))).astype(x.dtype)


def power(x: Any, y: Any) -> Any:
    """Negative powers of integers are quotients rounded towards zero; those of 0 are 0."""
    if x.dtype.kind not in "iu":
        return np.power(x, y)
    x, y = np.broadcast_arrays(x, y)
    inverse = np.where(x == 1, 1, np.where(x == -1, np.where(y % 2 == 0, 1, -1), 0)).astype(x.dtype)
    return np.where(y < 0, inverse, np.power(x, np.maximum(y, 0)))


def dtype_code(name: str) -> int:
    """Returns DLPack's code of a dtype: DLDataTypeCode in dlpack.h, version 1.1."""
    codes = {"int": 0, "uint": 1, "float": 2, "bfloat": 4, "bool": 6, "float8_e4m3fn": 10, "float8_e5m2": 12}
    return codes[name] if name in codes else codes[re.sub(r"\d+$", "", name)]


def dtype_bits(name: str) -> int:
    """Returns the number of bits of an element; a bool takes a byte."""
    found = re.search(r"\d+", name)
    return int(found[0]) if found else 8


def clip(x: Any, min: float, max: float) -> Any:
    """Bools are clipped as the numbers 0 and 1, between bounds that are integers."""
    numbers = x.astype(np.int64) if x.dtype.kind == "b" else x
    return np.clip(numbers, numbers.dtype.type(min), numbers.dtype.type(max)).astype(x.dtype)


def lowest(dtype: Any) -> Any:
    """Returns the least number of a dtype."""
    return -np.inf if dtype.kind == "f" else False if dtype.kind == "b" else np.iinfo(dtype).min


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def softmax(x: Any, axis: int) -> Any:
    e = np.exp(x - x.max(axis=axis, keepdims=True)) if x.size else x
    return e / e.sum(axis=axis, keepdims=True) if x.size else x


def log_softmax(x: Any, axis: int) -> Any:
    if not x.size:
        return x
    shifted = x - x.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def reduction(function: Callable[..., Any]) -> Reference:
    def apply(x: Any, axis: Any, keepdims: bool) -> Any:
        return np.asarray(function(x, axis=_axes(axis), keepdims=keepdims)).astype(x.dtype)

    return apply


def place_of(function: Callable[..., Any]) -> Reference:
    def apply(x: Any, axis: int | None, keepdims: bool) -> Any:
        return function(x, axis=axis, keepdims=keepdims).astype(np.int64)

    return apply


def scan(function: Callable[..., Any], start: int) -> Reference:
    def apply(data: Any, axis: int | None, dtype: Any, exclusive: bool) -> Any:
        x = data.reshape(-1) if axis is None else data
        along = 0 if axis is None else axis
        out = function(x, axis=along, dtype=x.dtype)
        if exclusive:
            first = np.full_like(np.take(x, [0], axis=along), start)
            out = np.concatenate([first, np.delete(out, -1, axis=along)], axis=along)
        return out

    return apply


def order(x: Any, axis: int, descending: bool) -> Any:
    """Stable argsort; NaN is larger than every number."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    # A stable descending sort: sorts the flipped array stably and flips the order back, so that equal elements keep
    # their order.
    flipped = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - flipped, axis)


def topk(data: Any, k: int, axis: int, ret_type: str, largest: bool, dtype: Any) -> Any:
    places = np.take(order(data, axis, largest), np.arange(k if k > 0 else data.shape[axis]), axis=axis)
    values = np.take_along_axis(data, places, axis)
    both = {"values": values, "indices": places.astype(str(dtype))}
    return both[ret_type] if ret_type in both else tuple(both.values())


def reduction_from_end(function: Callable[..., Any], is_max: bool) -> Reference:
    """A maximum or minimum whose empty reduction is its identity element."""

    def apply(x: Any, axis: Any, keepdims: bool) -> Any:
        if x.dtype.kind == "b":
            start = not is_max
        elif x.dtype.kind == "f":
            start = -np.inf if is_max else np.inf
        else:
            start = np.iinfo(x.dtype).min if is_max else np.iinfo(x.dtype).max
        return np.asarray(function(x, axis=_axes(axis), keepdims=keepdims, initial=start)).astype(x.dtype)

    return apply


def split(x: Any, indices_or_sections: Any, axis: int) -> Any:
    parts = np.split(x, indices_or_sections, axis)
    return tuple(parts) if len(parts) > 1 else parts[0]


def squeeze(x: Any, axis: Any) -> Any:
    return np.squeeze(x, _axes(axis))


def pad(data: Any, pad_width: Any, pad_value: float, pad_mode: str) -> Any:
    widths = np.asarray(pad_width).reshape(-1, 2)
    if pad_mode in ("constant", "circular"):  # what negative widths cut off does not come back
        kept = zip(np.maximum(-widths, 0), data.shape, strict=True)
        data, widths = data[tuple(slice(b, n - e) for (b, e), n in kept)], np.maximum(widths, 0)
    elif (widths < 0).any():
        wide = pad(data, np.maximum(widths, 0), pad_value, pad_mode)
        kept = zip(np.maximum(-widths, 0), wide.shape, strict=True)
        return wide[tuple(slice(b, n - e) for (b, e), n in kept)]
    if pad_mode == "constant":
        return np.pad(data, widths, constant_values=pad_value)
    return np.pad(data, widths, mode={"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[pad_mode])


def prelu(data: Any, alpha: Any, axis: int) -> Any:
    shape = [1] * data.ndim
    shape[axis] = -1
    return np.where(data > 0, data, data * alpha.reshape(shape))


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def gelu_tanh(x: Any) -> Any:
    return (0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))).astype(x.dtype)


def selu(x: Any) -> Any:
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    return (scale * np.where(x > 0, x, alpha * np.expm1(x))).astype(x.dtype)


def softplus(data: Any, beta: float, threshold: float) -> Any:
    return np.where(data * beta > threshold, data, np.log1p(np.exp(data * beta)) / beta).astype(data.dtype)


def matmul(x1: Any, x2: Any, out_dtype: Any) -> Any:
    return np.matmul(x1, x2)


def linear(data: Any, weight: Any, bias: Any = None, out_dtype: Any = None) -> Any:
    return np.matmul(data, weight.T) + (0 if bias is None else bias)


def _along(values: Any, x: Any, axis: int) -> Any:
    """Broadcasts parameters, a scalar or a vector along an axis, against x."""
    return values if values.ndim == 0 else np.expand_dims(values, [i for i in range(x.ndim) if i != axis % x.ndim])


def _of_elements(parameter: Any, data: Any, axis: int, block_size: int) -> Any:
    """Returns the scale or zero point of each element."""
    if not block_size:
        return _along(parameter, data, axis)
    if parameter.size == 1:
        return parameter.reshape(())
    return np.take(np.repeat(parameter, block_size, axis=axis), np.arange(data.shape[axis]), axis=axis)


def quantize(data: Any, scale: Any, zero_point: Any, out_dtype: Any, axis: int, block_size: int = 0) -> Any:
    """NaN becomes 0, and overflow saturates."""
    limits = np.iinfo(str(out_dtype))
    value = np.round(data / _of_elements(scale, data, axis, block_size))
    value = value + _of_elements(zero_point, data, axis, block_size)
    return np.where(np.isnan(value), 0, np.clip(value, limits.min, limits.max)).astype(str(out_dtype))


def dequantize(data: Any, scale: Any, zero_point: Any, axis: int, block_size: int = 0, **_: Any) -> Any:
    wide = data.astype(np.float32) - _of_elements(zero_point, data, axis, block_size).astype(np.float32)
    return wide * _of_elements(scale, data, axis, block_size)


def matmul_dequantize(x: Any, weight: Any, scale: Any, zero_point: Any, block_size: int = 1) -> Any:
    wide = weight.astype(np.float32) - _of_elements(zero_point, weight, 0, block_size).astype(np.float32)
    return x @ (wide * _of_elements(scale, weight, 0, block_size))


def collapse(data: Any, shape: Any) -> Any:
    lead = data.ndim - len(shape)
    ones = tuple(lead + i for i, d in enumerate(shape) if d == 1 and data.shape[lead + i] != 1)
    return data.sum(axis=(*range(lead), *ones), keepdims=True).reshape(shape)


def hamming(size: int, periodic: bool, alpha: float, beta: float, dtype: Any) -> Any:
    if size == 1:
        return np.ones(1, str(dtype))
    angles = 2 * np.pi * np.arange(size) / (size if periodic else size - 1)
    return (alpha - beta * np.cos(angles)).astype(str(dtype))


def median(x: Any, axis: Any, keepdims: bool) -> Any:
    """Selects the lower of two middle elements, or the first NaN; positions of equal elements stay in order."""
    axes = [a % x.ndim for a in axis] if axis is not None else list(range(x.ndim))
    kept = [i for i in range(x.ndim) if i not in axes]
    rows = np.transpose(x, [*kept, *axes]).reshape(*(x.shape[i] for i in kept), -1)
    order = np.argsort(rows, axis=-1, kind="stable")
    place = np.take(order, (rows.shape[-1] - 1) // 2, axis=-1)
    if x.dtype.kind == "f":
        place = np.where(np.isnan(rows).any(axis=-1), np.isnan(rows).argmax(axis=-1), place)
    values = np.take_along_axis(rows, place[..., None], -1)[..., 0]
    if keepdims:
        shape = [1 if i in axes else n for i, n in enumerate(x.shape)]
        values, place = values.reshape(shape), place.reshape(shape)
    return (values, place) if axis is not None and len(axes) == 1 else values


def layout_transform(x: Any, index_map: Any, pad_value: Any, **_: Any) -> Any:
    """Evaluates the map from its text: names, `//` and `%` have the same meaning in Python."""
    names, outputs = [str(v) for v in index_map.inputs], [str(v) for v in index_map.outputs]

    def mapped(at: Any) -> tuple[int, ...]:
        values = dict(zip(names, at, strict=True))
        return tuple(eval(output, {}, values) for output in outputs)

    places = {at: mapped(at) for at in np.ndindex(x.shape)}
    tiles = [re.fullmatch(r".* % (\d+)", output) for output in outputs]  # which are whole
    shape = [int(t[1]) if t else max(place[i] for place in places.values()) + 1 for i, t in enumerate(tiles)]
    out = np.full(shape, 0 if pad_value is None else pad_value, x.dtype)
    for at, place in places.items():
        out[place] = x[at]
    return out


def multinomial(prob: Any, uniform: Any, rows: Any, dtype: Any) -> Any:
    sums = np.cumsum(prob, axis=1)
    picks = [np.searchsorted(sums[row], u, "right") for row, u in zip(rows[:, 0], uniform[:, 0], strict=True)]
    return np.minimum(np.array(picks, np.int64), prob.shape[1] - 1).astype(str(dtype)).reshape(-1, 1)


def view(x: Any, shape: Any, dtype: Any, offset: int = 0) -> Any:
    return np.frombuffer(x.tobytes(), str(dtype), math.prod(shape), offset).reshape(shape)
