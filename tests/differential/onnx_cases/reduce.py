"""Cases of reductions."""

from __future__ import annotations

import numpy as np
from onnx_case import Case, T, W


def _axes(*values: int) -> W:
    return W(value=np.array(values, "int64"))


def _cases(first: int, dtype: type = np.float32, **how: object) -> list[Case]:
    """`first` is the opset in which axes became an input."""
    x = T(2, 3, 4, dtype=dtype, **how)  # type: ignore[arg-type]
    old = [
        Case([x], opset=first - 1, attrs=attrs)
        for attrs in ({}, {"keepdims": 0}, {"axes": [1]}, {"axes": [-1, 0], "keepdims": 0}, {"axes": [0, 1, 2]})
    ]
    new = [
        Case([x], opset=first),
        Case([x, _axes(1)], opset=first),
        Case([x, _axes(-1, 0)], opset=first, attrs={"keepdims": 0}),
        Case([x, _axes()], opset=first),
        Case([x, _axes()], opset=first, attrs={"noop_with_empty_axes": 1}),
        Case([x], opset=first, attrs={"noop_with_empty_axes": 1}),
        Case([x, _axes(0)], opset=first, attrs={"keepdims": 0}, dynamic={0: {0: "n"}}),
        Case([x, _axes(1)], opset=first, dynamic={0: {0: "n"}}),
    ]
    return old + new


INTS = T(2, 3, dtype=np.int32, low=-5, high=5)
WIDE = T(value=np.array([[-np.inf, -np.inf], [1000, 1000], [1, 2], [np.inf, 1]], "float32"))
EMPTY = T(2, 0, 3)

CASES = {
    "ReduceSum": [*_cases(13), Case([INTS], opset=13), Case([EMPTY, _axes(1)], opset=13)],
    "ReduceMean": _cases(18),
    "ReduceMax": [*_cases(18), Case([INTS, _axes(1)], opset=18), Case([T(2, 3, dtype=np.bool_), _axes(1)], opset=20)],
    "ReduceMin": [*_cases(18), Case([INTS, _axes(1)], opset=18), Case([T(2, 3, dtype=np.bool_), _axes(1)], opset=20)],
    "ReduceProd": [*_cases(18), Case([EMPTY, _axes(1)], opset=18)],
    "ReduceL1": [*_cases(18), Case([INTS], opset=18)],
    "ReduceL2": _cases(18),
    "ReduceSumSquare": [*_cases(18), Case([INTS], opset=18, engine="ort")],
    "ReduceLogSum": _cases(18, positive=True),
    "ReduceLogSumExp": [
        *_cases(18),
        Case([WIDE, _axes(1)], opset=18, attrs={"keepdims": 0}, reference=lambda x, _: np.logaddexp.reduce(x, 1)),
    ],
}
