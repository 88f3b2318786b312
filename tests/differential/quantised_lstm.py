"""ONNX Runtime's DynamicQuantizeLSTM for ONNX's own evaluator, in any float type, which does not saturate: without
lengths, peepholes and `clip`, with the usual activations."""

from __future__ import annotations

from typing import Any

import numpy as np
from comparing import Array
from onnx.reference.op_run import OpRun


def _product(a: Array, weight: Array, scale: Array, zero: Array) -> Array:
    """Returns the product of rows, quantised over the range of all of them and 0, and a quantised weight."""
    low, high = min(a.min(), 0), max(a.max(), 0)
    step = (high - low) / 255 if high > low else 1.0
    place = np.rint(-low / step)
    values = np.clip(np.rint(a / step) + place, 0, 255) - place
    return np.asarray(values @ (weight.astype(np.float64) - zero) * (step * scale)).astype(a.dtype)


def _sigmoid(x: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-x)))


class DynamicQuantizeLSTM(OpRun):
    op_domain = "com.microsoft"

    def _run(self, x: Array, *rest: Any, direction: str = "forward", **_: Any) -> tuple[Array, Array, Array]:
        inputs = [x, *rest]
        directions = []
        for d in range(inputs[1].shape[0]):
            is_backward = direction == "reverse" or d == 1
            states = self._direction(x[::-1] if is_backward else x, [None if i is None else i[d] for i in inputs[1:]])
            directions.append((states[0][::-1] if is_backward else states[0], *states[1:]))
        y, h, c = zip(*directions, strict=True)
        return np.stack(y, 1), np.stack(h), np.stack(c)

    def _direction(self, x: Array, part: list[Any]) -> tuple[Array, Array, Array]:
        w, r, b, _, h, c, _, w_scale, w_zero, r_scale, r_zero = part
        steps, batch, hidden = x.shape[0], x.shape[1], r.shape[0]
        h = np.zeros((batch, hidden), x.dtype) if h is None else h
        c = np.zeros((batch, hidden), x.dtype) if c is None else c
        bias = 0 if b is None else b[: 4 * hidden] + b[4 * hidden :]
        from_input = _product(x.reshape(steps * batch, -1), w, w_scale, w_zero).reshape(steps, batch, -1)
        rows = []
        for row in from_input:
            gates = np.split(row + _product(h, r, r_scale, r_zero) + bias, 4, axis=1)
            c = _sigmoid(gates[2]) * c + _sigmoid(gates[0]) * np.tanh(gates[3])
            h = _sigmoid(gates[1]) * np.tanh(c)
            rows.append(h)
        return np.stack(rows), h, c
