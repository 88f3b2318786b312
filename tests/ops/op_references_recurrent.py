"""Reference implementations of recurrent layers in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

ACTIVATIONS: dict[str, Any] = {
    "relu": lambda x: np.maximum(x, 0),
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "affine": lambda x: x,
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "thresholded_relu": lambda x: np.where(x > 1, x, 0),
    "scaled_tanh": np.tanh,
    "hard_sigmoid": lambda x: np.clip(0.2 * x + 0.5, 0, 1),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "softplus": lambda x: np.logaddexp(x, 0),
}  # fmt: skip


def _over_time(gates: Any, state: list[Any], lengths: Any, reverse: bool, step: Any) -> Any:
    """Runs each sequence from first to last step or in reverse; `step` maps gates and state to the next state."""
    steps, batch = gates.shape[:2]
    out = np.zeros((steps, batch, state[0].shape[1]), gates.dtype)
    last = [s.copy() for s in state]
    for b in range(batch):
        count = steps if lengths is None else int(lengths[b])
        now = [s[b].astype(np.float64) for s in state]
        for t in reversed(range(count)) if reverse else range(count):
            now = step(gates[t, b].astype(np.float64), now)
            out[t, b] = now[0]
        for kept, value in zip(last, now, strict=True):
            kept[b] = value
    return out, *last


def _activations(words: Any, clip: float) -> list[Any]:
    def limited(function: Any) -> Any:
        return lambda x: function(np.clip(x, -clip, clip) if clip > 0 else x)

    return [limited(ACTIVATIONS[str(w)]) for w in words]


def rnn(gates: Any, weight: Any, hidden: Any, lengths: Any = None, *, activations: Any, clip: float, reverse: bool,
         **_: Any) -> Any:  # fmt: skip
    (f,) = _activations(activations, clip)
    return _over_time(gates, [hidden], lengths, reverse, lambda g, s: [f(g + weight @ s[0])])


def gru(gates: Any, weight: Any, hidden: Any, reset_bias: Any = None, lengths: Any = None, *, activations: Any,
         clip: float, reverse: bool, resets_product: bool, **_: Any) -> Any:  # fmt: skip
    f, g = _activations(activations, clip)
    n = hidden.shape[1]
    bias = np.zeros(n) if reset_bias is None else reset_bias

    def step(x: Any, state: list[Any]) -> list[Any]:
        h = state[0]
        reset, update = f(x[:n] + weight[:n] @ h), f(x[n : 2 * n] + weight[n : 2 * n] @ h)
        new = weight[2 * n :]
        part = reset * (new @ h + bias) if resets_product else new @ (reset * h) + bias
        return [(1 - update) * g(x[2 * n :] + part) + update * h]

    return _over_time(gates, [hidden], lengths, reverse, step)


def lstm(gates: Any, weight: Any, hidden: Any, cell: Any, peepholes: Any = None, lengths: Any = None, *,
          activations: Any, clip: float, reverse: bool, couples_gates: bool, **_: Any) -> Any:  # fmt: skip
    f, g, _unused = _activations(activations, clip)
    show = ACTIVATIONS[str(activations[2])]
    n = hidden.shape[1]
    look = np.zeros(3 * n) if peepholes is None else peepholes

    def step(x: Any, state: list[Any]) -> list[Any]:
        i, forget, new, o = (x + weight @ state[0]).reshape(4, n)
        i = f(i + look[:n] * state[1])
        forget = 1 - i if couples_gates else f(forget + look[2 * n :] * state[1])
        c = forget * state[1] + i * g(new)
        return [f(o + look[n : 2 * n] * c) * show(c), c]

    return _over_time(gates, [hidden, cell], lengths, reverse, step)


def linear_attention(query: Any, key: Any, value: Any, state: Any = None, decay: Any = None, beta: Any = None, *,
                      update_rule: str, scale: float | None) -> Any:  # fmt: skip
    (batch, steps, heads), (groups, rows, columns) = query.shape[:3], (*key.shape[2:], value.shape[3])
    now = np.zeros((batch, groups, rows, columns)) if state is None else state.astype(np.float64)
    out = np.zeros((batch, steps, heads, columns), query.dtype)
    for t in range(steps):
        if update_rule.startswith("gated"):
            now = now * np.exp(decay[:, t].astype(np.float64))[..., None]
        added = value[:, t].astype(np.float64)
        if update_rule.endswith("delta"):
            added = beta[:, t] * (added - np.einsum("bhkv,bhk->bhv", now, key[:, t]))
        now = now + np.einsum("bhk,bhv->bhkv", key[:, t], added)
        shared = np.repeat(now, heads // groups, axis=1)
        out[:, t] = np.einsum("bhkv,bhk->bhv", shared, query[:, t]) * (rows**-0.5 if scale is None else scale)
    return out, now.astype(query.dtype)
