"""Cases of arithmetic."""

from __future__ import annotations

import numpy as np
from onnx_case import Case, T, W

EDGES = np.array([-np.inf, -7.5, -2.5, -1.5, -1, -0.5, -0.0, 0, 0.5, 1, 1.5, 2.5, 7.5, np.inf, np.nan], "float32")
UNIT = np.linspace(-1, 1, 9, dtype="float32")
INTS = np.array([-9, -8, -5, -3, -1, 1, 2, 5, 8, 9], "int32")
BOTH = {"dynamic": {0: {0: "n"}, 1: {0: "n"}}}
NANS = np.array([[1, np.nan, 3], [np.nan, -1, 0]], "float32")


def _unary(opset: int, value: np.ndarray = EDGES, **how: float) -> list[Case]:
    return [Case([T(value=value)], opset=opset), Case([T(3, 4, **how)], opset=opset, dynamic={0: {0: "n"}})]


def _two(old: int, new: int) -> list[Case]:
    return [
        Case([T(2, 3, 4), T(2, 3, 4)], opset=new),
        Case([T(2, 1, 4), W(3, 1)], opset=old),
        Case([T(), T(2, 2)], opset=new),
        Case([T(2, 3, dtype=np.int64, low=-5, high=9), W(3, dtype=np.int64, low=1, high=5)], opset=new),
        Case([T(2, 3, dtype=np.float64), T(2, 3, dtype=np.float64, positive=True)], opset=new, tol=1e-12),
        Case([T(2, 3, dtype=np.float16), T(2, 3, dtype=np.float16, positive=True)], opset=new, tol=2e-3),
        Case([T(2, 3), T(2, 3, positive=True)], opset=new, **BOTH),
        Case([T(0, 3), T(1, 3)], opset=new),
    ]


def _extreme() -> list[Case]:
    return [
        Case([T(2, 3), T(3), T(1)], opset=8),
        Case([T(2, 3)], opset=13),
        Case([T(value=NANS), T(2, 3)], opset=13),
        Case([T(4, dtype=np.int64, low=-5, high=5), T(4, dtype=np.int64, low=-5, high=5)], opset=13),
        Case([T(4, dtype=np.uint8), T(4, dtype=np.uint8)], opset=13),
        Case([T(2, 3), T(2, 3)], opset=13, **BOTH),
    ]


def _axis(value: int, dtype: str = "int64") -> W:
    return W(value=np.array(value, dtype))


def _scans(opset: int) -> list[Case]:
    forms = [{}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}]
    found = [Case([T(2, 3, 4), _axis(axis)], opset=opset, attrs=form) for axis in (0, 1, -1) for form in forms]
    found.append(Case([T(2, 5, dtype=np.int32), _axis(1, "int32")], opset=opset))
    return [*found, Case([T(2, 3), _axis(0)], opset=opset, attrs={"reverse": 1}, dynamic={0: {0: "n"}})]


CASES = {
    "Add": _two(7, 14),
    "Sub": _two(7, 14),
    "Mul": _two(7, 14),
    "Div": [
        *_two(7, 14),
        Case([T(value=INTS), W(value=np.array(4, "int32"))]),
        Case([T(value=INTS), W(value=np.array(-4, "int32"))]),
        Case([T(value=EDGES), W(value=np.array(0, "float32"))]),
    ],
    "Pow": [
        Case([T(2, 3, positive=True), T(2, 3)], opset=7),
        *[Case([T(2, 3), W(value=np.array(e, "float32"))], opset=15) for e in (0, 1, 2, 3, 4)],
        Case([T(2, 3, positive=True), W(value=np.array(0.5, "float32"))], opset=15),
        Case([T(2, 3, positive=True), W(value=np.array([2], "float32"))], opset=13),
        Case([T(3, positive=True), W(value=np.array([[2]], "float32"))], opset=13),
        Case([T(2, 3), W(value=np.array(2, "int64"))], opset=15),
        Case([T(2, 3), T(2, 3, dtype=np.int32, low=0, high=4)], opset=15),
        Case([T(2, 3, dtype=np.int64, low=-4, high=5), T(2, 3, dtype=np.int64, low=0, high=4)], opset=15),
        Case([T(2, 3, dtype=np.int32, low=1, high=5), W(value=np.array(1.5, "float32"))], opset=15),
        Case([T(2, 3, dtype=np.int32, low=-5, high=5), T(3, dtype=np.int32, high=4)], opset=12),
        Case([T(2, 3, positive=True), T(2, 3)], opset=15, **BOTH),
    ],
    "Mod": [
        Case([T(value=INTS), W(value=np.array(4, "int32"))], opset=13),
        Case([T(value=INTS), W(value=np.array(-4, "int32"))], opset=13),
        Case([T(value=INTS), W(value=np.array(-4, "int32"))], opset=13, attrs={"fmod": 1}),
        Case([T(value=INTS), W(value=np.array(4, "int32"))], opset=10, attrs={"fmod": 1}),
        Case([T(value=EDGES), W(value=np.array(2, "float32"))], opset=13, attrs={"fmod": 1}),
        Case([T(value=EDGES), W(value=np.array(-2, "float32"))], opset=13, attrs={"fmod": 1}),
        Case([T(3, 4), W(value=np.array(0.3, "float32"))], opset=28, attrs={"fmod": 0}),
        Case([T(3, dtype=np.uint8), W(value=np.array([3, 4, 5], "uint8"))], opset=13),
        Case([T(3, 2, dtype=np.int64), T(3, 2, dtype=np.int64, low=1)], opset=13, **BOTH),
    ],
    "Max": _extreme(),
    "Min": _extreme(),
    "Sum": [
        Case([T(2, 3), T(3), T(2, 1)], opset=8),
        Case([T(2, 3)], opset=13),
        Case([T(2, 3), T(2, 3)], opset=13, **BOTH),
    ],
    "Mean": [
        Case([T(2, 3), T(3), T(2, 1)], opset=8),
        Case([T(2, 3)], opset=13),
        Case([T(2, 3), T(2, 3)], opset=13, **BOTH),
    ],
    "Clip": [
        Case([T(3, 4)], opset=7, attrs={"min": -0.5, "max": 0.25}),
        Case([T(3, 4)], opset=7, attrs={"min": 0.25}),
        Case([T(3, 4)], opset=7),
        Case([T(3, 4), W(value=np.float32(-0.5)), W(value=np.float32(0.25))], opset=11),
        Case([T(3, 4), None, W(value=np.float32(0.25))], opset=13),
        Case([T(3, 4), W(value=np.float32(0.25))], opset=13),
        Case([T(3, 4)], opset=13),
        Case([T(3, 4), W(value=np.float32(0.5)), W(value=np.float32(-0.5))], opset=13),
        Case([T(3, 4), T(), T()], opset=13),
        Case([T(9, dtype=np.int8, low=-9, high=9), W(value=np.int8(-3)), W(value=np.int8(4))], opset=13),
        Case([T(value=EDGES), W(value=np.float32(-1)), W(value=np.float32(1))], opset=13),
        Case([T(3, 4), W(value=np.float32(-0.5)), W(value=np.float32(0.25))], opset=13, dynamic={0: {0: "n"}}),
    ],
    "CumSum": _scans(14),
    "CumProd": _scans(26),
    "Reciprocal": [Case([T(2, 3, positive=True)], opset=13), Case([T(value=EDGES)], opset=13)],
    "Abs": [*_unary(13), Case([T(value=INTS)], opset=13)],
    "Neg": [*_unary(13), Case([T(value=INTS)], opset=13)],
    "Sqrt": _unary(13, low=0, high=4),
    "Exp": _unary(13),
    "Log": _unary(13, low=0, high=4),
    "Floor": _unary(13),
    "Ceil": _unary(13),
    "Round": [*_unary(11), *_unary(22)],
    "Sign": [Case([T(value=EDGES[:-1])], opset=13), Case([T(value=INTS)], opset=13)],
    "Erf": _unary(13),
    "Sin": _unary(7, EDGES[1:-2]),
    "Cos": _unary(7, EDGES[1:-2]),
    "Tan": _unary(7, EDGES[1:-2]),
    "Asin": _unary(7, UNIT, low=-1, high=1),
    "Acos": _unary(7, UNIT, low=-1, high=1),
    "Atan": _unary(22),
    "Sinh": _unary(9),
    "Cosh": _unary(9),
    "Asinh": _unary(9),
    "Acosh": _unary(9, EDGES[9:], low=1, high=4),
    "Atanh": _unary(9, UNIT, low=-1, high=1),
}
