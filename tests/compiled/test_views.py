"""Views that begin inside of a tensor: what they show, where they are passed, and what is changed around them."""

from pathlib import Path

import numpy as np
import pytest
import sunmao
import sunmao_binary

HEAD = """from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
"""
X = np.arange(24, dtype="float32").reshape(4, 6) / 7


def program(functions: str) -> sunmao.Module:
    return sunmao.parse_module(HEAD + functions)


def check(module: sunmao.Module, *args: np.ndarray) -> list[np.ndarray]:
    before = [a.copy() for a in args]
    wanted = sunmao.evaluate(module, *args)
    wanted = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    compiled = sunmao.compile(module)
    for _ in range(2):
        got = compiled(*args)
        got = [np.asarray(a) for a in (got if isinstance(got, (list, tuple)) else [got])]
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_array_equal(a, np.asarray(b))
    for a, b in zip(args, before, strict=True):
        np.testing.assert_array_equal(a, b)
    return got


def kernels(module: sunmao.Module, folder: Path) -> list[str]:
    """The calls and copies in the program of an artifact, and its parts."""
    script, artifact = folder / "m.py", folder / "m.sunmao"
    script.write_text(module.script())
    assert sunmao_binary.sunmao("compile", script, "-o", artifact).returncode == 0
    text = sunmao_binary.sunmao("inspect", artifact, "--bytecode").stdout
    words = [line.split()[1] for line in text.splitlines() if line.startswith("  ") and len(line.split()) > 1]
    return [w for w in words if w in ("Call", "Copy", "Part")]


VIEW = 'R.memory.view(x, R.shape([2, 3]), R.dtype("{}"), R.prim_value({}))'


@pytest.mark.parametrize("begin", [0, 4, 28, 72])
def test_a_view_shows_what_lies_there(begin: int) -> None:
    module = program(f"""
    @R.function
    def main(x: R.Tensor((4, 6), "float32")):
        part = {VIEW.format("float32", begin)}
        doubled = R.add(part, part)
        bits = {VIEW.format("int32", begin)}
        return (part, doubled, bits)
""")
    part = X.reshape(-1)[begin // 4 : begin // 4 + 6].reshape(2, 3)
    got = check(module, X)
    np.testing.assert_array_equal(got[0], part)
    np.testing.assert_array_equal(got[1], part + part)


@pytest.mark.parametrize("begin", [1, 2, 7])
def test_elements_that_would_not_be_aligned_are_copied(begin: int) -> None:
    module = program(f"""
    @R.function
    def main(x: R.Tensor((32,), "uint8")):
        part = {VIEW.format("float32", begin)}
        return R.add(part, part)
""")
    x = np.arange(32, dtype="uint8")
    (got,) = check(module, x)
    part = x[begin : begin + 24].view("float32").reshape(2, 3)
    np.testing.assert_array_equal(got, part + part)


def test_views_of_views() -> None:
    module = program("""
    @R.function
    def main(x: R.Tensor((4, 6), "float32")):
        rows = R.memory.view(x, R.shape([2, 6]), R.dtype("float32"), R.prim_value(48))
        row = R.memory.view(rows, R.shape([6]), R.dtype("float32"), R.prim_value(24))
        end = R.memory.view(row, R.shape([2]), R.dtype("float32"), R.prim_value(16))
        return (R.add(end, end), row)
""")
    got = check(module, X)
    np.testing.assert_array_equal(got[0], X[3, 4:] * 2)
    np.testing.assert_array_equal(got[1], X[3])


def test_a_place_may_depend_on_sizes() -> None:
    module = program("""
    @R.function
    def main(x: R.Tensor(("n", 6), "float32")):
        n = T.int64()
        last = R.memory.view(x, R.shape([1, 6]), R.dtype("float32"), R.prim_value(n * 24 - 24))
        return R.add(last, last)
""")
    for rows in (1, 3, 4):
        (got,) = check(module, X[:rows])
        np.testing.assert_array_equal(got, X[rows - 1 : rows] * 2)
    with pytest.raises(sunmao.Error, match="a part of 24 bytes, aligned to 4, at byte -24 of a tensor of 0"):
        sunmao.compile(module)(X[:0])


def test_views_are_passed_chosen_and_delivered() -> None:
    module = program(f"""
    @R.function(private=True)
    def twice(a: R.Tensor((2, 3), "float32")) -> R.Tensor((2, 3), "float32"):
        return R.add(a, a)

    @R.function(private=True)
    def second(a: R.Tensor((4, 6), "float32")) -> R.Tensor((2, 6), "float32"):
        part = R.memory.view(a, R.shape([2, 6]), R.dtype("float32"), R.prim_value(48))
        return part

    @R.function
    def main(x: R.Tensor((4, 6), "float32"), c: R.Tensor((2,), "bool")):
        part = {VIEW.format("float32", 24)}
        a = Module.twice(part)
        b = Module.second(x)
        flag = R.reshape(R.memory.view(c, R.shape([1]), R.dtype("bool"), R.prim_value(1)), R.shape([]))
        if flag:
            out = Module.twice(a)
        else:
            out = part
        return (a, b, out)
""")
    for flags in ([True, False], [False, True]):
        a, b, out = check(module, X, np.array(flags))
        part = X.reshape(-1)[6:12].reshape(2, 3)
        np.testing.assert_array_equal(a, 2 * part)
        np.testing.assert_array_equal(b, X[2:])
        np.testing.assert_array_equal(out, 4 * part if flags[1] else part)


def test_what_a_view_shows_is_not_changed_while_it_is_read() -> None:
    module = program("""
    @R.function
    def main(x: R.Tensor((4, 6), "float32"), rows: R.Tensor((1, 6), "float32")):
        state = R.add(x, x)
        part = R.memory.view(state, R.shape([2, 6]), R.dtype("float32"), R.prim_value(48))
        changed = R.scatter_nd(state, R.const([[2]], "int64"), rows)
        again = R.scatter_nd(changed, R.const([[3]], "int64"), rows)
        of_part = R.scatter_nd(part, R.const([[0]], "int64"), rows)
        return (R.add(part, part), again, of_part)
""")
    check(module, X, np.full((1, 6), 100, dtype="float32"))


def test_rows_and_splits_move_nothing(tmp_path: Path) -> None:
    module = program("""
    @R.function
    def main(x: R.Tensor((3, 4, 6), "float32"), w: R.Tensor((6, 6), "float32")):
        first = R.matmul(x, w)
        parts = R.split(first, 3, axis=0)
        row = R.squeeze(R.strided_slice(first, [0], [1], [2]), axis=[0])
        a = R.matmul(parts[0], w)
        b = R.matmul(parts[2], w)
        c = R.matmul(R.strided_slice(first, [0], [1], [3]), w)
        d = R.matmul(row, w)
        return (a, b, c, d)
""")
    x, w = np.random.default_rng(1).random((3, 4, 6), "float32"), np.eye(6, dtype="float32")
    got = sunmao.compile(module)(x, w)
    for a, b in zip(got, (x[:1], x[2:], x[1:], x[1]), strict=True):
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-5)
    found = kernels(module, tmp_path)
    assert found.count("Call") == 5, found  # the products
    assert "Copy" not in found
    assert "Part" in found


def test_columns_are_copied(tmp_path: Path) -> None:
    module = program("""
    @R.function
    def main(x: R.Tensor((4, 6), "float32")):
        return R.strided_slice(x, [1], [2], [5])
""")
    (got,) = check(module, X)
    np.testing.assert_array_equal(got, X[:, 2:5])
    assert kernels(module, tmp_path) == ["Call"]


JOIN = """
    @R.function
    def main(x: R.Tensor((2, 6), "float32"), w: R.Tensor((6, 6), "float32"), e: R.Tensor(({rows}, 6), "float32")):
        a = R.nn.relu(R.matmul(x, w))
        b = R.matmul(a, w)
        joined = R.concat(({parts}), axis=0)
        out = R.matmul(joined, w)
        return {results}
"""


def joined(tmp_path: Path, parts: str, results: str = "out", rows: int = 1) -> list[str]:
    module = program(JOIN.format(parts=parts, results=results, rows=rows))
    rng = np.random.default_rng(2)
    values = [rng.random(s, "float32") for s in ((2, 6), (6, 6), (rows, 6))]
    for threads in (1, 2):
        wanted, got = sunmao.evaluate(module, *values), sunmao.compile(module, threads=threads)(*values)
        wanted, got = ([v] if not isinstance(v, (list, tuple)) else v for v in (wanted, got))
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5)
    return kernels(module, tmp_path)


def test_parts_of_a_concatenation_are_made_in_their_place(tmp_path: Path) -> None:
    found = joined(tmp_path, "a, b")
    assert found.count("Call") == 3
    assert "Copy" not in found
    found = joined(tmp_path, "b, e, a")
    assert found.count("Call") == 3
    assert found.count("Copy") == 1  # the argument
    assert joined(tmp_path, "b, a", "(out, joined, a)").count("Call") == 3


def test_what_cannot_be_made_in_place_is_joined_by_a_kernel(tmp_path: Path) -> None:
    assert joined(tmp_path, "a, a, b").count("Call") == 4  # the same twice
    assert joined(tmp_path, "b, e", rows=9).count("Call") == 4  # mostly an argument


def test_joins_of_joins() -> None:
    module = program("""
    @R.function
    def main(x: R.Tensor(("n", 6), "float32"), w: R.Tensor((6, 6), "float32")):
        a = R.matmul(x, w)
        b = R.matmul(a, w)
        c = R.matmul(b, w)
        ab = R.concat((a, b), axis=0)
        d = R.matmul(ab, w)
        all = R.concat((ab, c, d), axis=0)
        changed = R.scatter_nd(all, R.const([[0]], "int64"), R.strided_slice(c, [0], [0], [1]))
        return (R.matmul(all, w), changed, R.matmul(a, w))
""")
    rng = np.random.default_rng(3)
    for rows in (1, 3):
        x, w = rng.random((rows, 6), "float32"), rng.random((6, 6), "float32")
        wanted, got = sunmao.evaluate(module, x, w), sunmao.compile(module)(x, w)
        for a, b in zip(got, wanted, strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5)


def test_a_wider_view_keeps_its_alignment() -> None:
    module = program("""
    @R.function
    def main(x: R.Tensor((8,), "int32"), y: R.Tensor((3,), "int32")):
        a = R.add(x, x)
        wide = R.memory.view(a, R.shape([4]), R.dtype("int64"), R.prim_value(0))
        joined = R.concat((y, a), axis=0)
        return (joined, R.add(wide, wide))
""")
    check(module, np.arange(8, dtype="int32"), np.arange(3, dtype="int32"))


def test_a_kernel_that_leaves_an_output_alone_is_no_copy() -> None:
    module = program("""
    @T.prim_func(private=True)
    def twice(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32"), C: T.Buffer((4,), "float32")):
        for i in range(4):
            with T.sblock("first"):
                v = T.axis.spatial(4, i)
                B[v] = A[v]
        for i in range(4):
            with T.sblock("second"):
                v = T.axis.spatial(4, i)
                B[v] = A[v]

    @R.function
    def main(x: R.Tensor((4,), "float32")):
        a = R.call_tir(Module.twice, (x,), out_ty=[R.Tensor((4,), "float32"), R.Tensor((4,), "float32")])
        return a[0]
""")
    x = np.arange(4, dtype="float32")
    np.testing.assert_array_equal(np.asarray(sunmao.compile(module)(x)), x)


@pytest.mark.parametrize("size", [0, 1, 3, 5])
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_parts_of_a_split_that_are_cut_off_beyond_the_end_are_empty(size: int, dtype: str) -> None:
    module = program(f"""
    @R.function
    def main(x: R.Tensor(("n",), "{dtype}")):
        return R.split(x, [2, 4], axis=0)
""")
    x = np.arange(size, dtype=dtype)
    for part, wanted in zip(check(module, x), np.split(x, [2, 4]), strict=True):
        np.testing.assert_array_equal(part, wanted)


LOOP = """
    @R.function(private=True)
    def loop(step: R.Tensor((), "int64"), x: R.Tensor(("m",), "float32")) -> R.Tuple(R.Tensor(("m",), "float32")):
        m = T.int64()
        cls = Module
        goes_on = R.less(step, R.const(2, "int64"))
        if goes_on:
            next = R.add(step, R.const(1, "int64"))
            r: R.Tuple(R.Tensor((m,), "float32")) = cls.loop(next, x)
        else:
            r: R.Tuple(R.Tensor((m,), "float32")) = (x,)
        return r
    @R.function(private=True)
    def part(x: R.Tensor(("k",), "float32")):
        k = T.int64()
        cls = Module
        t = cls.loop(R.const(0, "int64"), x)
        a: R.Tensor((k,), "float32") = t[0]
        return {}
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        cls = Module
        y = R.add(x, x)
        return cls.part(y)
"""


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize(
    "part", ["R.strided_slice(a, [0], [0], [2])", "R.strided_slice(a, [0], [1], [3])", "R.split(a, [1])[1]"]
)
def test_a_function_returns_a_part_of_what_its_last_call_gives(size: int, part: str) -> None:
    check(program(LOOP.format(part)), np.arange(size, dtype="float32"))
