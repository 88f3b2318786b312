"""ONNX models in which data decides sizes: symbols that a run reads, and what is computed in terms of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sunmao
from onnx import helper
from onnx_graphs import BOOL, FLOAT, INT, X, body, check, constants, node, save, value


def test_rows_where_a_condition_holds(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node("Greater", ["x", "limit"], ["is_large"]),
            node("NonZero", ["is_large"], ["places"]),
            node("Transpose", ["places"], ["pairs"], perm=[1, 0]),
            node("GatherND", ["x", "pairs"], ["found"]),
            node("Shape", ["found"], ["count"]),
            node("Mul", ["found", "found"], ["y"]),
        ],
        [value("x", FLOAT, "rows", 3)],
        [value("y", FLOAT, "kept"), value("count", INT, 1)],
        constants(limit=np.array(5, "float32")),
    )
    check(tmp_path / "m.onnx", model, [X], [X * 0], [X + 100], [X[:0]])


def test_compress_and_unique(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node("Compress", ["x", "keep"], ["rows"], axis=0),
            node("Unique", ["k"], ["different", "first", "back", "counts"]),
            node("Gather", ["different", "back"], ["same"]),
            node("Add", ["counts", "first"], ["sum"]),
            node("Unique", ["rows"], ["columns"], axis=1),
        ],
        [value("x", FLOAT, 4, 3), value("keep", BOOL, 4), value("k", INT, "n")],
        [
            value("rows", FLOAT, "r", 3),
            value("different", INT, "d"),
            value("same", INT, "n"),
            value("sum", INT, "d"),
            value("columns", FLOAT, "r", "c"),
        ],
    )
    keeps = [np.array(k) for k in ([True, False, True, True], [False, True, False, False])]
    text = check(
        tmp_path / "m.onnx",
        model,
        *([X, k, n] for k in keeps for n in (np.array([3, 1, 3, 3]), np.array([5]))),
    )
    assert "different_count = T.int64()" in text


def test_reshape_by_a_shape_that_is_an_input(tmp_path: Path) -> None:
    for zero in (0, 1):
        model = save(
            tmp_path / "m.onnx",
            [node("Reshape", ["x", "shape"], ["r"], allowzero=zero), node("Neg", ["r"], ["y"])],
            [value("x", FLOAT, "rows", 3), value("shape", INT, 3)],
            [value("y", FLOAT, "a", "b", "c")],
        )
        shapes = [[2, 3, 2], [-1, 1, 1], [2, -1, 3], *([] if zero else [[0, 0, 1], [0, -1, 1]])]
        check(tmp_path / "m.onnx", model, *([X, np.array(s)] for s in shapes))
    check(tmp_path / "m.onnx", model, [X[:0], np.array([2, 0, 7])])


def test_reshape_in_part_by_data(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node("Concat", ["k", "rest", "k"], ["shape"], axis=0),
            node("Reshape", ["x", "shape"], ["y"]),
            node("Shape", ["y"], ["sizes"]),
        ],
        [value("x", FLOAT, 4, 3), value("k", INT, 1)],
        [value("y", FLOAT, "a", "b", "c"), value("sizes", INT, 3)],
        constants(rest=[-1]),
    )
    check(tmp_path / "m.onnx", model, *([X, np.array([k])] for k in (1, 2)))


def test_sizes_of_new_tensors(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node("ReduceMax", ["lengths"], ["longest"], keepdims=0),
            node("Range", ["zero", "longest", "one"], ["places"]),
            node("Unsqueeze", ["lengths", "last"], ["column"]),
            node("Less", ["places", "column"], ["mask"]),
            node("Unsqueeze", ["longest", "first"], ["size"]),
            node("ConstantOfShape", ["size"], ["zeros"]),
            node("Expand", ["s", "size"], ["copies"]),
            node("Add", ["zeros", "copies"], ["sum"]),
            node("Tile", ["three", "size"], ["tiled"]),
            node("Add", ["longest", "one"], ["depth"]),
            node("OneHot", ["lengths", "depth", "values"], ["hot"]),
        ],
        [value("lengths", INT, "n"), value("s", FLOAT, 1)],
        [
            value("mask", BOOL, "n", "t"),
            value("sum", FLOAT, "t"),
            value("tiled", INT, "u"),
            value("hot", FLOAT, "n", "v"),
        ],
        constants(zero=0, one=1, last=[1], first=[0], three=[1, 2, 3], values=np.array([0.5, 2], "float32")),
    )
    s = np.array([1.5], "float32")
    check(tmp_path / "m.onnx", model, *([np.array(n), s] for n in ([3, 1, 2], [5], [0, 0])))


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_ranges(tmp_path: Path, dtype: str) -> None:
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    model = save(
        tmp_path / "m.onnx",
        [node("Range", ["a", "b", "c"], ["r"]), node("Neg", ["r"], ["y"])],
        [value(name, kind) for name in "abc"],
        [value("y", kind, "n")],
    )
    runs = [(0, 10, 3), (7, -2, -2), (5, 5, 1), (5, 2, 1), *([(0.5, 2, 0.25)] if dtype == "float32" else [])]
    check(tmp_path / "m.onnx", model, *([np.array(v, dtype) for v in r] for r in runs))


def test_slices_with_computed_bounds(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node("Slice", ["x", "a", "b", "axes", "steps"], ["part"]),
            node("Shape", ["part"], ["sizes"]),
            node("Transpose", ["part"], ["t"], perm=[1, 0]),
            node("MatMul", ["part", "t"], ["y"]),
        ],
        [value("x", FLOAT, "rows", 3), value("a", INT, 1), value("b", INT, 1)],
        [value("y", FLOAT, "p", "p"), value("sizes", INT, 2)],
        constants(axes=[0], steps=[2]),
    )
    text = check(
        tmp_path / "m.onnx",
        model,
        *([X, np.array([a]), np.array([b])] for a, b in [(0, 3), (1, -1), (-3, 99), (3, 1)]),
    )
    assert "part_dim0, 3" in text


def test_parts_and_the_largest_of_computed_counts(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node("Split", ["x", "sizes"], ["a", "b"], axis=0),
            node("Gather", ["sizes", "first"], ["k"]),
            node("TopK", ["v", "k"], ["most", "places"]),
            node("Concat", ["b", "a"], ["y"], axis=0),
            node("Neg", ["a"], ["n"]),
        ],
        [value("x", FLOAT, 4, 3), value("sizes", INT, 2), value("v", FLOAT, 5)],
        [value("y", FLOAT, "q", 3), value("n", FLOAT, "a", 3), value("most", FLOAT, "k"), value("places", INT, "k")],
        constants(first=[0]),
    )
    v = np.array([3, 1, 4, 1.5, 9], "float32")
    check(tmp_path / "m.onnx", model, *([X, np.array([a, 4 - a]), v] for a in (1, 3, 4)))


def test_boxes_that_are_kept(tmp_path: Path) -> None:
    """The tail of a detector: boxes, scores and classes of those that overlap no better one."""
    model = save(
        tmp_path / "m.onnx",
        [
            node("NonMaxSuppression", ["boxes", "scores", "most", "overlap", "least"], ["kept"]),
            node("Gather", ["kept", "two"], ["box"], axis=1),
            node("Gather", ["kept", "one"], ["classes"], axis=1),
            node("Squeeze", ["boxes", "first"], ["all_boxes"]),
            node("Squeeze", ["scores", "first"], ["all_scores"]),
            node("Gather", ["all_boxes", "box"], ["corners"], axis=0),
            node("Unsqueeze", ["classes", "last"], ["classes_column"]),
            node("Unsqueeze", ["box", "last"], ["box_column"]),
            node("Concat", ["classes_column", "box_column"], ["pairs"], axis=1),
            node("GatherND", ["all_scores", "pairs"], ["score"]),
            node("Unsqueeze", ["score", "last"], ["score_column"]),
            node("Cast", ["classes_column"], ["class_column"], to=FLOAT),
            node("Concat", ["corners", "score_column", "class_column"], ["detections"], axis=1),
        ],
        [value("boxes", FLOAT, 1, 6, 4), value("scores", FLOAT, 1, 2, 6)],
        [value("detections", FLOAT, "kept", 6)],
        constants(
            most=[3],
            overlap=np.array([0.5], "float32"),
            least=np.array([0.4], "float32"),
            one=1,
            two=2,
            first=[0],
            last=[1],
        ),
    )
    rng = np.random.default_rng(0)
    corner = rng.uniform(0, 1, (1, 6, 2))
    boxes = np.concatenate([corner, corner + rng.uniform(0.2, 1, (1, 6, 2))], 2).astype("float32")
    scores = rng.uniform(0, 1, (1, 2, 6)).astype("float32")
    check(tmp_path / "m.onnx", model, *([boxes, scores * k] for k in (1, 0.6, 0)))


def test_padding_is_trimmed(tmp_path: Path) -> None:
    """A text model that cuts a batch down to its longest row."""
    model = save(
        tmp_path / "m.onnx",
        [
            node("Cast", ["mask"], ["ones"], to=INT),
            node("ReduceSum", ["ones", "last"], ["lengths"], keepdims=0),
            node("ReduceMax", ["lengths"], ["longest"], keepdims=1),
            node("Slice", ["tokens", "first", "longest", "last"], ["kept"]),
            node("Slice", ["ones", "first", "longest", "last"], ["kept_mask"]),
            node("Gather", ["table", "kept"], ["e"]),
            node("Unsqueeze", ["kept_mask", "third"], ["m"]),
            node("Cast", ["m"], ["weights"], to=FLOAT),
            node("Mul", ["e", "weights"], ["masked"]),
            node("Transpose", ["masked"], ["t"], perm=[0, 2, 1]),
            node("MatMul", ["masked", "t"], ["similar"]),
            node("Softmax", ["similar"], ["y"], axis=-1),
        ],
        [value("tokens", INT, "batch", 7), value("mask", BOOL, "batch", 7)],
        [value("y", FLOAT, "batch", "len", "len")],
        constants(
            first=[0], last=[1], third=[2], table=np.random.default_rng(0).normal(size=(11, 4)).astype("float32")
        ),
    )
    tokens = np.arange(14).reshape(2, 7) % 11
    masks = [np.arange(7) < np.array([[a], [b]]) for a, b in [(3, 5), (7, 1), (1, 1)]]
    check(tmp_path / "m.onnx", model, *([tokens, m] for m in masks))


def test_branches_of_different_sizes(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node(
                "If",
                ["c"],
                ["y"],
                then_branch=body([node("Concat", ["x", "x"], ["a"], axis=0)], [], [value("a", FLOAT, "m", 3)]),
                else_branch=body([node("Neg", ["x"], ["b"])], [], [value("b", FLOAT, "m", 3)]),
            ),
            node("Add", ["y", "y"], ["z"]),
            node("Shape", ["z"], ["sizes"]),
        ],
        [value("c", BOOL), value("x", FLOAT, "rows", 3)],
        [value("z", FLOAT, "m", 3), value("sizes", INT, 2)],
    )
    text = check(tmp_path / "m.onnx", model, *([np.array(c), x] for c in (True, False) for x in (X, X[:0])))
    assert "lv1: R.Tensor((y_dim0, 3)" in text


def test_sizes_that_have_to_agree(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node("NonZero", ["a"], ["p"]),
            node("NonZero", ["b"], ["q"]),
            node("Add", ["p", "q"], ["s"]),
            node("Equal", ["p", "three"], ["is_three"]),
            node("Where", ["is_three", "s", "q"], ["y"]),
        ],
        [value("a", FLOAT, "n"), value("b", FLOAT, "n"), value("three", INT, 1, "k")],
        [value("y", INT, 1, "k")],
    )
    ones = np.ones(3, "float32")
    one = np.array([0, 0, 1], "float32")
    check(tmp_path / "m.onnx", model, *([a, b, np.array([[1, 2, 3]])] for a in (ones, one) for b in (ones, one)))
    module = sunmao.read_model(tmp_path / "m.onnx")[0]
    with pytest.raises(sunmao.errors.Error, match="E0905"):
        sunmao.evaluate(module, ones, np.array([1, 0, 1], "float32"), np.array([[1, 2, 3]]))


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_widths_that_data_decides(tmp_path: Path, mode: str) -> None:
    model = save(
        tmp_path / "m.onnx",
        [
            node("Pad", ["x", "widths", "value", "axes"], ["around"], mode=mode),
            node("Shape", ["x"], ["n"], start=0, end=1),
            node("Concat", ["none", "n"], ["doubling"], axis=0),
            node("Pad", ["x", "doubling"], ["twice"]),
        ],
        [value("x", FLOAT, "rows", 3), value("widths", INT, 2), value("value", FLOAT)],
        [value("around", FLOAT, "m", 3), value("twice", FLOAT, "k", "l")],
        constants(axes=[0], none=[0, 0, 0]),
    )
    v = np.array(7, "float32")
    check(tmp_path / "m.onnx", model, *([X, np.array(w), v] for w in ([1, 2], [0, 3], [0, 0])))


def test_ranks_that_data_decides_are_refused(tmp_path: Path) -> None:
    save(
        tmp_path / "m.onnx",
        [node("ConstantOfShape", ["sizes"], ["y"])],
        [value("sizes", INT, "rank")],
        [value("y", FLOAT, "a", "b")],
    )
    with pytest.raises(sunmao.errors.Error, match="ConstantOfShape with a number of sizes that data decides"):
        sunmao.read_model(tmp_path / "m.onnx")


def test_sizes_that_do_not_work_out(tmp_path: Path) -> None:
    save(
        tmp_path / "m.onnx",
        [node("Reshape", ["x", "shape"], ["r"]), node("Neg", ["r"], ["y"])],
        [value("x", FLOAT, "rows", 3), value("shape", INT, 2)],
        [value("y", FLOAT, "a", "b")],
    )
    compiled, module = sunmao.compile(tmp_path / "m.onnx"), sunmao.read_model(tmp_path / "m.onnx")[0]
    for shape, code in [([5, 2], "E0905"), ([-2, -6], "E0911"), ([2**40, 2**40], "E0911")]:
        with pytest.raises(sunmao.errors.Error, match=code):
            compiled.flat(X, np.array(shape))
    with pytest.raises(sunmao.errors.Error, match="E0905"):
        sunmao.evaluate(module, X, np.array([5, 2]))


def test_expand_to_sizes_that_data_decides(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [node("Expand", ["x", "shape"], ["e"]), node("Neg", ["e"], ["y"])],
        [value("x", FLOAT, 1, 3), value("shape", INT, 3)],
        [value("y", FLOAT, "a", "b", "c")],
    )
    check(tmp_path / "m.onnx", model, *([X[:1], np.array(s)] for s in ([2, 4, 1], [1, 1, 3], [2, 0, 3], [0, 1, 1])))
    with pytest.raises(sunmao.errors.Error, match="E0905"):
        sunmao.compile(tmp_path / "m.onnx").flat(X[:1], np.array([2, 4, 5]))


def test_the_middle_of_a_size_that_data_decides(tmp_path: Path) -> None:
    model = save(
        tmp_path / "m.onnx",
        [node("CenterCropPad", ["x", "size"], ["y"], axes=[0])],
        [value("x", FLOAT, "rows", 3), value("size", INT, 1)],
        [value("y", FLOAT, "m", 3)],
    )
    check(tmp_path / "m.onnx", model, *([x, np.array([s])] for x in (X, X[:3]) for s in (0, 1, 3, 4, 7)))


def test_names_of_sizes(tmp_path: Path) -> None:
    """The file's names stand for sizes that nothing else has; others are named after their value."""
    save(
        tmp_path / "m.onnx",
        [node("NonZero", ["x"], ["found"]), node("NonZero", ["z"], ["places"]), node("NonZero", ["w"], ["others"])],
        [value("x", FLOAT, "n"), value("z", FLOAT, "n"), value("w", FLOAT, "n")],
        [value("found", INT, 1, "hits"), value("places", INT, 1, "n"), value("others", INT, 1, "hits")],
    )
    text = str(sunmao.read_model(tmp_path / "m.onnx")[0])
    for sizes in ("(1, hits)", "(1, places_dim1)", "(1, hits1)"):
        assert f"R.Tensor({sizes}" in text
