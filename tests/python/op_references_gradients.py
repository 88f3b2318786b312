"""What the backward halves of ops mean, in NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _nll_loss(grad: Any, predictions: Any, targets: Any, weights: Any, reduction: str, ignore_index: int) -> Any:
    out = np.zeros_like(predictions)
    total = weights[targets].sum() if reduction == "mean" else predictions.dtype.type(1)
    for n, target in enumerate(targets):
        out[n, target] = -weights[target] * (grad[n] if reduction == "none" else grad) / total
    return out


def _pool(give: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The gradient of each window goes to its elements; `give` says how much of 1 to each of those inside."""

    def apply(grad: Any, data: Any, pool_size: Any, strides: Any, padding: Any, **_: Any) -> Any:
        out = np.zeros_like(data)
        height, width = data.shape[2:]
        for n, c, h, w in np.ndindex(grad.shape):
            top, left = h * strides[0] - padding[0], w * strides[1] - padding[1]
            at = (
                n,
                c,
                slice(max(top, 0), min(top + pool_size[0], height)),
                slice(max(left, 0), min(left + pool_size[1], width)),
            )
            out[at] += (give(data[at], grad[n, c, h, w])).astype(data.dtype)
        return out

    return apply


def _to_the_first_of_the_largest(window: Any, grad: Any) -> Any:
    out = np.zeros_like(window)
    if window.size:
        out[np.unravel_index(np.argmax(window), window.shape)] = grad
    return out


def _to_all(window: Any, grad: Any) -> Any:
    return np.full_like(window, grad / window.dtype.type(window.size)) if window.size else window


def _take(grad: Any, x: Any, indices: Any, axis: int) -> Any:
    out = np.zeros_like(x)
    along = axis % x.ndim
    np.add.at(out, (*[slice(None)] * along, indices), grad)
    return out


GRADIENTS: dict[str, Callable[..., Any]] = {
    "grad.nll_loss_backward": _nll_loss,
    "grad.max_pool2d_backward": _pool(_to_the_first_of_the_largest),
    "grad.avg_pool2d_backward": _pool(_to_all),
    "grad.take_backward": _take,
}
