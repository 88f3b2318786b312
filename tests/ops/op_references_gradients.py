"""Reference implementations of backward ops in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def nll_gradient(grad: Any, predictions: Any, targets: Any, weights: Any = None, **a: Any) -> Any:
    axis = 0 if predictions.ndim == 1 else 1
    weights = np.ones(predictions.shape[axis], predictions.dtype) if weights is None else weights
    share = np.where(targets == a["ignore_index"], 0, weights[targets]).astype(predictions.dtype)
    total = share.sum() if a["reduction"] == "mean" else predictions.dtype.type(1)
    out = np.zeros_like(predictions)
    np.put_along_axis(out, np.expand_dims(targets, axis), np.expand_dims(-grad * share / total, axis), axis)
    return out


def _taps(at: int, size: int, stride: int, dilation: int, padding: int) -> list[int]:
    return [at * stride + i * dilation - padding for i in range(size)]


def pool_gradient(is_max: bool) -> Callable[..., Any]:
    """The gradient of a window goes to its first maximum, or is distributed evenly."""

    def apply(grad: Any, data: Any, pool_size: Any, strides: Any, padding: Any, dilation: Any, **a: Any) -> Any:
        out = np.zeros_like(data)
        sizes = data.shape[2:]
        for n, c, *at in np.ndindex(grad.shape):
            taps = [_taps(at[i], pool_size[i], strides[i], dilation[i], padding[i]) for i in range(2)]
            inside = [[t for t in taps[i] if 0 <= t < sizes[i]] for i in range(2)]
            places = [(h, w) for h in inside[0] for w in inside[1]]
            if is_max:
                window = np.array([data[n, c, h, w] for h, w in places])
                places = places[np.argmax(window) :][:1] if places else []
            # Explicit padding counts towards the mean; positions that a window covers beyond the padding do not.
            reach = [[t for t in taps[i] if t < sizes[i] + padding[i + 2]] for i in range(2)]
            counted = reach if a["count_include_pad"] else inside
            share = 1 if is_max else len(counted[0]) * len(counted[1])
            part = (grad[n, c, at[0], at[1]] / data.dtype.type(share)).astype(data.dtype)
            for h, w in places:
                out[n, c, h, w] += part
        return out

    return apply


def take_gradient(grad: Any, x: Any, indices: Any, axis: int) -> Any:
    out = np.zeros_like(x)
    along = axis % x.ndim
    np.add.at(out, (*[slice(None)] * along, indices), grad)
    return out
