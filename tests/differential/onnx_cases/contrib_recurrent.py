"""Cases of ONNX Runtime's recurrent layers with quantised weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx_case import Case, T, W

# Weights of 7 bits: without VNNI, ONNX Runtime's products of uint8 and int8 saturate at 16 bits.
S7 = {"dtype": np.int8, "low": -64, "high": 64}
U7 = {"dtype": np.uint8, "low": 0, "high": 128}
WIDTH, HIDDEN = 5, 4


def _lstm(
    directions: int = 1,
    signed: bool = True,
    columns: bool = False,
    states: bool = False,
    peepholes: bool = False,
    bias: bool = True,
    length: int = 6,
    dynamic: Any = None,
    **attrs: Any,
) -> Case:
    kind = S7 if signed else U7
    shape = (directions, 4 * HIDDEN) if columns else (directions,)
    scale = W(*shape, low=0.005, high=0.02)
    zero = W(value=np.full(shape, 0 if signed else 64, np.int8 if signed else np.uint8))
    state = T(directions, 2, HIDDEN) if states else None
    inputs = [
        T(length, 2, WIDTH),
        W(directions, WIDTH, 4 * HIDDEN, **kind),
        W(directions, HIDDEN, 4 * HIDDEN, **kind),
        W(directions, 8 * HIDDEN) if bias else None,
        None,
        state,
        state,
        W(directions, 3 * HIDDEN) if peepholes else None,
        scale,
        zero,
        scale,
        zero,
    ]
    return Case(inputs, outputs=3, attrs={"hidden_size": HIDDEN, **attrs}, dynamic=dynamic)


CASES = {
    "com.microsoft::DynamicQuantizeLSTM": [
        _lstm(bias=False),
        _lstm(signed=False),
        _lstm(2, columns=True, states=True, direction="bidirectional"),
        _lstm(signed=False, columns=True, peepholes=True, direction="reverse"),
        _lstm(states=True, input_forget=1),
        _lstm(length=1, states=True),
        _lstm(2, signed=False, dynamic={0: {0: "t", 1: "n"}}, direction="bidirectional"),
    ]
}
