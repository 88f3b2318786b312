"""Cases of quantisation."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto
from onnx_case import Case, T, W

X8 = {"dtype": np.uint8, "high": 256}
S8 = {"dtype": np.int8, "low": -128, "high": 128}
S7 = {"dtype": np.int8, "low": -64, "high": 64}  # ONNX Runtime adds pairs of products in 16 bits
N = {"dynamic": {0: {0: "n"}}}


def scale(*values: float) -> W:
    return W(value=np.array(values[0] if len(values) == 1 else values, "float32"))


def zero(*values: int, dtype: str = "uint8") -> W:
    return W(value=np.array(values[0] if len(values) == 1 else values, dtype))


def _blocks(x: np.ndarray, s: np.ndarray, z: np.ndarray | None, size: int, axis: int) -> Any:
    repeated = [p if p is None else np.repeat(p, size, axis).take(range(x.shape[axis]), axis) for p in (s, z)]
    return repeated


def _divided(x: np.ndarray, s: np.ndarray, z: np.ndarray) -> np.ndarray:
    s, z = _blocks(x, s, z, 2, 1)
    return np.clip(np.round(x / s) + z, -128, 127).astype("int8")


WIDE = T(3, 4, low=-40, high=40)
CASES = {
    "QuantizeLinear": [
        Case([WIDE, scale(0.25), zero(128)], opset=13),
        Case([WIDE, scale(0.25), zero(-3, dtype="int8")], opset=10),
        Case([WIDE, scale(0.25)], opset=13),
        Case([WIDE, scale(0.25, 0.5, 0.125, 1), zero(1, 2, 3, 128)], opset=13),
        Case([WIDE, scale(0.25, 0.5, 0.125), zero(1, -2, 3, dtype="int8")], opset=13, attrs={"axis": 0}),
        Case([WIDE, scale(0.25, 0.5, 0.125, 1), zero(1, -2, 3, 0, dtype="int8")], opset=13, attrs={"axis": -1}),
        Case([WIDE, scale(0.01), zero(0, dtype="int16")], opset=21),
        Case([WIDE, scale(0.25)], opset=21, attrs={"output_dtype": int(TensorProto.INT8)}),
        Case(
            [T(3, 4, low=-40, high=40), W(3, 2, positive=True), W(3, 2, **S8)],
            opset=21,
            attrs={"block_size": 2},
            reference=_divided,
        ),
        Case(
            [T(value=np.array([0.5, 1.5, 2.5, -0.5, 1e9, -1e9], "float32")), scale(1.0), zero(0, dtype="int8")],
            opset=13,
        ),
        Case([WIDE, scale(0.25), zero(128)], opset=13, **N),
    ],
    "DequantizeLinear": [
        Case([T(3, 4, **X8), scale(0.25), zero(128)], opset=10, engine="ort"),
        Case([T(3, 4, **S8), scale(0.25)], opset=13, engine="ort"),
        Case([T(3, 4, dtype=np.int32, low=-999, high=999), scale(0.25)], opset=13, engine="ort"),
        Case([T(3, 4, **X8), scale(0.25, 0.5, 0.125, 1), zero(1, 2, 3, 128)], opset=13, engine="ort"),
        Case([T(3, 4, **X8), scale(0.25, 0.5, 0.125), zero(1, 2, 3)], opset=13, attrs={"axis": 0}, engine="ort"),
        Case([T(3, 4, **X8), scale(0.25, 0.5, 0.125), zero(1, 2, 3)], opset=21, attrs={"axis": -2}),
        Case([T(3, 4, **S8), W(3, 2, positive=True), W(3, 2, **S8)], opset=21, attrs={"block_size": 2}),
        Case([T(4, 3, **S8), W(2, 3, positive=True)], opset=21, attrs={"block_size": 2, "axis": 0}),
        Case([T(3, 4, **X8), scale(0.25), zero(128)], opset=13, engine="ort", **N),
    ],
    "DynamicQuantizeLinear": [
        Case([T(3, 4)], outputs=3, opset=11),
        Case([T(3, 4, low=1, high=3)], outputs=3, opset=11),
        Case([T(3, 4, low=-3, high=-1)], outputs=3, opset=11),
        Case([T(3, 4)], outputs=3, opset=11, **N),
    ],
    "MatMulInteger": [
        Case([T(3, 4, **X8), T(4, 5, **X8)], opset=10),
        Case([T(3, 4, **X8), W(4, 5, **S7), zero(12), zero(-3, dtype="int8")], opset=10, engine="ort"),
        Case([T(3, 4, **X8), W(4, 5, **X8), zero(12), zero(1, 2, 3, 4, 5)], opset=10, engine="ort"),
        Case([T(2, 3, 4, **X8), W(4, 5, **X8), zero(12)], opset=10),
        Case([T(2, 3, 4, **X8), T(2, 4, 5, **S7), zero(12), zero(3, dtype="int8")], opset=10, engine="ort"),
        Case([T(4, **X8), W(4, 5, **X8), zero(12), zero(9)], opset=10),
        Case([T(3, 4, **X8), W(4, 5, **S7), zero(0), zero(0, dtype="int8")], opset=10, engine="ort", **N),
    ],
    "ConvInteger": [
        Case([T(1, 3, 5, 5, **X8), W(4, 3, 3, 3, **X8)], opset=10),
        Case(
            [T(1, 3, 5, 5, **X8), W(4, 3, 3, 3, **X8), zero(7)],
            opset=10,
            attrs={"pads": [1, 1, 1, 1], "strides": [2, 2]},
        ),
        Case([T(1, 3, 5, 5, **X8), W(4, 3, 3, 3, **X8), zero(7), zero(9)], opset=10, engine="ort"),
        Case([T(1, 4, 5, 5, **X8), W(4, 1, 3, 3, **X8), zero(7)], opset=10, attrs={"group": 4}, **N),
        Case(
            [T(2, 4, 5, 6, **X8), W(6, 2, 3, 3, **X8), zero(200)],
            opset=10,
            attrs={"group": 2, "pads": [0, 1, 2, 1], "dilations": [1, 2]},
        ),
    ],
    "QLinearMatMul": [
        Case(
            [T(3, 4, **X8), scale(0.5), zero(12), W(4, 5, **X8), scale(0.25), zero(7), scale(40.0), zero(100)], opset=10
        ),
        Case(
            [
                T(2, 3, 4, **X8),
                scale(0.5),
                zero(12),
                W(4, 5, **S7),
                scale(0.25),
                zero(7, dtype="int8"),
                scale(40.0),
                zero(100),
            ],
            opset=21,
            engine="ort",
        ),
        Case(
            [
                T(3, 4, **X8),
                scale(0.5),
                zero(12),
                W(4, 5, **S7),
                scale(0.25, 0.5, 1, 2, 3),
                zero(7, 1, 2, 3, 4, dtype="int8"),
                scale(40.0),
                zero(100),
            ],
            opset=10,
            engine="ort",
            **N,
        ),
    ],
    "QLinearConv": [
        Case(
            [
                T(1, 3, 5, 5, **X8),
                scale(0.5),
                zero(12),
                W(4, 3, 3, 3, **X8),
                scale(0.25),
                zero(7),
                scale(200.0),
                zero(100),
            ],
            opset=10,
        ),
        Case(
            [
                T(1, 3, 5, 5, **X8),
                scale(0.5),
                zero(12),
                W(4, 3, 3, 3, **S7),
                W(4, positive=True),
                W(value=np.zeros(4, "int8")),
                scale(200.0),
                zero(100),
                W(4, dtype=np.int32, low=-9999, high=9999),
            ],
            opset=10,
            attrs={"pads": [1, 1, 1, 1], "strides": [2, 2]},
            engine="ort",
        ),
        Case(
            [
                T(1, 4, 5, 5, **X8),
                scale(0.5),
                zero(12),
                W(4, 1, 3, 3, **X8),
                scale(0.25),
                zero(7),
                scale(200.0),
                zero(100),
            ],
            opset=10,
            attrs={"group": 4},
            **N,
        ),
    ],
}
