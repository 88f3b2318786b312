"""Sizes of ONNX models that are symbols, and 1 in some runs: broadcast, squeezed, sliced."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from onnx_graphs import BOOL, FLOAT, INT, body, check, constants, node, save, value
from sunmao.errors import Error

SIZES = [(n, m) for n, m in product((0, 1, 4), repeat=2) if n == m or 1 in (n, m)]


def rows(n: int, m: int = 3) -> Any:
    return np.linspace(-1, 2, n * m, dtype="float32").reshape(n, m)


@pytest.mark.parametrize("op", ["Add", "Mul", "Pow", "Less", "Max", "Mean"])
def test_either_operand_is_repeated(tmp_path: Path, op: str) -> None:
    out = BOOL if op == "Less" else FLOAT
    model = save(
        tmp_path / "m.onnx",
        [node("Exp", ["x"], ["e"]), node(op, ["e", "y"], ["s"]), node("Not" if op == "Less" else "Neg", ["s"], ["z"])],
        [value("x", FLOAT, "n", 3), value("y", FLOAT, "m", 3)],
        [value("z", out, "k", 3)],
    )
    check(tmp_path / "m.onnx", model, *([rows(n), rows(m)] for n, m in SIZES))
    with pytest.raises(Error, match="E0905|must be"):
        sunmao.compile(tmp_path / "m.onnx").flat(rows(4), rows(5))


def test_the_last_axis_and_a_constant(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [node("Add", ["x", "bias"], ["a"]), node("Mul", ["a", "y"], ["b"]), node("ReduceSum", ["b"], ["z"])],
        [value("x", FLOAT, 2, "n"), value("y", FLOAT, "m", "n")],
        [value("z", FLOAT, 1, 1)],
        constants(bias=np.arange(257, dtype="float32")),
    )
    runs = [[rows(2, n), rows(m, k)] for n in (1, 257) for m in (1, 2) for k in (n,)]
    check(tmp_path / "m.onnx", model, *runs)
    with pytest.raises(Error, match="257"):
        sunmao.compile(tmp_path / "m.onnx").flat(rows(2, 5), rows(1, 5))


def test_three_operands_share_their_size(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [node("Greater", ["x", "y"], ["c"]), node("Where", ["c", "x", "w"], ["v"]), node("Sub", ["v", "x"], ["z"])],
        [value("x", FLOAT, "n", "k"), value("y", FLOAT, "m", 1), value("w", FLOAT, "l", "k")],
        [value("z", FLOAT, "a", "k")],
    )
    check(tmp_path / "m.onnx", model, *([rows(n), rows(m, 1), rows(k)] for n, m, k in product((1, 4), repeat=3)))


def test_expand_and_products(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node("Shape", ["y"], ["shape"]),
            node("Expand", ["x", "shape"], ["e"]),
            node("MatMul", ["e", "w"], ["p"]),
            node("Softmax", ["p"], ["z"]),
        ],
        [value("x", FLOAT, "n", 1, 3), value("y", FLOAT, "m", 2, 3), value("w", FLOAT, "l", 3, "q")],
        [value("z", FLOAT, "a", 2, "q")],
    )
    runs = [
        [rows(n).reshape(n, 1, 3), np.ones((m, 2, 3), "float32"), rows(3 * k, 2).reshape(k, 3, 2)]
        for n, m, k in product((1, 4), repeat=3)
    ]
    check(tmp_path / "m.onnx", model, *runs)


def test_a_mask_of_another_batch(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [node("Attention", ["q", "q", "q", "mask"], ["z"], q_num_heads=2, kv_num_heads=2)],
        [value("q", FLOAT, "n", 4, 6), value("mask", FLOAT, "m", 1, "k", 4)],
        [value("z", FLOAT, "n", 4, 6)],
        opset=23,
    )
    queries = {n: rows(n * 4, 6).reshape(n, 4, 6) for n in (1, 3)}
    runs = [[queries[3], rows(m * k, 4).reshape(m, 1, k, 4)] for m, k in ((1, 1), (3, 1), (1, 4), (3, 4))]
    compiled = sunmao.compile(tmp_path / "m.onnx")
    module, _ = sunmao.read_model(tmp_path / "m.onnx")
    for q, mask in runs:
        want = sunmao.evaluate(module, q, np.broadcast_to(mask, (3, 1, 4, 4)).copy())
        np.testing.assert_allclose(sunmao.evaluate(module, q, mask), want, rtol=1e-5)
        np.testing.assert_allclose(compiled.flat(q, mask), want, rtol=1e-5, atol=1e-6)
    assert model


def test_known_sizes_and_ranges_are_no_choice(tmp_path: Path) -> None:
    save(
        tmp_path / "m.onnx",
        [node("Add", ["x", "y"], ["z"])],
        [value("x", FLOAT, "n", 3), value("y", FLOAT, "m", 3)],
        [value("z", FLOAT, "n", 3)],
    )
    text = str(sunmao.read_model(tmp_path / "m.onnx")[0])
    assert "broadcast_to" in text
    made = sunmao.compile(tmp_path / "m.onnx", dims={"n": (2, 8)})
    np.testing.assert_array_equal(made.flat(rows(4), rows(1)), rows(4) + rows(1))


def test_a_squeeze_that_a_run_would_decide(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    save(
        path,
        [node("Squeeze", ["x"], ["s"]), node("Neg", ["s"], ["z"])],
        [value("x", FLOAT, "batch", 1, 4)],
        [value("z", FLOAT, "batch", 4)],
    )
    x = rows(8, 4).reshape(8, 1, 4)
    module, _ = sunmao.read_model(path)
    compiled = sunmao.compile(path)
    for n in (0, 2, 8):
        assert compiled.flat(x[:n]).shape == (n, 4)
    for run in (compiled.flat, lambda a: sunmao.evaluate(module, a)):
        with pytest.raises(Error, match=r"--dim batch=1"):
            run(x[:1])
    one = sunmao.compile(path, dims={"batch": (1, 1)})
    np.testing.assert_array_equal(one.flat(x[:1]), -x[0, 0])
    assert sunmao.compile(path, dims={"batch": (2, 8)}).flat(x[:2]).shape == (2, 4)


SLICES = [(1, -1, 1), (3, 2**31, 1), (-2, 2, 1), (2, -2, 2), (0, 3, -1), (-1, -4, -2)]


@pytest.mark.parametrize(("begin", "end", "step"), SLICES)
def test_slices_that_are_empty_in_some_runs(tmp_path: Path, begin: int, end: int, step: int) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node("Slice", ["x", "b", "e", "axes", "s"], ["part"]),
            node("Concat", ["part", "x"], ["all"], axis=0),
            node("ReduceSum", ["all"], ["z"]),
        ],
        [value("x", FLOAT, "n", 3)],
        [value("part", FLOAT, "k", 3), value("z", FLOAT, 1, 1)],
        constants(b=[begin], e=[end], s=[step], axes=[0]),
    )
    check(tmp_path / "m.onnx", model, *([rows(n)] for n in range(7)))


@pytest.mark.parametrize("op", ["LSTM", "GRU", "RNN"])
def test_recurrent_layers_of_open_sizes_in_a_branch(tmp_path: Path, op: str) -> None:
    gates = {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
    layer = body([node(op, ["rows", "w", "r"], ["", "t"], hidden_size=2)], [], [value("t", FLOAT, 1, "b", 2)])
    other = body(
        [node("ReduceSum", ["rows", "axis"], ["sum"]), node("Slice", ["sum", "zero", "two", "last"], ["f"])],
        [],
        [value("f", FLOAT, 1, "b", 2)],
    )
    keep = body([node("Identity", ["x"], ["kept"])], [], [value("kept", FLOAT, "l", "b", 3)])
    twice = body([node("Concat", ["x", "x"], ["doubled"], axis=0)], [], [value("doubled", FLOAT, "k", "b", 3)])
    model = save(
        tmp_path / "m.onnx",
        [
            node("If", ["c"], ["rows"], then_branch=keep, else_branch=twice),
            node("If", ["d"], ["z"], then_branch=layer, else_branch=other),
        ],
        [value("x", FLOAT, "l", "b", 3), value("c", BOOL), value("d", BOOL)],
        [value("z", FLOAT, 1, "b", 2)],
        constants(w=rows(gates * 2, 3)[None], r=rows(gates * 2, 2)[None], axis=[0], zero=[0], two=[2], last=[2]),
    )
    x = rows(10, 3).reshape(5, 2, 3)
    check(tmp_path / "m.onnx", model, *([x, np.array(c), np.array(d)] for c, d in product((True, False), repeat=2)))


@pytest.mark.parametrize("op", ["ScatterElements", "ScatterND"])
@pytest.mark.parametrize("place", [99_999_999, 4, -5])
def test_writes_out_of_range_are_refused(tmp_path: Path, op: str, place: int) -> None:
    path = tmp_path / "m.onnx"
    of = [1, 3] if op == "ScatterElements" else [1, 1]
    save(
        path,
        [node(op, ["x", "i", "u"], ["z"])],
        [value("x", FLOAT, "n", 3), value("i", INT, *of), value("u", FLOAT, 1, 3)],
        [value("z", FLOAT, "n", 3)],
    )
    module, _ = sunmao.read_model(path)
    compiled = sunmao.compile(path)
    for run in (compiled.flat, lambda *a: sunmao.evaluate(module, *a)):
        run(rows(4), np.full(of, -1), rows(1))
        with pytest.raises(Error, match="E0919|out of range|out of bounds") as error:
            run(rows(4), np.full(of, place), rows(1))
        assert error.value.code == "E0919"


def test_branches_of_other_ranks_that_sizes_decide(tmp_path: Path) -> None:
    """As exporters of scripts write `squeeze(-1)`: read for the branch that drops the axis."""
    path = tmp_path / "m.onnx"
    drop = body([node("Squeeze", ["x", "last"], ["a"])], [], [value("a", FLOAT, "n")])
    keep = body([node("Identity", ["x"], ["b"])], [], [value("b", FLOAT, "n", "m")])
    model = save(
        path,
        [
            node("Shape", ["x"], ["shape"]),
            node("Gather", ["shape", "last"], ["size"]),
            node("Equal", ["size", "one"], ["c"]),
            node("If", ["c"], ["s"], then_branch=drop, else_branch=keep),
            node("Neg", ["s"], ["z"]),
        ],
        [value("x", FLOAT, "n", "m")],
        [value("z", FLOAT, "k")],
        constants(last=[1], one=[1]),
    )
    check(path, model, [rows(4, 1)], [rows(1, 1)])
    with pytest.raises(Error, match="--dim m="):
        sunmao.compile(path).flat(rows(4, 2))
    np.testing.assert_array_equal(sunmao.compile(path, dims={"m": (2, 9)}).flat(rows(4, 2)), -rows(4, 2))
