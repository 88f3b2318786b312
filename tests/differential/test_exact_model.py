"""bench/exact_model.py against ONNX Runtime where nothing lies between two steps, and against sums by hand."""

import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
from onnx import TensorProto, helper, numpy_helper

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
from exact_model import run_exactly

FLOATS = np.random.default_rng(0)


def save(path: Path, nodes: list[onnx.NodeProto], shapes: dict[str, list[int]], **weights: np.ndarray) -> Path:
    """Writes a graph from `x` to `y`."""
    values = {name: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()}
    tensors = [numpy_helper.from_array(w, name) for name, w in weights.items()]
    graph = helper.make_graph(nodes, "g", [values["x"]], [values["y"]], tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    onnx.save(model, path)
    return path


def by_onnxruntime(path: Path, x: np.ndarray) -> np.ndarray:
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]


@pytest.mark.parametrize(("pads", "strides"), [([1, 2, 0, 1], [2, 1]), ([0, 0, 0, 0], [1, 1])])
def test_convolution_and_pool(tmp_path: Path, pads: list[int], strides: list[int]) -> None:
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["w"], axis=0),
        helper.make_node("Conv", ["x", "w"], ["c"], pads=pads, strides=strides, kernel_shape=[3, 3]),
        helper.make_node("MaxPool", ["c"], ["y"], pads=[1, 0, 0, 1], strides=[1, 2], kernel_shape=[2, 3]),
    ]
    weights = {"q": FLOATS.integers(-128, 128, (4, 3, 3, 3)).astype(np.int8), "z": np.array([0, 1, 2, 3], np.int8)}
    weights["s"] = np.array([0.5, 0.25, 1, 2], np.float32)
    x = FLOATS.integers(-8, 8, (1, 3, 9, 10)).astype(np.float32)  # all sums are exact in float32 too
    path = save(tmp_path / "m.onnx", nodes, {"x": [1, 3, 9, 10], "y": [1, 4, None, None]}, **weights)
    found = run_exactly(path, [x])[0]
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, by_onnxruntime(path, x))


def test_padding_that_attributes_decide(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], auto_pad="SAME_UPPER", strides=[2, 2], kernel_shape=[3, 3]),
        helper.make_node("MaxPool", ["c"], ["y"], ceil_mode=1, strides=[2, 2], kernel_shape=[2, 2]),
    ]
    x = FLOATS.integers(-8, 8, (1, 3, 10, 10)).astype(np.float32)
    w = FLOATS.integers(-8, 8, (4, 3, 3, 3)).astype(np.float32)
    path = save(tmp_path / "m.onnx", nodes, {"x": [1, 3, 10, 10], "y": [1, 4, None, None]}, w=w)
    found = run_exactly(path, [x])[0]
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, by_onnxruntime(path, x))


def test_steps_are_limited_and_ties_go_to_even(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["y"]),
    ]
    x = np.array([-1e9, -1.25, -0.75, -0.25, 0.25, 0.75, 1e9], np.float32)
    path = save(tmp_path / "m.onnx", nodes, {"x": [7], "y": [7]}, s=np.float32(0.5), z=np.int8(-1))
    wanted = [-63.5, -1, -1, 0, 0, 1, 64]
    np.testing.assert_array_equal(run_exactly(path, [x])[0], wanted)
    np.testing.assert_array_equal(by_onnxruntime(path, x), wanted)


def test_sums_keep_what_float32_loses(tmp_path: Path) -> None:
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"])]
    x = np.array([[1e8, 1, -1e8]], np.float32)
    path = save(tmp_path / "m.onnx", nodes, {"x": [1, 3], "y": [1, 1]}, w=np.ones((3, 1), np.float32))
    assert run_exactly(path, [x])[0] == 1


def test_dynamic_quantisation(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "s", "z"]),
        helper.make_node("MatMulInteger", ["q", "w", "z"], ["i"]),
        helper.make_node("Cast", ["i"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["f", "s"], ["y"]),
    ]
    x = np.array([[-1.0, 0.03, 1.55], [0.2, -0.4, 0.61]], np.float32)
    w = FLOATS.integers(-128, 128, (3, 5)).astype(np.int8)
    path = save(tmp_path / "m.onnx", nodes, {"x": [2, 3], "y": [2, 5]}, w=w)
    np.testing.assert_allclose(run_exactly(path, [x])[0], by_onnxruntime(path, x), rtol=1e-6)


def test_elements_are_gathered_by_a_smaller_index(tmp_path: Path) -> None:
    nodes = [helper.make_node("GatherElements", ["x", "i"], ["y"], axis=1)]
    x = np.arange(80, dtype=np.float32).reshape(2, 40)
    index = np.array([[39, -40, 7]])
    path = save(tmp_path / "m.onnx", nodes, {"x": [2, 40], "y": [1, 3]}, i=index)
    np.testing.assert_array_equal(run_exactly(path, [x])[0], [[39, 0, 7]])
    np.testing.assert_array_equal(by_onnxruntime(path, x), [[39, 0, 7]])
