"""Cases of products, convolutions and pools."""

from __future__ import annotations

import numpy as np
from onnx_case import Case, T, W

BOTH = {"dynamic": {0: {0: "n"}, 1: {0: "n"}}}
N = {"dynamic": {0: {0: "n"}}}
IMAGE, SMALL = T(2, 3, 7, 8), T(2, 3, 4, 5)


def ints(*values: int) -> W:
    return W(value=np.array(values, "int64"))


def _conv(
    w: W,
    x: T = IMAGE,
    opset: int = 11,
    bias: bool = False,
    dynamic: dict[int, dict[int, str]] | None = None,
    **attrs: object,
) -> Case:
    inputs = [x, w, W(w.shape[0])] if bias else [x, w]
    return Case(inputs, opset=opset, attrs=attrs, dynamic=dynamic)


def _transposed(
    w: W, x: T = SMALL, opset: int = 11, dynamic: dict[int, dict[int, str]] | None = None, **attrs: object
) -> Case:
    return Case([x, w], opset=opset, attrs=attrs, dynamic=dynamic, engine="ort")


def _pooled(opset: int, outputs: int = 1, x: T = IMAGE, engine: str = "reference", **attrs: object) -> Case:
    return Case([x], outputs=outputs, opset=opset, attrs=attrs, engine=engine)  # type: ignore[arg-type]


def _pool_forms(opset: int, engine: str = "reference") -> list[Case]:
    forms: list[dict[str, object]] = [
        {"kernel_shape": [2, 3]},
        {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]},
        {"kernel_shape": [3, 2], "strides": [2, 3], "pads": [1, 0, 0, 1]},
        {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1},
        {"kernel_shape": [3, 3], "strides": [3, 3], "ceil_mode": 1, "pads": [1, 1, 1, 1]},
        {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "SAME_UPPER"},
        {"kernel_shape": [2, 2], "auto_pad": "SAME_LOWER"},
        {"kernel_shape": [3, 3], "strides": [2, 2], "auto_pad": "VALID"},
    ]
    found = [_pooled(opset, engine=engine, **form) for form in forms]
    found += [_pooled(opset, x=T(2, 3, 7), kernel_shape=[3], strides=[2], engine=engine)]
    found += [_pooled(opset, x=T(1, 2, 5, 4, 6), kernel_shape=[2, 2, 3], engine=engine)]
    dynamic = {0: {0: "n", 3: "w"}}
    return [
        *found,
        Case(
            [IMAGE],
            opset=opset,
            attrs={"kernel_shape": [2, 2], "strides": [1, 2], "pads": [0, 1, 0, 1]},
            dynamic=dynamic,
            engine=engine,
        ),
    ]  # type: ignore[arg-type]


CASES = {
    "MatMul": [
        Case([T(3, 4), T(4, 5)], opset=13),
        Case([T(2, 3, 4), W(4, 5)], opset=9),
        Case([T(4), T(2, 4, 5)], opset=13),
        Case([T(2, 3, 4), T(4)], opset=13),
        Case([T(2, 1, 3, 4), T(5, 4, 2)], opset=13),
        Case([T(3, 4, dtype=np.int32), T(4, 2, dtype=np.int32)], opset=9),
        Case([T(3, 4, dtype=np.float64), T(4, 2, dtype=np.float64)], opset=13, tol=1e-12),
        Case([T(3, 0), T(0, 2)], opset=13),
        Case([T(2, 3, 4), T(2, 4, 5)], opset=13, **BOTH),
    ],
    "Gemm": [
        Case([T(3, 4), T(4, 5)], opset=13),
        Case([T(4, 3), W(5, 4), W(5)], opset=7, attrs={"transA": 1, "transB": 1}),
        Case([T(3, 4), W(5, 4), W(3, 1)], opset=11, attrs={"transB": 1, "alpha": 0.5, "beta": 0.25}),
        Case([T(3, 4), T(4, 5), T()], opset=13, attrs={"beta": 2.0}),
        Case([T(3, 4), W(4, 5), W(1, 5)], opset=13, attrs={"beta": 0.0}),
        Case([T(3, 4), W(5, 4), W(5)], opset=13, attrs={"transB": 1}, **N),
    ],
    "Einsum": [
        Case([T(3, 4), T(4, 5)], opset=12, attrs={"equation": "ij,jk->ik"}),
        Case([T(2, 3, 4), T(2, 4, 5)], opset=12, attrs={"equation": "bij, bjk -> bik"}),
        Case([T(3, 4)], opset=12, attrs={"equation": "ij->ji"}),
        Case([T(3, 4)], opset=12, attrs={"equation": "ij->i"}),
        Case([T(3, 3)], opset=12, attrs={"equation": "ii->i"}),
        Case([T(3, 3)], opset=12, attrs={"equation": "ii"}),
        Case([T(3, 4), T(4, 5)], opset=12, attrs={"equation": "ij,jk"}),
        Case([T(2, 3, 4), T(2, 4, 5)], opset=12, attrs={"equation": "...ij,...jk->...ik"}),
        Case([T(3), T(4)], opset=12, attrs={"equation": "i,J->iJ"}),
        Case([T(2, 3, 4), T(2, 5, 4)], opset=12, attrs={"equation": "bid,bjd->bij"}, **BOTH),
    ],
    "Det": [Case([T(3, 3)], opset=11), Case([T(2, 4, 4)], opset=22), Case([T(2, 3, 3)], opset=22, **N)],
    "Conv": [
        _conv(W(4, 3, 3, 3), bias=True),
        _conv(W(4, 3, 3, 2), strides=[2, 1], pads=[1, 0, 2, 1], dilations=[1, 2]),
        _conv(W(6, 1, 3, 3), group=3, pads=[1, 1, 1, 1]),
        _conv(W(4, 3, 3, 3), auto_pad="SAME_UPPER", strides=[2, 2]),
        _conv(W(4, 3, 2, 2), auto_pad="SAME_LOWER"),
        _conv(W(4, 3, 3, 3), auto_pad="VALID", strides=[2, 2]),
        _conv(W(4, 3, 1, 1), opset=7, kernel_shape=[1, 1]),
        _conv(W(4, 3, 3), x=T(2, 3, 9), strides=[2], pads=[1, 0], bias=True),
        _conv(W(4, 3, 2, 2, 3), x=T(1, 3, 4, 5, 6), pads=[1, 0, 1, 0, 0, 1], bias=True),
        _conv(W(4, 3, 3, 3), opset=22, pads=[1, 1, 1, 1], dynamic={0: {0: "n", 2: "h", 3: "w"}}),
        _conv(W(4, 3, 3, 3), auto_pad="SAME_UPPER", dynamic={0: {0: "n", 3: "w"}}),
        Case([IMAGE, T(4, 3, 3, 3)], opset=11),
    ],
    "ConvTranspose": [
        _transposed(W(3, 4, 3, 3)),
        _transposed(W(3, 4, 3, 2), strides=[2, 3], pads=[1, 0, 0, 1], output_padding=[1, 0]),
        _transposed(W(3, 2, 3, 3), group=3, strides=[2, 2]),
        _transposed(W(3, 4, 3, 3), dilations=[2, 1]),
        _transposed(W(3, 4, 3, 3), strides=[2, 2], output_shape=[8, 10]),
        _transposed(W(3, 4, 3, 3), strides=[2, 2], auto_pad="SAME_UPPER"),
        _transposed(W(3, 4, 2, 2), strides=[1, 1], auto_pad="SAME_LOWER"),
        Case([T(1, 3, 3, 3), W(3, 2, 3, 3)], opset=11, attrs={"strides": [3, 2], "output_shape": [10, 8]}),
        _transposed(W(3, 4, 3), x=T(2, 3, 5), strides=[2]),
        _transposed(W(3, 4, 2, 2, 2), x=T(1, 3, 3, 2, 3), strides=[2, 1, 2]),
        Case([T(2, 3, 4, 5), W(3, 4, 3, 3), W(4)], opset=22),
        _transposed(W(3, 4, 3, 3), strides=[2, 2], pads=[1, 1, 1, 1], dynamic={0: {0: "n", 3: "w"}}),
    ],
    "DeformConv": [
        Case([T(1, 2, 5, 5), W(3, 2, 2, 2), T(1, 8, 4, 4, low=-1, high=1)], opset=19),
        Case([T(1, 2, 5, 5), W(3, 2, 2, 2), T(1, 8, 4, 4, low=-1, high=1), W(3), T(1, 4, 4, 4)], opset=19),
        Case(
            [T(1, 4, 5, 5), W(4, 2, 3, 3), T(1, 36, 3, 3, low=-1, high=1)],
            opset=22,
            attrs={"group": 2, "offset_group": 2, "strides": [2, 2], "pads": [1, 1, 1, 1]},
        ),
    ],
    "CausalConvWithState": [
        Case([T(2, 3, 5), W(3, 1, 4)], outputs=2, opset=27),
        Case([T(2, 3, 5), W(3, 1, 4), W(3), T(2, 3, 3)], outputs=2, opset=27, attrs={"activation": "silu"}),
        Case([T(2, 3, 2), W(3, 1, 4), None, T(2, 3, 3)], outputs=2, opset=27, attrs={"activation": "swish"}),
        Case([T(2, 3, 5), W(3, 1, 4)], outputs=2, opset=27, dynamic={0: {0: "n", 2: "t"}}),
    ],
    "Col2Im": [
        Case([T(1, 5, 5), ints(5, 5), ints(1, 5)], opset=18),
        Case([T(2, 12, 12), ints(5, 5), ints(2, 2)], opset=18, attrs={"strides": [1, 2], "pads": [0, 1, 0, 0]}),
        Case(
            [T(1, 8, 4), ints(6, 4), ints(2, 2)],
            opset=18,
            attrs={"strides": [2, 2], "dilations": [2, 1], "pads": [0, 0, 0, 0]},
        ),
        Case([T(1, 4, 4), ints(5), ints(2)], opset=18),
    ],
    "AveragePool": [
        *_pool_forms(22),
        _pooled(11, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1),
        _pooled(
            22, kernel_shape=[3, 3], strides=[3, 3], pads=[1, 1, 1, 1], count_include_pad=1, ceil_mode=1, engine="ort"
        ),
        _pooled(19, kernel_shape=[2, 2], dilations=[2, 2]),
        _pooled(7, kernel_shape=[2, 2], strides=[2, 2]),
    ],
    "MaxPool": [
        *_pool_forms(22),
        _pooled(12, kernel_shape=[2, 2], dilations=[2, 3]),
        _pooled(12, outputs=2, kernel_shape=[2, 3], strides=[2, 2], engine="ort"),
        _pooled(12, outputs=2, kernel_shape=[2, 3], pads=[1, 1, 0, 1], storage_order=1, engine="ort"),
        _pooled(12, outputs=2, kernel_shape=[2, 2, 3], storage_order=1, x=T(2, 2, 4, 3, 5), engine="ort"),
        _pooled(12, kernel_shape=[2, 2], x=T(1, 2, 4, 4, dtype=np.int8, low=-9, high=9), engine="ort"),
        _pooled(7, kernel_shape=[2, 2], strides=[2, 2]),
    ],
    "LpPool": [
        *_pool_forms(18, engine="ort"),
        *[_pooled(18, kernel_shape=[3, 3], strides=[2, 2], p=p, pads=[1, 1, 1, 1], engine="ort") for p in (1, 2, 3)],
        _pooled(18, kernel_shape=[2, 2], dilations=[2, 1], engine="ort"),
    ],
    "GlobalAveragePool": [Case([IMAGE]), Case([T(2, 3, 5)], opset=22), Case([IMAGE], dynamic={0: {2: "h"}})],
    "GlobalMaxPool": [
        Case([IMAGE]),
        Case([T(2, 3, 4, 2, 2)], opset=22, engine="ort"),
        Case([IMAGE], dynamic={0: {2: "h"}}),
    ],
    "GlobalLpPool": [Case([IMAGE], attrs={"p": p}, engine="ort") for p in (1, 2, 3)]
    + [Case([IMAGE], engine="ort", dynamic={0: {2: "h"}})],
    "MaxUnpool": [
        Case(
            [T(1, 1, 2, 2), W(value=np.array([[[[5, 7], [13, 15]]]]))],
            opset=11,
            attrs={"kernel_shape": [2, 2], "strides": [2, 2]},
        ),
        Case(
            [T(1, 1, 2, 2), W(value=np.array([[[[5, 7], [13, 15]]]])), ints(1, 1, 5, 5)],
            opset=22,
            attrs={"kernel_shape": [2, 2], "strides": [2, 2]},
        ),
        Case(
            [T(1, 2, 2, 2), W(value=np.array([[[[0, 2], [5, 7]], [[12, 14], [20, 22]]]]))],
            opset=9,
            attrs={"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 0]},
            engine="ort",
        ),
    ],
}
