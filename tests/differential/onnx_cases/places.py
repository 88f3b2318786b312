"""Cases of ops that read or write at places, look for elements, or make tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper
from onnx_case import Case, T, W

TIES = T(value=np.array([[1, 3, 3, 1], [2, 2, 1, 2], [-1, -1, -5, -1]], "float32"))
IDS = {"dtype": np.int64}


def ints(*values: int, dtype: str = "int64") -> W:
    return W(value=np.array(values, dtype))


def number(value: float, dtype: str = "int64") -> W:
    return W(value=np.array(value, dtype))


def _filled(dtype: str, value: float) -> dict[str, Any]:
    return {"value": helper.make_tensor("value", getattr(TensorProto, dtype), [1], [value])}


def _extreme(first: int = 13) -> list[Case]:
    forms = [{}, {"axis": 1}, {"axis": -1, "keepdims": 0}, {"axis": 1, "keepdims": 0}]
    found = [Case([TIES], opset=opset, attrs=form) for form in forms for opset in (7, first)]
    found += [Case([TIES], opset=first, attrs={**form, "select_last_index": 1}) for form in forms]
    found.append(Case([T(2, 5, dtype=np.int32)], opset=first, attrs={"axis": 1}))
    return [*found, Case([T(3, 4)], opset=first, attrs={"select_last_index": 1}, dynamic={0: {0: "n"}})]


def _scattered(reduction: str, opset: int) -> list[Case]:
    attrs = {"reduction": reduction}
    index = ints(0, 2, 2, -1).value.reshape(2, 2)
    return [
        Case([T(3, 2), W(value=index), T(2, 2)], opset=opset, attrs={"axis": 0, **attrs}),
        Case([T(2, 3), W(value=index), T(2, 2)], opset=opset, attrs={"axis": -1, **attrs}),
    ]


def _scattered_nd(reduction: str) -> Case:
    index = np.array([[[0, 1], [-1, 0]], [[0, 1], [1, 2]]])
    return Case([T(2, 3, 2), W(value=index), T(2, 2, 2)], opset=18, attrs={"reduction": reduction})


def _draws(like: int | None, **attrs: float) -> dict[str, Any]:
    return {"seed": 1.0, **attrs, **({} if like else {"shape": [2, 3]})}


def _constant(value: float, shape: tuple[int, ...] = (2, 3), dtype: str = "float32") -> Any:
    return lambda *_: np.full(shape, value, dtype)


CASES = {
    "Gather": [
        Case([T(5, 3), T(4, high=5, **IDS)], opset=13),
        Case([T(5, 3), T(2, 2, high=3, **IDS)], opset=13, attrs={"axis": 1}),
        Case([T(5, 3), ints(-1, 0, -5)], opset=13),
        Case([T(5, 3), number(-2)], opset=11, attrs={"axis": -1}),
        Case([T(5, 3), T(4, dtype=np.int32, high=5)], opset=7),
        Case([T(5, dtype=np.int64), number(1)], opset=13),
        Case([T(5, 3), T(2, 2, high=5, **IDS)], opset=13, dynamic={0: {0: "n"}, 1: {0: "m"}}),
    ],
    "GatherElements": [
        Case([T(3, 4), T(2, 4, high=3, **IDS)], opset=13),
        Case([T(3, 4), T(3, 2, low=-4, high=4, **IDS)], opset=11, attrs={"axis": 1}),
        Case(
            [T(3, 4), T(3, 2, dtype=np.int32, high=4)],
            opset=13,
            attrs={"axis": -1},
            dynamic={0: {0: "n"}, 1: {0: "n"}},
            engine="ort",
        ),
    ],
    "GatherND": [
        Case([T(3, 4, 2), T(5, 2, high=3, **IDS)], opset=13),
        Case([T(3, 4, 2), T(2, 2, 1, low=-3, high=3, **IDS)], opset=11),
        Case([T(3, 4, 2), T(3, 5, 1, high=4, **IDS)], opset=12, attrs={"batch_dims": 1}),
        Case([T(3, 4), T(3, 1, high=4, **IDS)], opset=13, attrs={"batch_dims": 1}, dynamic={0: {0: "n"}, 1: {0: "n"}}),
    ],
    "Compress": [
        Case([T(4, 3), T(value=np.array([True, False, True, True]))], opset=11, attrs={"axis": 0}),
        Case([T(4, 3), T(value=np.array([False, True]))], opset=9, attrs={"axis": -1}),
        Case([T(4, 3), T(value=np.array([False, True, True, False, True]))], opset=11),
        Case([T(6), T(6, dtype=np.bool_)], opset=11),
    ],
    "Scatter": [
        Case([T(3, 3), W(value=np.array([[1, 0, 2], [0, 2, 1]])), T(2, 3)], opset=9, engine="ort"),
        Case([T(1, 5), W(value=np.array([[1, -2]])), T(1, 2)], opset=10, attrs={"axis": 1}, engine="ort"),
    ],
    "ScatterElements": [
        Case([T(3, 3), W(value=np.array([[1, 0, 2], [0, 2, 1]])), T(2, 3)], opset=11),
        Case([T(1, 5), W(value=np.array([[1, -2]])), T(1, 2)], opset=13, attrs={"axis": 1}),
        *[case for how in ("add", "mul", "max", "min") for case in _scattered(how, 18)],
        Case(
            [T(3, 3), T(2, 3, high=3, **IDS), T(2, 3)],
            attrs={"reduction": "add"},
            dynamic={0: {1: "n"}, 1: {1: "n"}, 2: {1: "n"}},
        ),
    ],
    "ScatterND": [
        Case([T(4, 3), W(value=np.array([[2], [0]])), T(2, 3)], opset=11),
        *[_scattered_nd(how) for how in ("none", "add", "mul", "max", "min")],
        Case([T(4, 3), W(value=np.array([[2], [0]])), T(2, 3)], opset=16, dynamic={0: {1: "n"}, 2: {1: "n"}}),
    ],
    "TensorScatter": [
        Case([T(2, 6, 3), T(2, 2, 3), ints(1, 4)], opset=24),
        Case([T(2, 6, 3), T(2, 2, 3)], opset=24),
        Case([T(2, 6, 3), T(2, 3, 3), ints(1, 4)], opset=24, attrs={"mode": "circular"}),
        Case([T(2, 3, 6), T(2, 3, 2), ints(1, 4)], opset=24, attrs={"axis": -1}),
        Case(
            [T(2, 6, 3), T(2, 2, 3), T(2, high=4, **IDS)],
            opset=24,
            attrs={"axis": 1},
            dynamic={0: {2: "n"}, 1: {2: "n"}},
        ),
    ],
    "ArgMax": _extreme(),
    "ArgMin": _extreme(),
    "TopK": [
        Case([T(3, 5)], outputs=2, opset=9, attrs={"k": 2}, engine="ort"),
        Case([T(3, 5)], outputs=2, opset=7, attrs={"k": 2, "axis": 0}, engine="ort"),
        Case([T(3, 5), ints(3)], outputs=2, opset=10, engine="ort"),
        Case([T(3, 5), ints(3)], outputs=2, opset=11),
        Case([T(3, 5), ints(2)], outputs=2, opset=11, attrs={"axis": 0, "largest": 0}),
        Case([T(3, 5), ints(5)], outputs=2, opset=11, attrs={"axis": -1, "sorted": 1}),
        Case([TIES, ints(3)], outputs=2, opset=11),
        Case([T(3, 5), ints(0)], outputs=2, opset=11, engine="ort"),
        Case([T(3, 5, dtype=np.int64), ints(2)], outputs=[True, False], opset=24),
        Case([T(3, 5), ints(2)], outputs=2, opset=11, dynamic={0: {0: "n", 1: "m"}}),
    ],
    "NonZero": [
        Case([T(value=np.array([[1, 0, 2], [0, 0, 3]], "float32"))], opset=13),
        Case([T(5, dtype=np.bool_)], opset=9),
        Case([T(3, 2, dtype=np.int64, high=2)], opset=13),
    ],
    "Unique": [
        Case([T(8, high=4, **IDS)], outputs=4, opset=11),
        Case([T(8, high=4, **IDS)], outputs=4, opset=11, attrs={"sorted": 0}),
        Case([T(2, 4, high=2, **IDS)], outputs=4, opset=11, attrs={"axis": 1}),
        Case([T(4, 2, high=2, **IDS)], outputs=[True, False, False, True], opset=11, attrs={"axis": 0}),
        Case([T(2, 4)], outputs=1, opset=11),
    ],
    "OneHot": [
        Case([T(4, high=5, **IDS), number(5), W(value=np.array([0, 1], "float32"))], opset=11),
        Case(
            [T(2, 3, low=-5, high=5, **IDS), ints(5), W(value=np.array([2, -1], "int64"))],
            opset=9,
            attrs={"axis": 1},
            engine="ort",
        ),
        Case([T(value=np.array([-7, -5, 4, 5])), number(5), T(2)], opset=11, attrs={"axis": 0}),
        Case([T(value=np.array([1.0, 3.0], "float32")), number(5, "float32"), T(2)], opset=11, attrs={"axis": -2}),
        Case([T(4, high=5, **IDS), number(5), W(value=np.array([0, 1], "float32"))], opset=11, dynamic={0: {0: "n"}}),
    ],
    "ConstantOfShape": [
        Case([ints(2, 3)], opset=9),
        Case([ints(2, 3)], opset=9, attrs=_filled("INT64", 7)),
        Case([ints(2, 0)], opset=20, attrs=_filled("FLOAT", 1.5)),
        Case([ints()], opset=21, attrs=_filled("BOOL", 1)),
        Case([ints(2)], opset=21, attrs=_filled("FLOAT16", 1.5)),
    ],
    "Range": [
        Case([number(1), number(7), number(2)], opset=11),
        Case([number(7), number(1), number(-2)], opset=11),
        Case([number(0.5, "float32"), number(2, "float32"), number(0.3, "float32")], opset=11),
        Case([number(3), number(1), number(1)], opset=27),
        Case([number(0, "int32"), number(5, "int32"), number(1, "int32")], opset=11),
        Case([number(1, "float64"), number(-1, "float64"), number(-0.5, "float64")], opset=27),
    ],
    "EyeLike": [
        Case([T(3, 4)], opset=9),
        Case([T(3, 4)], opset=22, attrs={"k": 1}),
        Case([T(3, 4, dtype=np.int32)], opset=22, attrs={"k": -1, "dtype": int(TensorProto.DOUBLE)}),
        Case([T(3, 4)], opset=9, dynamic={0: {0: "n"}}),
    ],
    "RandomNormal": [Case([], attrs=_draws(None, mean=2.5, scale=0.0), opset=22, reference=_constant(2.5))],
    "RandomNormalLike": [
        Case([T(2, 3)], attrs=_draws(1, mean=2.5, scale=0.0), opset=7, reference=_constant(2.5)),
        Case(
            [T(2, 3)],
            attrs=_draws(1, mean=2.5, scale=0.0, dtype=int(TensorProto.DOUBLE)),
            reference=_constant(2.5, dtype="float64"),
        ),
    ],
    "RandomUniform": [Case([], attrs=_draws(None, low=2.5, high=2.5), opset=22, reference=_constant(2.5))],
    "RandomUniformLike": [Case([T(2, 3)], attrs=_draws(1, low=2.5, high=2.5), opset=22, reference=_constant(2.5))],
    "Bernoulli": [
        Case([T(value=np.array([0, 1, 0, 1], "float32"))], opset=15, reference=lambda x: x),
        Case([T(value=np.array([0, 1, 0, 1], "float32"))], attrs={"seed": 3.0}, opset=15, reference=lambda x: x),
        Case(
            [T(value=np.array([0, 1, 0, 1], "float32"))],
            attrs={"seed": 3.0, "dtype": int(TensorProto.BOOL)},
            opset=22,
            reference=lambda x: x > 0,
        ),
    ],
    "Multinomial": [
        Case(
            [T(value=np.array([[-900, 0, -900], [0, -900, -900]], "float32"))],
            attrs={"seed": 3.0, "sample_size": 4},
            opset=22,
            reference=lambda x: np.array([[1] * 4, [0] * 4], "int32"),
        ),
        Case(
            [T(value=np.array([[-900, 0, -900]], "float32"))],
            attrs={"seed": 3.0, "dtype": int(TensorProto.INT64)},
            opset=7,
            reference=lambda x: np.array([[1]]),
        ),
    ],
}
