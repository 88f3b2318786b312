"""Branches and loops of ONNX models that a run decides become functions of the module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import sunmao
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

BOOL, FLOAT, INT = TensorProto.BOOL, TensorProto.FLOAT, TensorProto.INT64


def value(name: str, dtype: int, *shape: int | str) -> Any:
    return helper.make_tensor_value_info(name, dtype, shape)


def constant(name: str, array: Any) -> Any:
    return onnx.numpy_helper.from_array(np.asarray(array), name)


def check(path: Path, graph: Any, *runs: dict[str, Any]) -> None:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)
    compiled, reference = sunmao.compile(path), ReferenceEvaluator(model)
    for inputs in runs:
        expected = reference.run(None, inputs)
        got = compiled.flat(*inputs.values())
        for g, e in zip(got if isinstance(got, tuple) else (got,), expected, strict=True):
            assert np.asarray(g).dtype == e.dtype and np.asarray(g).shape == e.shape
            np.testing.assert_allclose(g, e, rtol=1e-5, atol=1e-6)


X = np.arange(6, dtype="float32").reshape(2, 3)


@pytest.mark.parametrize("shape", [[], [1]])
def test_branches(tmp_path: Path, shape: list[int]) -> None:
    then_branch = helper.make_graph(
        [helper.make_node("Add", ["doubled", "x"], ["a"])], "then", [], [value("a", FLOAT, "n", 3)]
    )
    else_branch = helper.make_graph(
        [helper.make_node("Neg", ["doubled"], ["m"]), helper.make_node("Mul", ["m", "w"], ["b"])],
        "else",
        [],
        [value("b", FLOAT, "n", 3)],
        initializer=[constant("w", np.array([1, 2, 3], "float32"))],
    )
    graph = helper.make_graph(
        [
            helper.make_node("Add", ["x", "x"], ["doubled"]),
            helper.make_node("If", ["c"], ["y"], then_branch=then_branch, else_branch=else_branch),
        ],
        "g",
        [value("c", BOOL, *shape), value("x", FLOAT, "n", 3)],
        [value("y", FLOAT, "n", 3)],
    )
    runs = [{"c": np.full(shape, c), "x": x} for c in (True, False) for x in (X, X[:1])]
    check(tmp_path / "m.onnx", graph, *runs)


def body_of_loop(nodes: list[Any], condition: str) -> Any:
    return helper.make_graph(
        nodes,
        "body",
        [value("i", INT), value("go", BOOL), value("s", FLOAT, 2, 3), value("k", INT, 1)],
        [value(condition, BOOL), value("s2", FLOAT, 2, 3), value("k2", INT, 1)],
    )


STEP = [
    helper.make_node("Cast", ["i"], ["f"], to=FLOAT),
    helper.make_node("Add", ["s", "f"], ["t"]),
    helper.make_node("Mul", ["t", "half"], ["s2"]),
    helper.make_node("Add", ["k", "one"], ["k2"]),
]
CONSTANTS = [
    constant("half", np.array(0.5, "float32")),
    constant("one", np.array([1], "int64")),
    constant("most", np.array(3, "float32")),
    constant("zero", np.array([0], "int64")),
]


def loop_graph(node: Any, *inputs: Any) -> Any:
    outputs = [value("y", FLOAT, 2, 3), value("count", INT, 1)]
    return helper.make_graph([node], "g", list(inputs), outputs, initializer=CONSTANTS)


def test_as_many_iterations_as_an_input_says(tmp_path: Path) -> None:
    body = body_of_loop([*STEP, helper.make_node("Identity", ["go"], ["on"])], "on")
    # The condition is stated: without one, the reference runs no iteration.
    node = helper.make_node("Loop", ["m", "yes", "x", "zero"], ["y", "count"], body=body)
    graph = loop_graph(node, value("m", INT), value("x", FLOAT, 2, 3))
    graph.initializer.append(constant("yes", np.array(True)))
    check(tmp_path / "m.onnx", graph, *({"m": np.array(m), "x": X} for m in (0, 1, 7, 3000)))


@pytest.mark.parametrize("most", [None, 4])
def test_iterations_until_a_condition_fails(tmp_path: Path, most: int | None) -> None:
    condition = [
        helper.make_node("ReduceSum", ["s2"], ["sum"], keepdims=0),
        helper.make_node("Greater", ["sum", "most"], ["on"]),
    ]
    body = body_of_loop([*STEP, *condition], "on")
    node = helper.make_node("Loop", ["" if most is None else "m", "c", "x", "zero"], ["y", "count"], body=body)
    graph = loop_graph(node, value("c", BOOL), value("x", FLOAT, 2, 3))
    if most is not None:
        graph.initializer.append(constant("m", np.array(most)))
    runs = [{"c": np.array(c), "x": x} for c in (True, False) for x in (X * 0, X * -1, X)]
    check(tmp_path / "m.onnx", graph, *(r for r in runs if most is not None or r["x"].sum() <= 0))


def test_many_iterations_with_a_branch_in_each(tmp_path: Path) -> None:
    branches = {
        name: helper.make_graph([helper.make_node(op, ["s"], [name])], name, [], [value(name, FLOAT, 2, 3)])
        for name, op in [("a", "Neg"), ("b", "Sin")]
    }
    nodes = [
        helper.make_node("ReduceSum", ["s"], ["sum"], keepdims=0),
        helper.make_node("Greater", ["sum", "most"], ["is_large"]),
        helper.make_node("If", ["is_large"], ["s2"], then_branch=branches["a"], else_branch=branches["b"]),
        helper.make_node("Add", ["k", "one"], ["k2"]),
        helper.make_node("Identity", ["go"], ["on"]),
    ]
    node = helper.make_node("Loop", ["m", "yes", "x", "zero"], ["y", "count"], body=body_of_loop(nodes, "on"))
    graph = loop_graph(node, value("x", FLOAT, 2, 3))
    graph.initializer.extend([constant("m", np.array(5000)), constant("yes", np.array(True))])
    check(tmp_path / "m.onnx", graph, {"x": X})
    assert str(sunmao.read_model(tmp_path / "m.onnx")[0]).count("@R.function") == 3
