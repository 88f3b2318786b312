"""Ops of ONNX that are composed of several, in float16 on numbers of all magnitudes: ONNX Runtime computes each in
float32 and rounds once. Also what a run of a model refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
import sunmao
from comparing import outputs_of
from onnx import TensorProto, helper

COMPILE: dict[str, Any] = {"opt_level": 1, "threads": 1}
HALF, INT, FLOAT = TensorProto.FLOAT16, TensorProto.INT64, TensorProto.FLOAT
# The op, its number of inputs, and its attributes.
NODES: list[tuple[str, int, dict[str, Any]]] = [
    ("Elu", 1, {"alpha": 0.3}),
    ("Selu", 1, {"alpha": 1.3, "gamma": 1.1}),
    ("HardSigmoid", 1, {"alpha": 0.3, "beta": 0.1}),
    ("HardSwish", 1, {}),
    ("Softsign", 1, {}),
    ("ThresholdedRelu", 1, {"alpha": 0.1}),
    ("Shrink", 1, {"lambd": 0.1, "bias": 0.3}),
    ("Mean", 3, {}),
    ("Sum", 3, {}),
    ("ReduceL1", 1, {"axes": [1]}),
    ("ReduceL2", 1, {"axes": [1]}),
    ("ReduceSumSquare", 1, {"axes": [1]}),
    ("ReduceLogSum", 1, {"axes": [1]}),
    ("ReduceLogSumExp", 1, {"axes": [1]}),
    ("LpNormalization", 1, {"axis": 1, "p": 2}),
    ("MeanVarianceNormalization", 1, {"axes": [1]}),
]


def value(name: str, dtype: int, *shape: int | str | None) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def saved(path: Path, node: Any, inputs: list[Any], outputs: list[Any]) -> Path:
    graph = helper.make_graph([node], "g", inputs, outputs)
    onnx.save(
        helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", 17 if "axes" in str(node) else 18)], ir_version=8
        ),
        path,
    )
    return path


def drawn(random: np.random.Generator) -> Any:
    rows = np.exp2(random.uniform(-24, 15.9, (24, 6)))
    rows[12:] = np.exp2(random.uniform(-24, 14, (12, 1)) + random.uniform(-2, 2, (12, 6)))
    rows *= np.where(random.random((24, 6)) < 0.5, -1, 1)
    rows[0] = [np.inf, 1, 2, -1, 0, -0.0]
    rows[1] = [np.nan, 1, 2, -1, 0, 2.0**-24]
    return rows.astype(np.float16)


@pytest.mark.parametrize(("op", "count", "attributes"), NODES, ids=[n[0] for n in NODES])
def test_magnitudes(tmp_path: Path, op: str, count: int, attributes: dict[str, Any]) -> None:
    names = [f"x{i}" for i in range(count)]
    node = helper.make_node(op, names, ["y"], **attributes)
    path = saved(tmp_path / "m.onnx", node, [value(n, HALF, 24, 6) for n in names], [value("y", HALF, None, None)])
    random = np.random.default_rng(3)
    inputs = {n: drawn(random) for n in names}
    (want,) = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, inputs)
    (got,) = outputs_of(sunmao.compile(path, **COMPILE).flat(*inputs.values()))
    assert got.dtype == want.dtype and got.shape == want.shape
    a, b = got.astype(np.float64), want.astype(np.float64)
    spacing = np.maximum(
        np.exp2(np.floor(np.log2(np.where(np.isfinite(b) & (b != 0), np.abs(b), 1e-9))) - 10), 2.0**-24
    )
    with np.errstate(invalid="ignore"):
        right = (np.abs(a - b) <= spacing) | (a == b) | (np.isnan(a) & np.isnan(b))
    places = [tuple(int(k) for k in p) for p in np.argwhere(~right)[:4]]
    assert right.all(), "; ".join(f"{p}: {a[p]}, expected {b[p]}" for p in places)


def refused(run: Any, *inputs: Any) -> str:
    with pytest.raises(sunmao.Error) as caught:
        run(*inputs)
    return str(caught.value.code)


def test_topk_beyond_the_size_is_refused(tmp_path: Path) -> None:
    def model(size: int | str, k: int | None) -> Path:
        node = helper.make_node("TopK", ["x", "k"], ["v", "i"])
        extra = [] if k is not None else [value("k", INT, 1)]
        graph = helper.make_graph(
            [node],
            "g",
            [value("x", FLOAT, 2, size), *extra],
            [value("v", FLOAT, 2, None), value("i", INT, 2, None)],
            initializer=[] if k is None else [helper.make_tensor("k", INT, [1], [k])],
        )
        onnx.save(
            helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8), tmp_path / "k.onnx"
        )
        return tmp_path / "k.onnx"

    x = np.arange(6, dtype="float32").reshape(2, 3)
    assert refused(sunmao.compile, model(3, 4)) == "E0609"
    assert refused(sunmao.compile(model("n", 4), **COMPILE), x) == "E0905"
    of_data = sunmao.compile(model(3, None), **COMPILE)
    assert of_data(x, np.array([2]))[0].shape == (2, 2)
    assert refused(of_data, x, np.array([4])) == "E0905"


@pytest.mark.parametrize("dtype", ["int64", "int32", "float32"])
def test_a_range_with_step_0_is_refused(tmp_path: Path, dtype: str) -> None:
    code = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    node = helper.make_node("Range", ["a", "b", "c"], ["y"])
    path = saved(tmp_path / "r.onnx", node, [value(n, code) for n in "abc"], [value("y", code, None)])
    model = sunmao.compile(path, **COMPILE)
    limits = [np.array(v, dtype) for v in (1, 8, 3, 0)]
    np.testing.assert_array_equal(model(*limits[:3]), np.arange(1, 8, 3, dtype=dtype))
    assert refused(model, limits[0], limits[1], limits[3]) == "E0919"
