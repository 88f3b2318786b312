"""Loops and scans of ONNX models that stack results of as many steps as a run says, or carry what grows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from onnx import helper
from onnx_graphs import BOOL, FLOAT, INT, X, body, check, compare, constants, node, save, value


def test_tokens_until_the_end(tmp_path: Path) -> None:
    """A generator that picks the best next token until the end token, and gives all of them with their scores."""
    step = body(
        [
            node("Gather", ["table", "token"], ["row"]),
            node("Add", ["row", "bias"], ["logits"]),
            node("ArgMax", ["logits"], ["next"], axis=0, keepdims=0),
            node("ReduceMax", ["logits", "first"], ["score"], keepdims=1),
            node("Equal", ["next", "end"], ["is_end"]),
            node("Not", ["is_end"], ["on"]),
            node("Identity", ["next"], ["picked"]),
        ],
        [value("i", INT), value("go", BOOL), value("token", INT)],
        [value("on", BOOL), value("next", INT), value("picked", INT), value("score", FLOAT, 1)],
    )
    table = np.zeros((7, 7), "float32")
    table[np.arange(7), (np.arange(7) + 1) % 7] = np.arange(7) + 1
    model = save(
        tmp_path / "m.onnx",
        [
            node("Loop", ["most", "yes", "start"], ["last", "tokens", "scores"], body=step),
            node("Gather", ["names", "tokens"], ["words"]),
            node("ReduceSum", ["scores"], ["total"], keepdims=0),
        ],
        [value("start", INT), value("most", INT), value("bias", FLOAT, 7)],
        [value("tokens", INT, "t"), value("scores", FLOAT, "t", 1), value("words", INT, "t"), value("total", FLOAT)],
        constants(table=table, end=6, first=[0], yes=np.array(True), names=np.arange(7) * 100),
    )
    bias = np.zeros(7, "float32")
    runs = [(s, most, bias + np.arange(7) * k) for s, most, k in [(0, 99, 0), (4, 99, 0), (0, 3, 0), (0, 99, 2)]]
    text = check(tmp_path / "m.onnx", model, *([np.array(s), np.array(m), b.astype("float32")] for s, m, b in runs))
    assert "(loop_length,)" in text and "(loop_length, 1)" in text


def test_no_iteration_stacks_nothing(tmp_path: Path) -> None:
    step = body(
        [node("Identity", ["go"], ["on"]), node("Neg", ["s"], ["s2"]), node("Add", ["s", "s"], ["row"])],
        [value("i", INT), value("go", BOOL), value("s", FLOAT, "rows", 3)],
        [value("on", BOOL), value("s2", FLOAT, "rows", 3), value("row", FLOAT, "rows", 3)],
    )
    for most in (None, 0):
        held = constants(yes=np.array(True))
        save(
            tmp_path / "m.onnx",
            [node("Loop", ["m", "yes", "x"], ["y", "rows_of_all"], body=step)],
            [value("x", FLOAT, "rows", 3), *([value("m", INT)] if most is None else [])],
            [value("y", FLOAT, "rows", 3), value("rows_of_all", FLOAT, "k", "rows", 3)],
            held if most is None else [*held, *constants(m=most)],
        )
        module, weights = sunmao.read_model(tmp_path / "m.onnx")
        for count in (0, 2, 5) if most is None else (0,):
            y, rows = sunmao.evaluate(module, X, *([np.array(count)] if most is None else []))
            expected = [X * 2 * (-1) ** i for i in range(count)]
            np.testing.assert_array_equal(y, X * (-1) ** count)
            np.testing.assert_array_equal(rows, np.array(expected, "float32").reshape(count, 4, 3))


def test_a_loop_that_collects_rows(tmp_path: Path) -> None:
    """What is carried grows, in another branch for each other row."""
    keep = body([node("Concat", ["kept", "row"], ["more"], axis=0)], [], [value("more", FLOAT, "k", 3)])
    leave = body([node("Identity", ["kept"], ["same"])], [], [value("same", FLOAT, "k", 3)])
    step = body(
        [
            node("Gather", ["x", "i"], ["r"]),
            node("Unsqueeze", ["r", "first"], ["row"]),
            node("ReduceSum", ["r"], ["sum"], keepdims=0),
            node("Greater", ["sum", "limit"], ["is_kept"]),
            node("If", ["is_kept"], ["kept2"], then_branch=keep, else_branch=leave),
            node("Identity", ["go"], ["on"]),
        ],
        [value("i", INT), value("go", BOOL), value("kept", FLOAT, "k", 3)],
        [value("on", BOOL), value("kept2", FLOAT, "k", 3)],
    )
    model = save(
        tmp_path / "m.onnx",
        [
            node("Shape", ["x"], ["count"], start=0, end=1),
            node("Squeeze", ["count"], ["m"]),
            node("Loop", ["m", "yes", "none"], ["y"], body=step),
            node("Mul", ["y", "y"], ["z"]),
        ],
        [value("x", FLOAT, "rows", 3), value("limit", FLOAT)],
        [value("z", FLOAT, "k", 3)],
        constants(first=[0], yes=np.array(True), none=np.zeros((0, 3), "float32")),
    )
    runs = [(X, 0), (X, 10), (X, 99), (X[:1], 0)]
    check(tmp_path / "m.onnx", model, *([x, np.array(limit, "float32")] for x, limit in runs))


def scan_model(path: Path, rows: int | str, **form: list[int]) -> Any:
    step = body(
        [
            node("Add", ["s", "a"], ["t"]),
            node("Mul", ["t", "half"], ["s2"]),
            node("Sub", ["t", "b"], ["u"]),
            node("Add", ["u", "w"], ["v"]),
        ],
        [value("s", FLOAT, 2), value("a", FLOAT, 2), value("b", FLOAT, 2)],
        [value("s2", FLOAT, 2), value("u", FLOAT, 2), value("v", FLOAT, 2)],
    )
    return save(
        path,
        [node("Scan", ["s0", "x", "z"], ["s", "us", "vs"], body=step, num_scan_inputs=2, **form)],
        [value("s0", FLOAT, 2), value("x", FLOAT, rows, 2), value("z", FLOAT, *([2, rows] if form else [rows, 2]))],
        [value("s", FLOAT, 2), value("us", FLOAT, "n", "m"), value("vs", FLOAT, "p", "q")],
        constants(half=np.array(0.5, "float32"), w=np.array([1, 2], "float32")),
    )


FORM = {
    "scan_input_axes": [0, 1],
    "scan_input_directions": [1, 0],
    "scan_output_axes": [1, 0],
    "scan_output_directions": [0, 1],
}


@pytest.mark.parametrize("form", [{}, FORM])
@pytest.mark.parametrize("rows", [3, 9000, "rows"])
def test_scans(tmp_path: Path, rows: int | str, form: dict[str, list[int]]) -> None:
    scan_model(tmp_path / "m.onnx", rows, **form)
    module, weights = sunmao.read_model(tmp_path / "m.onnx")
    main: Any = module.find("main")
    held = [weights[p.name] for p in main.params if p.name in weights]
    assert ("@R.function(private" in str(module)) == (rows != 3)
    for count in (0, 1, 5) if rows == "rows" else (rows,) if rows == 3 else ():
        x = np.random.default_rng(0).normal(size=(count, 2)).astype("float32")
        z, s = x * 3, np.array([1, 2], "float32")
        us, vs = [], []
        order = x[::-1] if form else x
        for a, b in zip(order, z, strict=True):
            t = s + a
            us.append(t - b)
            vs.append(us[-1] + np.array([1, 2], "float32"))
            s = t * np.float32(0.5)
        us_array = np.array(us, "float32").reshape(count, 2)
        vs_array = np.array(vs, "float32").reshape(count, 2)
        expected = [s, us_array.T, vs_array[::-1]] if form else [s, us_array, vs_array]
        got = sunmao.evaluate(module, np.array([1, 2], "float32"), x, z.T.copy() if form else z, *held)
        compare(got, expected)


def test_rows_of_scans_are_written_where_they_lie(tmp_path: Path) -> None:
    """Each row in a new tensor with all before would take time by the square of their number."""
    model = scan_model(tmp_path / "m.onnx", "rows", **FORM)
    random = np.random.default_rng(0)
    s, x, z = (random.normal(size=size).astype("float32") for size in [(2,), (40, 2), (2, 40)])
    text = check(tmp_path / "m.onnx", model, [s, x, z])
    assert text.count("R.scatter_nd") == 2
    assert "R.concat" not in text


@pytest.mark.parametrize("rows", [4, "rows"])
def test_scans_of_batches(tmp_path: Path, rows: int | str) -> None:
    """In opset 8 each value has a batch."""
    step = body(
        [node("Add", ["s", "a"], ["s2"]), node("Mul", ["s2", "b"], ["u"])],
        [value("s", FLOAT, 2), value("a", FLOAT, 2), value("b", FLOAT, 2)],
        [value("s2", FLOAT, 2), value("u", FLOAT, 2)],
    )
    model = save(
        tmp_path / "m.onnx",
        [node("Scan", ["", "s0", "x", "z"], ["s", "us"], body=step, num_scan_inputs=2, directions=[0, 1])],
        [value("s0", FLOAT, 3, 2), value("x", FLOAT, 3, rows, 2), value("z", FLOAT, 3, rows, 2)],
        [value("s", FLOAT, 3, 2), value("us", FLOAT, 3, rows, 2)],
        opset=8,
    )
    random = np.random.default_rng(0)
    s, x, z = (random.normal(size=size).astype("float32") for size in [(3, 2), (3, 4, 2), (3, 4, 2)])
    check(tmp_path / "m.onnx", model, [s, x, z], *([[s, x[:, :1], z[:, 2:3]]] if rows == "rows" else []))


def test_a_scan_of_what_another_stacked(tmp_path: Path) -> None:
    """The states of the second are a part of a tensor, which is copied before the first is called."""
    step = body(
        [node("Add", ["s", "a"], ["s2"]), node("Mul", ["s2", "half"], ["u"])],
        [value("s", FLOAT, "batch", 2), value("a", FLOAT, "batch", 2)],
        [value("s2", FLOAT, "batch", 2), value("u", FLOAT, "batch", 2)],
    )
    model = save(
        tmp_path / "m.onnx",
        [
            node("Gather", ["states", "none"], ["s0"]),
            node("Gather", ["states", "one"], ["s1"]),
            node("Scan", ["s0", "x"], ["first", "us"], body=step, num_scan_inputs=1),
            node("Scan", ["s1", "us"], ["last", "vs"], body=step, num_scan_inputs=1),
        ],
        [value("states", FLOAT, 2, "batch", 2), value("x", FLOAT, "rows", "batch", 2)],
        [value("last", FLOAT, "batch", 2), value("vs", FLOAT, "rows", "batch", 2)],
        constants(half=np.array(0.5, "float32"), none=0, one=1),
    )
    random = np.random.default_rng(0)
    runs = [
        [random.normal(size=(n, batch, 2)).astype("float32") for n in (2, rows)] for rows, batch in [(3, 2), (5, 1)]
    ]
    check(tmp_path / "m.onnx", model, *runs)


def refusal(path: Path) -> str:
    with pytest.raises(sunmao.errors.Error) as caught:
        sunmao.read_model(path)
    return str(caught.value)


def test_loops_that_are_refused(tmp_path: Path) -> None:
    row = [node("Gather", ["x", "i"], ["r"]), node("Identity", ["go"], ["on"])]
    sequence = helper.make_tensor_sequence_value_info
    grows = body(
        [*row, node("SequenceInsert", ["s", "r"], ["s2"])],
        [value("i", INT), value("go", BOOL), sequence("s", FLOAT, None)],
        [value("on", BOOL), sequence("s2", FLOAT, None)],
    )
    save(
        tmp_path / "m.onnx",
        [
            node("SequenceEmpty", [], ["none"], dtype=FLOAT),
            node("Loop", ["m", "yes", "none"], ["s"], body=grows),
            node("ConcatFromSequence", ["s"], ["y"], axis=0, new_axis=1),
        ],
        [value("x", FLOAT, "n", 3), value("m", INT)],
        [value("y", FLOAT, "k", 3)],
        constants(yes=np.array(True)),
    )
    assert "E0604" in refusal(tmp_path / "m.onnx") and "`Loop that carries a sequence`" in refusal(tmp_path / "m.onnx")
    ragged = body(
        [*row, node("NonZero", ["r"], ["places"])],
        [value("i", INT), value("go", BOOL)],
        [value("on", BOOL), value("places", INT, 1, "k")],
    )
    save(
        tmp_path / "m.onnx",
        [node("Loop", ["m", "yes"], ["y"], body=ragged)],
        [value("x", FLOAT, "n", 3), value("m", INT)],
        [value("y", INT, "l", 1, "k")],
        constants(yes=np.array(True)),
    )
    assert "`Loop that stacks results whose sizes data decides in each iteration`" in refusal(tmp_path / "m.onnx")
