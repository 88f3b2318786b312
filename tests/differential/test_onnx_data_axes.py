"""ONNX models in which data decides axes and steps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sunmao
from onnx_graphs import FLOAT, INT, X, check, constants, node, save, value


def test_slices_along_axes_and_by_steps_that_data_decides(tmp_path: Path) -> None:
    inputs = [value("x", FLOAT, "rows", 3), *(value(name, INT, 1) for name in ("a", "b", "axes", "steps"))]
    model = save(
        tmp_path / "m.onnx",
        [node("Slice", ["x", "a", "b", "axes", "steps"], ["part"]), node("Neg", ["part"], ["y"])],
        inputs,
        [value("y", FLOAT, "p", "q")],
    )
    bounds = [(0, 3, 0, 2), (1, -1, -1, 1), (-1, -9, 1, -1), (2, 99, -2, 1), (2, 1, 0, 1)]
    check(tmp_path / "m.onnx", model, *([X, *(np.array([n]) for n in row)] for row in bounds))
    known = save(
        tmp_path / "k.onnx",
        [node("Slice", ["x", "a", "b", "axis", "steps"], ["part"]), node("Neg", ["part"], ["y"])],
        [inputs[0], inputs[1], inputs[2], inputs[4]],
        [value("y", FLOAT, "rows", "q")],
        constants(axis=[1]),
    )
    check(tmp_path / "k.onnx", known, *([X, *(np.array([n]) for n in row)] for row in [(0, 3, 2), (-1, -9, -1)]))


@pytest.mark.parametrize(
    ("op", "shape", "axes", "wrong"),
    [
        ("Squeeze", (1, 4, 1, 3), [[0, 2], [-2, -4], [2, 0]], [[0, 1], [0, 7], [0, 0]]),
        ("Unsqueeze", (4, 3), [[0, 3], [-1, 0], [1, 2]], [[0, 0], [0, 9]]),
    ],
)
def test_axes_of_size_1_that_data_decides(
    tmp_path: Path, op: str, shape: tuple[int, ...], axes: list[list[int]], wrong: list[list[int]]
) -> None:
    sizes = ["rows" if size == 4 else size for size in shape]
    model = save(
        tmp_path / "m.onnx",
        [node(op, ["x", "axes"], ["moved"]), node("Neg", ["moved"], ["y"])],
        [value("x", FLOAT, *sizes), value("axes", INT, 2)],
        [value("y", FLOAT, *("abcd"[: len(shape) + (2 if op == "Unsqueeze" else -2)]))],
    )
    x = X.reshape(shape)
    check(tmp_path / "m.onnx", model, *([x, np.array(a)] for a in axes))
    compiled = sunmao.compile(tmp_path / "m.onnx")
    for named in wrong:
        with pytest.raises(sunmao.errors.Error, match="E09"):
            compiled.flat(x, np.array(named))


def test_a_scalar_with_new_axes(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [node("Unsqueeze", ["x", "axes"], ["moved"]), node("Neg", ["moved"], ["y"])],
        [value("x", FLOAT), value("axes", INT, 2)],
        [value("y", FLOAT, 1, 1)],
    )
    check(tmp_path / "m.onnx", model, [X[0, 0], np.array([0, 1])])
