"""Reference implementations of attention in NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def _seen(rows: int, columns: int, causal_mask: str | None, window_size: int | None) -> Any:
    """Returns the mask of visible keys: up to the query's own position, and within the window."""
    diagonal = columns - rows if causal_mask == "BottomRight" else 0
    ahead = np.arange(columns) - (np.arange(rows)[:, None] + diagonal)
    seen = np.ones((rows, columns), bool)
    if causal_mask:
        seen &= ahead <= 0
    if window_size is not None:
        seen &= -ahead < window_size
    return seen


def _head(query: Any, key: Any, value: Any, bias: Any, seen: Any, scale: float | None) -> Any:
    """Attention of one head on matrices (queries, width) and (keys, width). A query that sees no key yields 0."""
    scores = query @ key.T * query.dtype.type(1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    scores = scores + (0 if bias is None else bias)
    scores = np.where(seen, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.where(seen, np.exp(scores - np.where(top == -np.inf, 0, top)), 0)
    total = weights.sum(axis=-1, keepdims=True)
    return np.where(total == 0, 0, weights @ value / np.where(total == 0, 1, total)).astype(query.dtype)


def attention(query: Any, key: Any, value: Any, bias: Any = None, **a: Any) -> Any:
    seen = _seen(query.shape[1], key.shape[1], a["causal_mask"], a["window_size"])
    out = np.zeros((*query.shape[:3], value.shape[3]), query.dtype)
    if bias is not None:
        bias = np.broadcast_to(bias, (query.shape[0], query.shape[2], query.shape[1], key.shape[1]))
    for b, h in np.ndindex(query.shape[0], query.shape[2]):
        at = (b, slice(None), h)
        out[at] = _head(query[at], key[at], value[at], None if bias is None else bias[b, h], seen, a["scale"])
    return out


def product_attention(query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, **a: Any) -> Any:
    scores = query @ key + (0 if bias is None else bias)
    if mask is not None:
        scores = np.where(mask, scores, -np.inf if a["hidden"] is None else a["hidden"])
    off = scores - scores.max(axis=-1, keepdims=True, initial=-np.inf)
    weights = np.exp(off) / np.exp(off).sum(axis=-1, keepdims=True)
    out = weights @ value
    if a["nan_as_zero"] and weights.shape[-1] > 0:
        out = np.where(np.isnan(weights).any(axis=-1, keepdims=True), 0, out)
    return out.astype(query.dtype)


def attention_of_sequences(
    query: Any,
    key: Any,
    value: Any,
    starts: Any,
    longest: Any,
    key_starts: Any = None,
    longest_key: Any = None,
    **a: Any,
) -> Any:
    key_starts = starts if key_starts is None else key_starts
    out = np.zeros((*query.shape[:3], value.shape[3]), query.dtype)
    for i in range(len(starts) - 1):
        rows, columns = slice(starts[i], starts[i + 1]), slice(key_starts[i], key_starts[i + 1])
        seen = _seen(rows.stop - rows.start, columns.stop - columns.start, a["causal_mask"], a["window_size"])
        for h in range(query.shape[2]):
            parts = query[0, rows, h], key[0, columns, h], value[0, columns, h]
            # Masked keys and values are not read, so a NaN in them does not reach the result.
            for r in range(len(seen)):
                where = seen[r]
                one = _head(
                    parts[0][r : r + 1], parts[1][where], parts[2][where], None, seen[r : r + 1, where], a["scale"]
                )
                out[0, rows.start + r, h] = one[0]
    return out
