"""Ensembles of trees that are no trees, or too large, are refused while reading, in little time and memory."""

from __future__ import annotations

from typing import Any

import pytest
import sunmao
from onnx import TensorProto, helper
from sunmao import _sunmao

NODES = "nodeids", "treeids", "featureids", "values", "truenodeids", "falsenodeids", "modes"


def model(nodes: list[tuple[int, int]], op: str = "TreeEnsembleRegressor", **attrs: Any) -> bytes:
    """Returns a model of one tree, whose nodes are given by their two successors; a leaf has none but itself."""
    columns: dict[str, list[Any]] = {name: [] for name in NODES}
    for number, (yes, no) in enumerate(nodes):
        is_leaf = yes == no == number
        row = (number, 0, 0, 0.0, yes, no, "LEAF" if is_leaf else "BRANCH_LEQ")
        for name, value in zip(NODES, row, strict=True):
            columns[name].append(value)
    found = {f"nodes_{name}": column for name, column in columns.items()} | attrs
    outputs = ["y"] if op == "TreeEnsembleRegressor" else ["label", "y"]
    node = helper.make_node(op, ["x"], outputs, domain="ai.onnx.ml", **found)
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4, 1])],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
    )
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("ai.onnx.ml", 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString()


def leaves(kind: str, node: int, *, ids: list[int]) -> dict[str, list[Any]]:
    rows = {"treeids": [0] * len(ids), "nodeids": [node] * len(ids), "ids": ids, "weights": [1.0] * len(ids)}
    return {f"{kind}_{name}": values for name, values in rows.items()}


STUMP = [(1, 2), (1, 1), (2, 2)]
LADDER = [*((i + 1, i + 1) for i in range(60)), (60, 60)]  # both successors of a node are one: 2 ** 60 paths
TALL = [*((i + 1, i + 1) for i in range(2000)), (2000, 2000)]
SUM = leaves("target", 1, ids=[0])


def test_nodes_that_many_paths_reach_are_gone_through_once() -> None:
    module, *_ = _sunmao.read_onnx(model(LADDER, n_targets=1, **leaves("target", 60, ids=[0])), "model.onnx", "")
    assert module.script().count("R.gather_elements") == 60


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("more than 1000 levels", model(TALL, n_targets=1, **leaves("target", 2000, ids=[0]))),
        ("form a ring", model([(1, 2), (0, 2), (2, 2)], n_targets=1, **SUM)),
        ("form a ring", model([(0, 1), (1, 1)], n_targets=1, **SUM)),
        ("it has -1 results", model(STUMP, n_targets=-1, **SUM)),
        ("3 nodes and 4611686018427387904 results", model(STUMP, n_targets=1 << 62, **SUM)),
        ("no leaf has a class", model(STUMP, "TreeEnsembleClassifier", classlabels_int64s=[0, 1])),
    ],
)
def test_what_is_no_tree_is_refused(text: str, data: bytes) -> None:
    with pytest.raises(sunmao.Error, match=text):
        _sunmao.read_onnx(data, "model.onnx", "")
