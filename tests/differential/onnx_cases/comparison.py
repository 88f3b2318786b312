"""Cases of comparisons, logic and bits."""

from __future__ import annotations

import numpy as np
from onnx_case import Case, T, W

EDGES = np.array([-np.inf, -2, -0.0, 0, 1, 2, np.inf, np.nan], "float32")
OTHER = np.array([-np.inf, 2, 0, 0, 1, -2, 2, np.nan], "float32")
BOTH = {"dynamic": {0: {0: "n"}, 1: {0: "n"}}}
BOOL = {"dtype": np.bool_}


def _compared(old: int, new: int) -> list[Case]:
    return [
        Case([T(2, 3), T(2, 3)], opset=old),
        Case([T(value=EDGES), T(value=OTHER)], opset=new),
        Case([T(2, 1, 3, dtype=np.int64), W(4, 1, dtype=np.int64)], opset=new),
        Case([T(8, dtype=np.int32, high=3), T(8, dtype=np.int32, high=3)], opset=new, **BOTH),
    ]


def _logic() -> list[Case]:
    return [
        Case([T(2, 3, **BOOL), T(2, 3, **BOOL)]),
        Case([T(2, 1, 3, **BOOL), T(4, 1, **BOOL)]),
        Case([T(8, **BOOL), T(8, **BOOL)], **BOTH),
    ]


def _bits() -> list[Case]:
    found = [Case([T(9, dtype=t, high=100), T(9, dtype=t, high=100)], opset=18) for t in (np.uint8, np.int64, np.int32)]
    return [*found, Case([T(3, 1, dtype=np.uint16), T(2, dtype=np.uint16)], opset=18)]


def _shifts(direction: str) -> list[Case]:
    attrs = {"direction": direction}
    found = [
        Case([T(9, dtype=t, high=100), T(9, dtype=t, high=8)], opset=11, attrs=attrs)
        for t in (np.uint8, np.uint32, np.uint64)
    ]
    beyond = [
        Case(
            [T(value=np.array([1, 200, 255], "uint8")), T(value=np.array([7, 8, 200], "uint8"))], opset=28, attrs=attrs
        ),
        Case(
            [T(value=np.array([-9, 9, -9, 9], "int32")), T(value=np.array([1, 2, 40, -1], "int32"))],
            opset=28,
            attrs=attrs,
            reference=_shifted_left if direction == "LEFT" else _shifted_right,
        ),
    ]
    return found + beyond


def _shifted_left(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    inside = (y >= 0) & (y < 32)
    return np.where(inside, x << np.where(inside, y, 0), 0).astype(x.dtype)


def _shifted_right(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return (x >> np.where((y >= 0) & (y < 32), y, 31)).astype(x.dtype)


CASES = {
    "Equal": [*_compared(11, 19), Case([T(8, **BOOL), T(8, **BOOL)], opset=7)],
    "Greater": _compared(9, 13),
    "GreaterOrEqual": _compared(12, 16),
    "Less": _compared(9, 13),
    "LessOrEqual": _compared(12, 16),
    "Where": [
        Case([T(2, 3, **BOOL), T(2, 3), T(2, 3)], opset=16),
        Case([T(3, **BOOL), T(2, 1), T()], opset=9),
        Case([T(2, 3, **BOOL), T(2, 3, dtype=np.int64), T(3, dtype=np.int64)], opset=16),
        Case([T(2, 3, **BOOL), T(2, 3), T(2, 3)], dynamic={i: {0: "n"} for i in range(3)}),
    ],
    "And": _logic(),
    "Or": _logic(),
    "Xor": _logic(),
    "Not": [Case([T(2, 3, **BOOL)]), Case([T(2, 3, **BOOL)], dynamic={0: {0: "n"}})],
    "IsNaN": [Case([T(value=EDGES)], opset=13), Case([T(2, 3)], opset=20, dynamic={0: {0: "n"}})],
    "IsInf": [
        *[
            Case([T(value=EDGES)], opset=opset, attrs={"detect_negative": low, "detect_positive": high})
            for low in (0, 1)
            for high in (0, 1)
            for opset in (10, 20)
        ],
        Case([T(value=EDGES)], opset=20),
        Case([T(2, 3)], opset=20, dynamic={0: {0: "n"}}),
    ],
    "BitwiseAnd": _bits(),
    "BitwiseOr": _bits(),
    "BitwiseXor": _bits(),
    "BitwiseNot": [Case([T(9, dtype=t)], opset=18) for t in (np.uint8, np.int32, np.int64)],
    "BitShift": [*_shifts("LEFT"), *_shifts("RIGHT")],
}
