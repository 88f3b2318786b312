"""Cases of activations and of what is normalised like them."""

from __future__ import annotations

import numpy as np
from onnx_case import Case, T, W

EDGES = np.array([-np.inf, -100, -4, -3, -1, -0.5, -0.0, 0, 0.25, 0.5, 1, 3, 4, 30, 100, np.inf, np.nan], "float32")
ROWS = {"dynamic": {0: {0: "n"}}}


def _plain(opset: int = 22, attrs: dict[str, float] | None = None) -> list[Case]:
    found = [Case([T(2, 3, 4)], opset=opset), Case([T(value=EDGES)], opset=opset)]
    found += [Case([T(3, 4)], opset=opset, **ROWS), Case([T(2, 3, dtype=np.float16)], opset=opset, tol=2e-3)]
    return [*found, *([Case([T(value=EDGES)], opset=opset, attrs=attrs)] if attrs else [])]


def _flat(op_axes: tuple[int, ...]) -> list[Case]:
    old = [Case([T(2, 3, 4)], opset=11, attrs={"axis": axis}, engine="ort") for axis in op_axes]
    return [
        *old,
        Case([T(2, 3, 4)], opset=11, engine="ort"),
        Case([T(2, 3, 4)], opset=13),
        Case([T(3, 5)], opset=13, **ROWS),
    ]


CASES = {
    "Relu": [*_plain(), Case([T(2, 5, dtype=np.int32, low=-5, high=5)], opset=14)],
    "Sigmoid": _plain(13),
    "Tanh": _plain(13),
    "Softplus": [*_plain(22), Case([T(value=EDGES[1:-2])], opset=7)],
    "Softsign": [Case([T(2, 3, 4)], opset=22), Case([T(value=EDGES[1:-2])], opset=7), Case([T(3, 4)], **ROWS)],
    "LeakyRelu": _plain(16, {"alpha": 0.3}),
    "PRelu": [
        Case([T(2, 3, 4), W(3, 1)], opset=16),
        Case([T(2, 3, 4), W(1)], opset=9),
        Case([T(2, 3, 4), T(2, 3, 4)], opset=7),
        Case([T(2, 3, dtype=np.int32, low=-5, high=5), W(3, dtype=np.int32)], opset=9),
        Case([T(2, 3, 4), W(3, 1)], opset=16, **ROWS),
    ],
    "Elu": _plain(22, {"alpha": 0.3}),
    "Selu": _plain(22, {"alpha": 0.3, "gamma": 2.0}),
    "Celu": [Case([T(2, 3, 4)], opset=12), Case([T(2, 3, 4)], opset=12, attrs={"alpha": 0.3}), Case([T(3, 4)], **ROWS)],
    "HardSigmoid": [
        *[Case([T(2, 3, 4)], opset=opset) for opset in (7, 22)],
        Case([T(value=EDGES)], attrs={"alpha": 0.5, "beta": 0.25}, opset=22),
        Case([T(3, 4)], **ROWS),
    ],
    "HardSwish": [Case([T(2, 3, 4)], opset=14), Case([T(value=EDGES[1:-2])], opset=22), Case([T(3, 4)], **ROWS)],
    "Mish": [Case([T(2, 3, 4)], opset=18), Case([T(value=EDGES[1:-2])], opset=22), Case([T(3, 4)], **ROWS)],
    "ThresholdedRelu": _plain(22, {"alpha": 0.3}),
    "Shrink": [
        Case([T(2, 3, 4)], opset=9),
        Case([T(value=EDGES)], attrs={"lambd": 0.75, "bias": 0.5}),
        Case([T(value=EDGES)], attrs={"lambd": 0.75}),
        Case([T(3, 4)], **ROWS),
    ],
    "Gelu": [
        Case([T(2, 3, 4)], opset=20),
        Case([T(2, 3, 4, low=-3, high=3)], opset=20, attrs={"approximate": "tanh"}, tol=1e-6),
        Case([T(2, 3, 4, low=-3, high=3)], opset=20, attrs={"approximate": "none"}, tol=1e-6),
        Case([T(3, 4)], opset=20, **ROWS),
    ],
    "Swish": [
        Case([T(2, 3, 4)], opset=24),
        Case([T(2, 3, 4)], opset=24, attrs={"alpha": 0.5}),
        Case([T(3, 4)], opset=24, **ROWS),
    ],
    "SwiGLU": [
        Case([T(2, 3), T(2, 3)], opset=28),
        Case([T(2, 3), T(2, 3)], opset=28, attrs={"alpha": 0.5}),
        Case([T(2, 3), T(2, 3)], opset=28, dynamic={0: {0: "n"}, 1: {0: "n"}}),
    ],
    "Softmax": [*_flat((0, 1, 2, -2)), *[Case([T(2, 3, 4)], opset=13, attrs={"axis": a}) for a in (0, 1, -2)]],
    "LogSoftmax": [*_flat((0, 1, 2, -2)), *[Case([T(2, 3, 4)], opset=13, attrs={"axis": a}) for a in (0, 1, -2)]],
    "Hardmax": [
        *_flat((0, 1, 2)),
        *[Case([T(2, 3, 4)], opset=13, attrs={"axis": a}) for a in (0, 1, -2)],
        Case([T(value=np.array([[1, 3, 3], [2, 2, 2]], "float32"))], opset=13),
    ],
}
