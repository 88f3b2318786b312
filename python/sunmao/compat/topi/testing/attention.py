"""Attention."""

from __future__ import annotations

from typing import Any

import numpy as np

from sunmao.arrays import NumPyArray
from sunmao.compat.topi.testing.norms import softmax_python
from sunmao.errors import fail

_LAYOUTS = ("BSNH", "BNSH", "SBNH")


def attention_python(
    q: NumPyArray,
    k: NumPyArray,
    v: NumPyArray,
    bias: NumPyArray | None,
    qk_scale: Any,
    causal: str,
    window_size: int | None = None,
    layout: str = "BSNH",
) -> NumPyArray:
    """Returns softmax(q · k · scale + bias) · v. `qk_scale` is a number, or "none" for 1 / sqrt(size of a head).
    `causal` is "none", "TopLeft" or "BottomRight"; with it, `window_size` is how many positions are seen. Several
    heads may share one of `k` and `v`."""
    if layout not in _LAYOUTS:
        raise fail("E0034", f"attention_python: `layout` is {layout!r}", f"it is one of {', '.join(_LAYOUTS)}")
    order = [layout.index(axis) for axis in "BNSH"]
    q, k, v = (x.transpose(order) for x in (q, k, v))
    shared = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, shared, axis=1), np.repeat(v, shared, axis=1)
    scale = q.shape[-1] ** -0.5 if isinstance(qk_scale, str) and qk_scale == "none" else qk_scale
    scores = q @ k.swapaxes(2, 3) * scale
    if bias is not None:
        scores = scores + bias
    if causal != "none":
        scores = np.where(_seen(q.shape[2], k.shape[2], causal, window_size), scores, -np.inf)
    out: NumPyArray = (softmax_python(scores, -1) @ v).transpose(np.argsort(order))
    return out


def _seen(queries: int, keys: int, causal: str, window: int | None) -> NumPyArray:
    """Returns which keys each query sees."""
    if causal not in ("TopLeft", "BottomRight"):
        known = '"none", "TopLeft", "BottomRight"'
        raise fail("E0034", f"attention_python: `causal` is {causal!r}", f"it is one of {known}")
    distance = np.arange(queries)[:, None] - np.arange(keys)
    last = abs(queries - keys) if causal == "BottomRight" else 0
    seen = distance >= -last
    return seen & (distance < window) if window else seen
