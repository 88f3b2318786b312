"""Cases of conversions."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper
from onnx_case import Case, T, W

FLOATS = np.array([-300.7, -1.9, -1, -0.0, 0, 0.4, 1, 1.5, 126.99, 300.2], "float32")
SMALL = np.array([-1.9, -1, 0, 0.4, 1, 1.5, 100.9], "float32")
SPREAD = np.array(
    [-np.inf, -1e6, -500, -465, -3.3, -0.0, 1e-9, 0.3, 447, 463, 465, 500, 60000, np.inf, np.nan], "float32"
)
FLOAT8 = ("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ")


def _to(name: str) -> int:
    return int(getattr(TensorProto, name))


def _float8(name: str, saturate: int) -> list[Case]:
    """Through the float of 8 bits and back, since arrays of those cannot be compared."""

    def model() -> Any:
        nodes = [
            helper.make_node("Cast", ["x"], ["small"], to=_to(name), saturate=saturate),
            helper.make_node("Cast", ["small"], ["y"], to=TensorProto.FLOAT),
        ]
        given = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [len(SPREAD)])]
        taken = [helper.make_tensor_value_info("y", TensorProto.FLOAT, [len(SPREAD)])]
        graph = helper.make_graph(nodes, "case", given, taken)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)

    return [Case([T(value=SPREAD)], model=model, opset=21)]


CASES = {
    "Cast": [
        Case([T(value=FLOATS)], attrs={"to": _to("INT32")}),
        Case([T(value=SMALL)], attrs={"to": _to("UINT8")}, reference=lambda x: x.astype("int32").astype("uint8")),
        Case([T(value=FLOATS)], attrs={"to": _to("BOOL")}),
        Case([T(value=FLOATS)], attrs={"to": _to("DOUBLE")}),
        Case([T(value=FLOATS)], attrs={"to": _to("FLOAT16")}, tol=1e-3),
        Case([T(value=FLOATS)], attrs={"to": _to("FLOAT")}, opset=9),
        Case([T(9, dtype=np.int64, low=-300, high=300)], attrs={"to": _to("INT8")}),
        Case([T(9, dtype=np.bool_)], attrs={"to": _to("FLOAT")}),
        Case([T(9, dtype=np.int32)], attrs={"to": _to("INT64")}, opset=7, dynamic={0: {0: "n"}}),
        Case([T(9, dtype=np.float64)], attrs={"to": _to("FLOAT")}, opset=7),
        *[case for name in FLOAT8 for saturate in (0, 1) for case in _float8(name, saturate)],
    ],
    "CastLike": [
        Case([T(value=FLOATS), T(1, dtype=np.int32)], opset=15),
        Case([T(9, dtype=np.int32), T(2)], opset=19),
        Case([T(9, dtype=np.int32), T(2, dtype=np.bool_)], opset=19, dynamic={0: {0: "n"}}),
    ],
    "BitCast": [
        Case([T(2, 3)], opset=26, attrs={"to": _to("INT32")}),
        Case([T(2, 3, dtype=np.uint8, high=256)], opset=26, attrs={"to": _to("INT8")}),
        Case([T(2, 3, dtype=np.int64)], opset=26, attrs={"to": _to("DOUBLE")}),
        Case([T(2, 3)], opset=26, attrs={"to": _to("UINT32")}, dynamic={0: {0: "n"}}),
    ],
    "Identity": [Case([T(2, 3)], opset=13), Case([T(2, dtype=np.bool_)], opset=19, dynamic={0: {0: "n"}})],
    "Dropout": [
        Case([T(2, 3)], opset=7, attrs={"ratio": 0.3}, reference=lambda x: x),
        Case([T(2, 3)], opset=13, attrs={"seed": 3}),
        Case([T(2, 3)], opset=13, outputs=2, reference=lambda x: (x, np.ones(x.shape, bool))),
        Case([T(2, 3)], opset=7, outputs=2, reference=lambda x: (x, np.ones_like(x))),
        Case([T(2, 3), T(value=np.float32(0.3))], opset=22, dynamic={0: {0: "n"}}),
        Case(
            [T(2, 3), W(value=np.float32(0)), W(value=np.array(True))],
            opset=13,
            outputs=2,
            reference=lambda x, *_: (x, np.ones(x.shape, bool)),
        ),
    ],
}
