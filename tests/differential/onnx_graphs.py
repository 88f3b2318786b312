"""Small ONNX models of tests, and how they are compared: with ONNX Runtime, as read and compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import sunmao
from onnx import TensorProto, helper

BOOL, FLOAT, INT = TensorProto.BOOL, TensorProto.FLOAT, TensorProto.INT64
node = helper.make_node


def value(name: str, dtype: int, *shape: int | str) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def constant(name: str, array: Any) -> Any:
    return onnx.numpy_helper.from_array(np.asarray(array), name)


def constants(**arrays: Any) -> list[Any]:
    return [constant(name, np.asarray(a, None if isinstance(a, np.ndarray) else "int64")) for name, a in arrays.items()]


def save(
    path: Path, nodes: list[Any], inputs: list[Any], outputs: list[Any], held: list[Any] | None = None, opset: int = 18
) -> Any:
    graph = helper.make_graph(nodes, "g", inputs, outputs, initializer=held or [])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return model


def compare(got: Any, expected: list[Any]) -> None:
    for g, e in zip(got if isinstance(got, tuple | list) else (got,), expected, strict=True):
        assert np.asarray(g).dtype == e.dtype and np.asarray(g).shape == e.shape
        np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6)


def check(path: Path, model: Any, *runs: list[Any]) -> str:
    """Compares with ONNX Runtime, as read and compiled; returns the module's text."""
    module, weights = sunmao.read_model(path)
    main: Any = module.find("main")
    held = [weights[p.name] for p in main.params if p.name in weights]
    reference = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    names = [i.name for i in model.graph.input]
    compiled = sunmao.compile(path)
    for arrays in runs:
        expected = reference.run(None, {k: np.asarray(v) for k, v in zip(names, arrays, strict=True)})
        compare(sunmao.evaluate(module, *arrays, *held), expected)
        compare(compiled.flat(*arrays), expected)
    return str(module)


X = np.arange(12, dtype="float32").reshape(4, 3)


def body(nodes: list[Any], inputs: list[Any], outputs: list[Any], held: list[Any] | None = None) -> Any:
    return helper.make_graph(nodes, "body", inputs, outputs, initializer=held or [])
