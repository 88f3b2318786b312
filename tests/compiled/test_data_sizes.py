"""Sizes that data decides: programs run from an artifact at sizes that no caller knows, as numpy computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sunmao

HEAD = """
from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
"""

# `kept` returns the positive elements of x.
PROGRAM = """
    @T.prim_func
    def count(x: T.handle, out: T.Buffer((1,), "int64")):
        m = T.int64()
        X = T.match_buffer(x, (m,))
        out[0] = T.int64(0)
        for i in range(m):
            if X[i] > T.float32(0):
                out[0] = out[0] + T.int64(1)

    @T.prim_func
    def keep(x: T.handle, out: T.handle):
        m = T.int64()
        n = T.int64()
        X = T.match_buffer(x, (m,))
        Y = T.match_buffer(out, (n,))
        at = T.alloc_buffer((1,), "int64")
        at[0] = T.int64(0)
        for i in range(m):
            if X[i] > T.float32(0):
                if at[0] < n:
                    Y[at[0]] = X[i]
                    at[0] = at[0] + T.int64(1)

    @R.function(private=True)
    def kept(x: R.Tensor(("m",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        cls = Module
        n = T.int64()
        c = R.call_tir(cls.count, (x,), R.Tensor((1,), "int64"))
        s: R.Shape(ndim=1) = R.tensor_to_shape(c)
        s1 = R.match_cast(s, R.Shape([n]))
        y = R.call_tir(cls.keep, (x,), R.Tensor((n,), "float32"))
        return y

    @R.function
    def main(x: R.Tensor(("m",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        cls = Module
        k = T.int64()
        y = cls.kept(x)
        y1 = R.match_cast(y, R.Tensor((k,), "float32"))
        z = R.multiply(y1, y1)
        return z

    @R.function
    def twice(x: R.Tensor(("m",), "float32")) -> R.Tuple(R.Tensor(ndim=1, dtype="float32"), R.Tensor((), "float32")):
        cls = Module
        k = T.int64()
        j = T.int64()
        y = cls.kept(x)
        top = R.sum(x)
        y1 = R.match_cast(y, R.Tensor((k,), "float32"))
        z = R.subtract(y1, R.const(1, "float32"))
        z1 = cls.kept(z)
        z2 = R.match_cast(z1, R.Tensor((j,), "float32"))
        both = R.concat((z2, y1))
        return (both, top)

    @R.function
    def through(x: R.Tensor(("m",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        cls = Module
        y = cls.kept(x)
        return y

    @R.function
    def five(x: R.Tensor(("m",), "float32")) -> R.Tensor((5,), "float32"):
        cls = Module
        y = cls.kept(x)
        y1 = R.match_cast(y, R.Tensor((5,), "float32"))
        z = R.exp(y1)
        return z

    @R.function(private=True)
    def halve(x: R.Tensor(("m",), "float32"), steps: R.Tensor((), "int64")) -> R.Tensor(ndim=1, dtype="float32"):
        cls = Module
        k = T.int64()
        c = R.greater(steps, R.const(0, "int64"))
        if c:
            y = cls.kept(x)
            y1 = R.match_cast(y, R.Tensor((k,), "float32"))
            z = R.subtract(y1, R.const(0.5, "float32"))
            rest = R.subtract(steps, R.const(1, "int64"))
            r: R.Tensor(ndim=1, dtype="float32") = cls.halve(z, rest)
        else:
            r: R.Tensor(ndim=1, dtype="float32") = R.match_cast(x, R.Tensor(ndim=1, dtype="float32"))
        return r

    @R.function
    def shrink(x: R.Tensor(("m",), "float32"), steps: R.Tensor((), "int64")) -> R.Tensor(ndim=1, dtype="float32"):
        r = Module.halve(x, steps)
        return r
"""
SIZES = (10, 11, 0, 1000, 1, 100_000, 10)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    path = tmp_path_factory.mktemp("sizes") / "program.sunmao"
    sunmao.compile(sunmao.parse_module(HEAD + PROGRAM)).save(path)
    return sunmao.load(path)


def numbers(size: int) -> Any:
    return np.random.default_rng(size).standard_normal(size).astype(np.float32)


def check(got: Any, want: Any) -> None:
    assert np.asarray(got).shape == want.shape
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("size", SIZES)
def test_a_result_is_as_large_as_data_says(model: Any, size: int) -> None:
    x = numbers(size)
    kept = x[x > 0]
    check(model["main"](x), kept * kept)
    check(model["through"](x), kept)


@pytest.mark.parametrize("size", SIZES)
def test_a_size_may_depend_on_a_tensor_whose_size_data_decides(model: Any, size: int) -> None:
    x = numbers(size)
    kept = x[x > 0]
    z = kept - np.float32(1)
    both, total = model["twice"](x)
    check(both, np.concatenate([z[z > 0], kept]))
    np.testing.assert_allclose(total, x.sum(), rtol=1e-3, atol=1e-3)


def test_a_loop_may_change_the_size_at_each_step(model: Any) -> None:
    for steps in range(6):
        want = x = numbers(1000)
        for _ in range(steps):
            want = want[want > 0] - np.float32(0.5)
        check(model["shrink"](x, np.array(steps)), want)


def test_a_size_that_a_cast_says_is_checked(model: Any) -> None:
    x = np.arange(-3, 6, dtype=np.float32)
    check(model["five"](x), np.exp(x[4:]))
    with pytest.raises(sunmao.Error, match="E0905.*`y1` has 4 on axis 0, expected 5"):
        model["five"](x[:-1])


def test_the_evaluator_agrees(model: Any) -> None:
    module = sunmao.parse_module(HEAD + PROGRAM)
    for size in (0, 7, 64):
        check(model["main"](numbers(size)), np.asarray(sunmao.evaluate(module, numbers(size))))


def test_results_outlive_later_runs(model: Any) -> None:
    x = numbers(500)
    first = model["main"](x)
    copy = np.array(first)
    for size in SIZES:
        model["main"](numbers(size))
    np.testing.assert_array_equal(first, copy)


def test_inspect_names_the_sizes(model: Any) -> None:
    assert [d.symbol for d in model["main"].outputs[0].shape] == ["k"]
    assert [d.symbol for d in model["twice"].outputs[0].shape] == ["j + k"]


OF_DATA = """
    @R.function
    def main(size: R.Tensor((1,), "int64")) -> R.Tensor(ndim=1, dtype="float32"):
        n = T.int64()
        s: R.Shape(ndim=1) = R.tensor_to_shape(size)
        s1 = R.match_cast(s, R.Shape([n]))
        y = R.ones(R.shape([n]), "float32")
        return y
"""


def test_a_size_that_data_decides_is_not_negative() -> None:
    module = sunmao.parse_module(HEAD + OF_DATA)
    model = sunmao.compile(module)
    for run in (model, lambda *inputs: sunmao.evaluate(module, *inputs)):
        check(run(np.array([3])), np.ones(3, np.float32))
        with pytest.raises(sunmao.Error, match="E0911.*data decides a size, and it is -3"):
            run(np.array([-3]))


# What a review found: a cast in a branch, casts to known sizes, and sizes that only a layout compares.
CASES = {
    "cast_in_a_branch": """
    @R.function(private=True)
    def pick(x: R.Tensor(("a",), "float32")) -> R.Tensor(ndim=1, dtype="float32"):
        i = R.nonzero(x)
        r = R.take(x, R.take(i, R.const(0, "int64"), axis=0), axis=0)
        return r

    @R.function
    def main(x: R.Tensor(("a",), "float32"), c: R.Tensor((), "bool")):
        s = T.int64()
        u = Module.pick(x)
        if c:
            q = R.match_cast(u, R.Tensor((s,), "float32"))
            r = R.sum(R.multiply(q, R.ones(R.shape([s]), "float32")))
        else:
            r = R.sum(x)
        return (r, R.exp(u))
""",
    "size_of_a_branch": """
    @R.function
    def main(x: R.Tensor(("p",), "float32"), c: R.Tensor((), "bool")):
        s = T.int64()
        if c:
            q = R.match_cast(R.unique(x), R.Tensor((s,), "float32"))
            r = R.concat([q, q], axis=0)
        else:
            r = x
        return R.exp(r)
""",
    "known_size": """
    @R.function
    def main(x: R.Tensor(("p",), "float32"), c: R.Tensor((), "bool")):
        i = R.match_cast(R.nonzero(x), R.Tensor((1, 4), "int64"))
        return R.reshape(i, R.shape([4]))
""",
    "size_of_a_choice": """
    @R.function
    def main(x: R.Tensor(("p",), "float32"), c: R.Tensor((), "bool")):
        p = T.int64()
        u = R.strided_slice(x, axes=[0], begin=[0], end=[p - 1])
        return R.exp(u)
""",
}


@pytest.mark.parametrize("name", CASES)
def test_sizes_in_branches_and_checks(name: str) -> None:
    module = sunmao.parse_module(HEAD + CASES[name])
    model = sunmao.compile(module)
    x = np.array([1, 0, 2, 2, -1], np.float32)
    for flag in (True, False):
        want, got = sunmao.evaluate(module, x, np.array(flag)), model(x, np.array(flag))
        both = zip(got, want, strict=True) if isinstance(want, tuple) else [(got, want)]
        for a, b in both:
            check(a, np.asarray(b))


TRUNCATED = """
from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor(("n",), "float32")):
        n = T.int64()
        with R.dataflow():
            z = R.zeros(R.shape([T.truncdiv(n - 7, 3) + 4, T.truncmod(n - 7, 3) + 4]), "float32")
            R.output(z)
        return z
"""


def test_sizes_are_divided_towards_zero() -> None:
    run = sunmao.compile(sunmao.parse_module(TRUNCATED))
    for n in range(12):
        quotient = int((n - 7) / 3)
        assert run(np.zeros(n, "float32")).shape == (quotient + 4, n - 7 - 3 * quotient + 4)
