"""What ops mean, written in NumPy: each takes the values of a call's arguments, and its attributes.

Layers, attention, what reads and writes at places, images and boxes have files of their own (`op_references_*.py`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from op_references_attention import ATTENTION
from op_references_boxes import BOXES
from op_references_gradients import GRADIENTS
from op_references_images import IMAGES
from op_references_layers import LAYERS
from op_references_places import PLACES
from op_references_recurrent import RECURRENT
from op_references_signals import SIGNALS
from op_references_sums import SUMS

Reference = Callable[..., Any]


def _erf(x: Any) -> Any:
    return np.vectorize(math.erf, otypes=[x.dtype])(x) if x.size else x


def _truncated(x: Any, y: Any) -> Any:
    if x.dtype.kind == "f":
        return x / y
    return (np.sign(x.astype(np.int64)) * (np.abs(x.astype(np.int64)) // y.astype(np.int64))).astype(x.dtype)


def _axes(axis: Any) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def _softmax(x: Any, axis: int) -> Any:
    e = np.exp(x - x.max(axis=axis, keepdims=True)) if x.size else x
    return e / e.sum(axis=axis, keepdims=True) if x.size else x


def _log_softmax(x: Any, axis: int) -> Any:
    if not x.size:
        return x
    shifted = x - x.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def _reduce(function: Callable[..., Any]) -> Reference:
    def apply(x: Any, axis: Any, keepdims: bool) -> Any:
        return np.asarray(function(x, axis=_axes(axis), keepdims=keepdims)).astype(x.dtype)

    return apply


def _arg(function: Callable[..., Any]) -> Reference:
    def apply(x: Any, axis: int | None, keepdims: bool) -> Any:
        return function(x, axis=axis, keepdims=keepdims).astype(np.int64)

    return apply


def _scan(function: Callable[..., Any], start: int) -> Reference:
    def apply(data: Any, axis: int | None, dtype: Any, exclusive: bool) -> Any:
        x = data.reshape(-1) if axis is None else data
        along = 0 if axis is None else axis
        out = function(x, axis=along, dtype=x.dtype)
        if exclusive:
            first = np.full_like(np.take(x, [0], axis=along), start)
            out = np.concatenate([first, np.delete(out, -1, axis=along)], axis=along)
        return out

    return apply


def _order(x: Any, axis: int, descending: bool) -> Any:
    """Stable, NaN beyond every number."""
    if not descending:
        return np.argsort(x, axis=axis, kind="stable")
    # Ties keep their order: the flipped order of what is flipped.
    flipped = np.argsort(np.flip(x, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - flipped, axis)


def _topk(data: Any, k: int, axis: int, ret_type: str, largest: bool, dtype: Any) -> Any:
    places = np.take(_order(data, axis, largest), np.arange(k if k > 0 else data.shape[axis]), axis=axis)
    values = np.take_along_axis(data, places, axis)
    both = {"values": values, "indices": places.astype(str(dtype))}
    return both[ret_type] if ret_type in both else tuple(both.values())


def _largest(function: Callable[..., Any], is_max: bool) -> Reference:
    """Of nothing, what is beyond every number."""

    def apply(x: Any, axis: Any, keepdims: bool) -> Any:
        if x.dtype.kind == "f":
            start = -np.inf if is_max else np.inf
        else:
            start = np.iinfo(x.dtype).min if is_max else np.iinfo(x.dtype).max
        return np.asarray(function(x, axis=_axes(axis), keepdims=keepdims, initial=start)).astype(x.dtype)

    return apply


def _split(x: Any, indices_or_sections: Any, axis: int) -> Any:
    parts = np.split(x, indices_or_sections, axis)
    return tuple(parts) if len(parts) > 1 else parts[0]


def _squeeze(x: Any, axis: Any) -> Any:
    return np.squeeze(x, _axes(axis))


def _pad(data: Any, pad_width: Any, pad_value: float, pad_mode: str) -> Any:
    widths = np.asarray(pad_width).reshape(-1, 2)
    if pad_mode == "constant":
        return np.pad(data, widths, constant_values=pad_value)
    return np.pad(data, widths, mode={"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[pad_mode])


def _prelu(data: Any, alpha: Any, axis: int) -> Any:
    shape = [1] * data.ndim
    shape[axis] = -1
    return np.where(data > 0, data, data * alpha.reshape(shape))


def _sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def _gelu_tanh(x: Any) -> Any:
    return (0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))).astype(x.dtype)


def _selu(x: Any) -> Any:
    alpha, scale = 1.6732632423543772, 1.0507009873554805
    return (scale * np.where(x > 0, x, alpha * np.expm1(x))).astype(x.dtype)


def _softplus(data: Any, beta: float, threshold: float) -> Any:
    return np.where(data * beta > threshold, data, np.log1p(np.exp(data * beta)) / beta).astype(data.dtype)


def _matmul(x1: Any, x2: Any, out_dtype: Any) -> Any:
    return np.matmul(x1, x2)


def _linear(data: Any, weight: Any, bias: Any = None, out_dtype: Any = None) -> Any:
    return np.matmul(data, weight.T) + (0 if bias is None else bias)


def _along(values: Any, x: Any, axis: int) -> Any:
    """One value, or one for each index of an axis, to compute with x."""
    return values if values.ndim == 0 else np.expand_dims(values, [i for i in range(x.ndim) if i != axis % x.ndim])


def _quantize(data: Any, scale: Any, zero_point: Any, out_dtype: Any, axis: int) -> Any:
    """NaN is 0, and what is too large the largest."""
    limits = np.iinfo(str(out_dtype))
    value = np.round(data / _along(scale, data, axis)) + _along(zero_point, data, axis)
    return np.where(np.isnan(value), 0, np.clip(value, limits.min, limits.max)).astype(str(out_dtype))


def _dequantize(data: Any, scale: Any, zero_point: Any, axis: int, **_: Any) -> Any:
    wide = data.astype(np.float32) - _along(zero_point, data, axis).astype(np.float32)
    return wide * _along(scale, data, axis)


def _collapse(data: Any, shape: Any) -> Any:
    lead = data.ndim - len(shape)
    ones = tuple(lead + i for i, d in enumerate(shape) if d == 1 and data.shape[lead + i] != 1)
    return data.sum(axis=(*range(lead), *ones), keepdims=True).reshape(shape)


def _hamming(size: int, periodic: bool, alpha: float, beta: float, dtype: Any) -> Any:
    if size == 1:
        return np.ones(1, str(dtype))
    angles = 2 * np.pi * np.arange(size) / (size if periodic else size - 1)
    return (alpha - beta * np.cos(angles)).astype(str(dtype))


def _median(x: Any, axis: Any, keepdims: bool) -> Any:
    """The lower one of two in the middle, or the first NaN; of equal elements the places stay in order."""
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


def _layout_transform(x: Any, index_map: Any, pad_value: Any, **_: Any) -> Any:
    """The map is read from its text: names, `//` and `%` mean in Python what they mean there."""
    names, outputs = [str(v) for v in index_map.inputs], [str(v) for v in index_map.outputs]

    def mapped(at: Any) -> tuple[int, ...]:
        values = dict(zip(names, at, strict=True))
        return tuple(eval(output, {}, values) for output in outputs)

    places = {at: mapped(at) for at in np.ndindex(x.shape)}
    shape = [max(place[i] for place in places.values()) + 1 for i in range(len(outputs))]
    out = np.full(shape, 0 if pad_value is None else pad_value, x.dtype)
    for at, place in places.items():
        out[place] = x[at]
    return out


def _multinomial(prob: Any, uniform: Any, rows: Any, dtype: Any) -> Any:
    sums = np.cumsum(prob, axis=1)
    picks = [np.searchsorted(sums[row], u, "right") for row, u in zip(rows[:, 0], uniform[:, 0], strict=True)]
    return np.minimum(np.array(picks, np.int64), prob.shape[1] - 1).astype(str(dtype)).reshape(-1, 1)


def _view(x: Any, shape: Any, dtype: Any, offset: int = 0) -> Any:
    return np.frombuffer(x.tobytes(), str(dtype), math.prod(shape), offset).reshape(shape)


_MARKS = [
    "grad.no_grad",
    "grad.start_checkpoint",
    "grad.end_checkpoint",
    "builtin.stop_lift_params",
    "to_vdevice",
    "hint_on_device",
]

_UNARY = {
    "abs": np.abs, "negative": np.negative, "sign": np.sign, "square": np.square, "acos": np.arccos,
    "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan, "atanh": np.arctanh,
    "ceil": np.ceil, "cos": np.cos, "cosh": np.cosh, "erf": _erf, "exp": np.exp, "floor": np.floor, "log": np.log,
    "round": np.round, "rsqrt": lambda x: 1 / np.sqrt(x), "sigmoid": _sigmoid, "sin": np.sin, "sinh": np.sinh,
    "sqrt": np.sqrt, "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc, "isnan": np.isnan, "isinf": np.isinf,
    "isfinite": np.isfinite, "logical_not": np.logical_not, "bitwise_not": np.invert,
    "expm1": np.expm1, "log10": np.log10, "log1p": np.log1p, "log2": np.log2,
    "nn.relu": lambda x: np.maximum(x, 0), "nn.relu6": lambda x: np.clip(x, 0, 6),
    "nn.gelu": lambda x: (0.5 * x * (1 + _erf(x / np.sqrt(x.dtype.type(2))))).astype(x.dtype),
    "nn.gelu_tanh": _gelu_tanh, "nn.silu": lambda x: x * _sigmoid(x), "nn.selu": _selu,
}  # fmt: skip

_BINARY = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": _truncated,
    "floor_divide": np.floor_divide, "mod": np.fmod, "floor_mod": np.mod, "power": np.power, "atan2": np.arctan2,
    "log_add_exp": np.logaddexp, "maximum": np.maximum, "minimum": np.minimum, "logical_and": np.logical_and,
    "logical_or": np.logical_or, "logical_xor": np.logical_xor, "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor, "left_shift": np.left_shift,
    "right_shift": np.right_shift, "equal": np.equal, "not_equal": np.not_equal, "less": np.less,
    "less_equal": np.less_equal, "greater": np.greater, "greater_equal": np.greater_equal,
}  # fmt: skip

REFERENCES: dict[str, Reference] = {
    **_UNARY,
    **_BINARY,
    **PLACES,
    **LAYERS,
    **RECURRENT,
    **SIGNALS,
    **SUMS,
    **ATTENTION,
    **IMAGES,
    **BOXES,
    **GRADIENTS,
    "nn.leakyrelu": lambda data, alpha: np.where(data > 0, data, data * data.dtype.type(alpha)),
    "nn.prelu": _prelu,
    "nn.softplus": _softplus,
    "clip": lambda x, low, high: np.clip(x, x.dtype.type(low), x.dtype.type(high)),
    "ewise_fma": lambda a, b, c: a * b + c,
    "where": np.where,
    "astype": lambda x, dtype: x.astype(str(dtype)),
    "sum": _reduce(np.sum),
    "prod": _reduce(np.prod),
    "mean": _reduce(np.mean),
    "variance": _reduce(np.var),
    "std": _reduce(np.std),
    "max": _largest(np.max, True),
    "min": _largest(np.min, False),
    "argmax": _arg(np.argmax),
    "argmin": _arg(np.argmin),
    "cumsum": _scan(np.cumsum, 0),
    "cumprod": _scan(np.cumprod, 1),
    "sort": lambda x, axis, descending: np.take_along_axis(x, _order(x, axis, descending), axis),
    "argsort": lambda data, axis, descending, dtype: _order(data, axis, descending).astype(np.int32),
    "topk": _topk,
    "nn.softmax": _softmax,
    "nn.log_softmax": _log_softmax,
    "permute_dims": lambda x, axes: np.transpose(x, axes),
    "reshape": lambda x, shape: x.reshape(shape),
    "flatten": lambda x, **_: x.reshape(-1),
    "expand_dims": lambda x, axis: np.expand_dims(x, tuple(axis)),
    "squeeze": _squeeze,
    "broadcast_to": lambda x, shape: np.broadcast_to(x, shape),
    "concat": lambda tensors, axis: np.concatenate(tensors, axis),
    "stack": lambda tensors, axis: np.stack(tensors, axis),
    "split": _split,
    "flip": lambda data, axis: np.flip(data, axis),
    "tile": lambda data, repeats: np.tile(data, repeats),
    "repeat": lambda data, repeats, axis: np.repeat(data, repeats, axis),
    "tril": lambda x, k: np.tril(x, k),
    "triu": lambda x, k: np.triu(x, k),
    "zeros_like": lambda x, dtype: np.zeros_like(x),
    "ones_like": lambda x, dtype: np.ones_like(x),
    "full_like": lambda x, value, dtype: np.full_like(x, value),
    "zeros": lambda shape, dtype: np.zeros(shape, str(dtype)),
    "ones": lambda shape, dtype: np.ones(shape, str(dtype)),
    "nn.pad": _pad,
    "matmul": _matmul,
    "outer": np.outer,
    "linear": _linear,
    "quantize": _quantize,
    "dequantize": _dequantize,
    "einsum": lambda operands, subscripts: np.einsum(subscripts, *operands),
    "full": lambda shape, value, dtype: np.full(shape, value, str(dtype)),
    "eye": lambda n, m, k, dtype: np.eye(n, m, k, str(dtype)),
    "eye_like": lambda x, k, dtype: np.eye(*x.shape, k, str(dtype) if dtype else x.dtype),
    "hamming_window": _hamming,
    "median": _median,
    "packed_matmul": lambda x, w, n: x @ np.concatenate(list(w), axis=-1)[:, :n],
    "collapse_sum_like": lambda data, target: _collapse(data, target.shape),
    "layout_transform": _layout_transform,
    "nn.dropout": lambda x, rate: (x, np.ones_like(x)),
    "multinomial_from_uniform": _multinomial,
    "wrap_param": lambda x, dtype: x.astype(str(dtype)),
    "memory.view": _view,
    **{name: lambda x, **_: x for name in _MARKS},
    "shape_of": lambda x: list(x.shape),
    "shape_to_tensor": lambda shape: np.array(shape, np.int64),
    "tensor_to_shape": lambda x: x.tolist(),
    "size": lambda x: np.array(x.size, np.int64),
    "inspect.tensor_dtype_code": lambda x: "iuf".index(x.dtype.kind),
    "inspect.tensor_dtype_bits": lambda x: x.dtype.itemsize * 8,
    "inspect.tensor_dtype_lanes": lambda x: 1,
    "inspect.tensor_ndim": lambda x: x.ndim,
    "inspect.tensor_shape_i": lambda x, axis: x.shape[axis],
    "inspect.tensor_stride_i": lambda x, axis: math.prod(x.shape[axis + 1 :]),
    "inspect.tensor_byte_offset": lambda x: 0,
    "inspect.tensor_elem_offset": lambda x: 0,
    "arange": lambda start, end, step, dtype: np.arange(start, end, step, str(dtype)),
    "meshgrid": lambda axes, indexing: tuple(np.meshgrid(*axes, indexing=indexing)),
    "collapse_sum_to": _collapse,
}
