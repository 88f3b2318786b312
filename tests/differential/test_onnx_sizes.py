"""Sizes as exporters write them: computed in int32, as those of TensorFlow do, and with names that say nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto
from onnx_graphs import FLOAT, INT, check, constants, node, save, value

INT32 = TensorProto.INT32
ROWS = [np.arange(4 * n, dtype="float32").reshape(n, 4) for n in (1, 2, 5)]


def sizes_of(name: str) -> list[object]:
    """Returns nodes that give the shape of `name` in int32 as `sizes`, and its first size as `first`."""
    return [
        node("Shape", [name], ["sizes64"]),
        node("Cast", ["sizes64"], ["sizes"], to=INT32),
        node("Slice", ["sizes", "zero", "one", "zero"], ["first"]),
    ]


def test_a_size_from_a_slice(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            *sizes_of("x"),
            node("Concat", ["first", "four"], ["wanted"], axis=0),
            node("Cast", ["wanted"], ["wanted64"], to=INT),
            node("Expand", ["value", "wanted64"], ["y"]),
            node("Add", ["x", "y"], ["z"]),
        ],
        [value("x", FLOAT, "n", 4)],
        [value("z", FLOAT, "n", 4)],
        constants(zero=[0], one=[1], four=np.array([4], "int32"), value=np.array(0.5, "float32")),
    )
    text = check(tmp_path / "m.onnx", model, *([x] for x in ROWS))
    assert "match_cast" not in text and "R.shape([n, 4])" in text


@pytest.mark.parametrize("steps", [["first", "four"], ["four", "first"]])
def test_a_product_of_sizes(tmp_path: Path, steps: list[str]) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            *sizes_of("x"),
            node("Mul", steps, ["count"]),
            node("Cast", ["count"], ["count64"], to=INT),
            node("Reshape", ["x", "count64"], ["y"]),
        ],
        [value("x", FLOAT, "n", 4)],
        [value("y", FLOAT, "m")],
        constants(zero=[0], one=[1], four=np.array([4], "int32")),
    )
    text = check(tmp_path / "m.onnx", model, *([x] for x in ROWS))
    assert "match_cast" not in text


@pytest.mark.parametrize("name", ["?", "-1"])
def test_a_name_that_says_nothing(tmp_path: Path, name: str) -> None:
    """Both axes have it, and they may differ."""
    model = save(
        tmp_path / "m.onnx",
        [node("Relu", ["x"], ["y"])],
        [value("x", FLOAT, "n", name, name)],
        [value("y", FLOAT, "n", name, name)],
    )
    random = np.random.default_rng(0)
    sizes = [(1, 2, 3), (4, 3, 3), (2, 5, 1)]
    check(tmp_path / "m.onnx", model, *([random.normal(size=size).astype("float32")] for size in sizes))
