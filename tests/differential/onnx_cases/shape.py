"""Cases of ops on shapes, and of what orders, joins or cuts elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx_case import Case, T, W

N = {"dynamic": {0: {0: "n"}}}
X = T(2, 3, 4)


def ints(*values: int, dtype: str = "int64") -> W:
    return W(value=np.array(values, dtype))


def _axes_forms(first: int, attr: str, x: T, *forms: tuple[int, ...]) -> list[Case]:
    old = [Case([x], opset=first - 1, attrs={attr: list(axes)}) for axes in forms]
    return old + [Case([x, ints(*axes)], opset=first) for axes in forms]


def _pads(*widths: int) -> list[Case]:
    return [Case([X], opset=10, attrs={"pads": list(widths)}), Case([X, ints(*widths)], opset=13)]


def _sliced(*index: slice) -> Any:
    return lambda x, *_: x[index]


CASES = {
    "Shape": [
        Case([X], opset=13),
        Case([X], opset=15, attrs={"start": 1}),
        Case([X], opset=15, attrs={"end": -1}),
        Case([X], opset=15, attrs={"start": -2, "end": 3}),
        Case([X], opset=15, attrs={"start": -9, "end": 9}),
        Case([X], opset=15, attrs={"start": 2, "end": 1}),
        Case([X], opset=15, **N),
        Case([T(2, 0)], opset=21),
        Case([T()], opset=13),
    ],
    "Size": [Case([X], opset=13), Case([T()], opset=21), Case([X], opset=13, **N), Case([T(2, 0)], opset=13)],
    "Reshape": [
        Case([X, ints(4, 6)], opset=7),
        Case([X, ints(-1, 2)], opset=13),
        Case([X, ints(0, -1)], opset=13),
        Case([X, ints(0, 0, 2, 2)], opset=14),
        Case([T(0, 3, 4), ints(3, 0, -1)], opset=14, reference=lambda x, s: x.reshape(3, 3, 0)),
        Case([T(0, 3, 4), ints(3, 4, 0)], opset=14, attrs={"allowzero": 1}),
        Case([T(1), ints()], opset=13),
        Case([X, ints(-1, 12)], opset=21, **N),
        Case([X, ints(0, -1)], opset=21, **N),
    ],
    "Flatten": [
        *[Case([X], opset=13, attrs={"axis": axis}) for axis in (0, 1, 2, 3, -1, -3)],
        Case([X], opset=9),
        Case([X], opset=13, **N),
    ],
    "Squeeze": [
        *_axes_forms(13, "axes", T(1, 3, 1, 2), (0,), (0, 2), (-2,)),
        Case([T(1, 3, 1, 2)], opset=11),
        Case([T(1, 3, 1, 2)], opset=13),
        Case([T(2, 1, 3), ints(1)], opset=21, **N),
    ],
    "Unsqueeze": [
        *_axes_forms(13, "axes", X, (0,), (1, 4), (-1,)),
        Case([X, ints(-1, 0)], opset=13),
        Case([X, ints(1)], opset=21, **N),
    ],
    "Expand": [
        Case([T(3, 1), ints(2, 1, 6)], opset=8),
        Case([T(3, 4), ints(3, 1)], opset=13),
        Case([T(2, 1, 4), ints(3, 1)], opset=13),
        Case([T(3), ints(1)], opset=13),
        Case([T(), ints(2, 2)], opset=13),
        Case([T(3, 1, dtype=np.int64), ints(3, 4)], opset=13),
        Case([T(3, 1), ints(1, 4)], opset=13, **N),
    ],
    "Tile": [
        Case([X, ints(1, 2, 3)], opset=13),
        Case([X, ints(1, 1, 1)], opset=13),
        Case([T(2, 3, dtype=np.int64), ints(0, 2)], opset=13),
        Case([X, ints(2, 1, 1)], opset=7, **N),
    ],
    "Transpose": [
        Case([X], opset=13),
        Case([X], opset=13, attrs={"perm": [2, 0, 1]}),
        Case([X], opset=13, attrs={"perm": [0, 1, 2]}),
        Case([X], opset=21, attrs={"perm": [1, 0, 2]}, **N),
    ],
    "DepthToSpace": [
        Case([T(2, 12, 2, 3)], opset=opset, attrs={"blocksize": 2, **mode})
        for opset, mode in ((7, {}), (13, {"mode": "CRD"}), (13, {"mode": "DCR"}))
    ]
    + [Case([T(2, 9, 2, 3)], opset=13, attrs={"blocksize": 3}, dynamic={0: {0: "n", 3: "w"}})],
    "SpaceToDepth": [
        Case([T(2, 3, 4, 6)], opset=13, attrs={"blocksize": 2}),
        Case([T(2, 3, 4, 6)], opset=28, attrs={"blocksize": 2, "mode": "CRD"}),
        Case([T(2, 3, 6, 6)], opset=13, attrs={"blocksize": 3}, **N),
    ],
    "ReverseSequence": [
        Case([T(4, 3), ints(1, 2, 4)], opset=10),
        Case([T(4, 3, 2), ints(4, 1, 2, 2)], opset=10, attrs={"time_axis": 1, "batch_axis": 0}),
        Case([T(4, 3), T(3, dtype=np.int64, low=1, high=4)], opset=10, dynamic={0: {0: "n"}}),
    ],
    "Trilu": [
        Case([T(3, 4)], opset=14),
        Case([T(2, 4, 3)], opset=14, attrs={"upper": 0}),
        *[Case([T(3, 4), W(value=np.array(k))], opset=14, attrs={"upper": u}) for k in (-1, 0, 2, 9) for u in (0, 1)],
        Case([T(3, 4, dtype=np.int64)], opset=14, **N),
        *[Case([T(2, 3, 4), T(value=np.array(1))], opset=14, attrs={"upper": u}) for u in (0, 1)],
    ],
    "Concat": [
        Case([T(2, 3), T(2, 1)], opset=13, attrs={"axis": 1}),
        Case([T(2, 3), T(1, 3), W(2, 3)], opset=7, attrs={"axis": 0}),
        Case([T(2, 3), T(2, 3)], opset=13, attrs={"axis": -1}),
        Case([T(2, 3)], opset=13, attrs={"axis": 0}),
        Case([T(2, dtype=np.int64), T(0, dtype=np.int64)], opset=13, attrs={"axis": 0}),
        Case([T(2, 3), T(2, 1)], opset=13, attrs={"axis": 1}, dynamic={0: {0: "n"}, 1: {0: "n"}}),
    ],
    "Slice": [
        Case([X], opset=9, attrs={"starts": [0, 1], "ends": [1, 3], "axes": [0, 2]}),
        Case([X], opset=7, attrs={"starts": [-2], "ends": [2**31 - 1], "axes": [1]}),
        Case([X], opset=7, attrs={"starts": [0, 1], "ends": [1, -1]}),
        Case([X, ints(0, 1), ints(1, 3), ints(0, 2)], opset=10),
        Case([X, ints(1, 1), ints(9, 3)], opset=13),
        Case([X, ints(3), ints(-9), ints(-1), ints(-2)], opset=13),
        Case(
            [X, ints(-1), ints(-(2**63)), ints(2), ints(-1)],
            opset=13,
            reference=_sliced(slice(None), slice(None), slice(None, None, -1)),
        ),
        Case(
            [X, ints(2**63 - 1), ints(-(2**63) + 1), ints(1), ints(-1)],
            opset=13,
            reference=_sliced(slice(None), slice(None, None, -1)),
        ),
        Case([X, ints(2), ints(0), ints(1), ints(-1)], opset=13),
        Case(
            [X, ints(-9), ints(-12), ints(1), ints(-1)],
            opset=13,
            reference=_sliced(slice(None), slice(0, 1)),
        ),
        Case([X, ints(1), ints(2**63 - 1), ints(2), ints(2)], opset=13),
        Case([X, ints(5), ints(9), ints(1)], opset=13),
        Case([X, ints(2), ints(1), ints(1)], opset=13),
        Case([X, ints(0, dtype="int32"), ints(2, dtype="int32"), ints(1, dtype="int32")], opset=13),
        Case([T(6, 3), ints(1), ints(2**63 - 1), ints(0)], opset=13, **N),
        Case(
            [T(6, 3), ints(-1), ints(-(2**63)), ints(0), ints(-1)],
            opset=13,
            reference=_sliced(slice(None, None, -1)),
            **N,
        ),
        Case([T(6, 3), ints(-3), ints(-1), ints(0)], opset=13, **N),
        Case([T(6, 3), ints(4), ints(1), ints(0), ints(-1)], opset=13, **N),
        Case(
            [T(6, 3), T(1, dtype=np.int64, low=1, high=3), T(1, dtype=np.int64, low=3, high=6), ints(0)],
            opset=13,
        ),
        Case(
            [T(6, 3), T(1, dtype=np.int64, low=0, high=2), T(1, dtype=np.int64, low=2, high=4), ints(1), ints(2)],
            opset=13,
        ),
    ],
    "Split": [
        Case([T(6, 4)], outputs=3, opset=11),
        Case([T(6, 4)], outputs=2, opset=7, attrs={"split": [1, 3], "axis": 1}),
        Case([T(6, 4), ints(1, 5)], outputs=2, opset=13),
        Case([T(6, 4), ints(1, 0, 3)], outputs=3, opset=13, attrs={"axis": -1}),
        Case([T(7, 4)], outputs=3, opset=18, attrs={"num_outputs": 3}),
        Case([T(6, 4)], outputs=3, opset=18, attrs={"num_outputs": 3}),
        Case([T(6, 4)], outputs=1, opset=18, attrs={"num_outputs": 1}),
        Case([T(6, 4)], outputs=[True, False, True], opset=13),
        Case([T(6, 4)], outputs=2, opset=18, attrs={"num_outputs": 2, "axis": 1}, **N),
        Case([T(6, 4), ints(1, 3)], outputs=2, opset=13, attrs={"axis": 1}, **N),
    ],
    "Pad": [
        *_pads(0, 1, 2, 0, 0, 1),
        Case([X], opset=10, attrs={"pads": [0, 1, 0, 0, 0, 1], "value": 1.5}),
        Case([X], opset=10, attrs={"pads": [0, 1, 0, 0, 0, 1], "mode": "edge"}),
        Case([X], opset=10, attrs={"pads": [0, 1, 2, 0, 1, 3], "mode": "reflect"}),
        Case([X, ints(0, 1, 0, 0, 0, 1), W(value=np.float32(1.5))], opset=11),
        Case([X, ints(0, 1, 2, 0, 1, 3)], opset=13, attrs={"mode": "reflect"}),
        Case([X, ints(0, 1, 2, 0, 5, 6)], opset=13, attrs={"mode": "edge"}),
        Case([X, ints(0, 1, 2, 0, 2, 3)], opset=19, attrs={"mode": "wrap"}),
        Case([X, ints(1, 2), None, ints(1)], opset=18),
        Case([X, ints(1, 2, 0, 1), W(value=np.float32(1.5)), ints(-1, 0)], opset=18),
        Case([X, ints(0, -1, 0, 0, 0, -1)], opset=13, engine="ort"),
        Case([X, ints(0, -1, 2, 0, 1, -1)], opset=13, engine="ort"),
        Case([T(2, 3, dtype=np.int64), ints(0, 1, 1, 0), W(value=np.int64(7))], opset=13),
        Case([X, ints(0, 0, 0, 0, 0, 0)], opset=13),
        Case([X, ints(1, 0, 0, 1, 0, 1)], opset=21, **N),
    ],
    "CenterCropPad": [
        Case([T(5, 6, 3), ints(4, 9, 3)], opset=18),
        Case([T(5, 6, 3), ints(8, 3, 4)], opset=18),
        Case([T(5, 6, 3), ints(4, 3)], opset=18, attrs={"axes": [1, 0]}),
        Case([T(5, 6, 3), ints(9)], opset=18, attrs={"axes": [-1]}),
        Case([T(5, 6), ints(9)], opset=18, attrs={"axes": [1]}, **N),
    ],
}
