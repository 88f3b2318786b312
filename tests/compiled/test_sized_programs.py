"""Programs of ops whose results have sizes that data decides: what the pipeline makes of them, evaluated and compiled,
gives what the program gives."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import sunmao_binary
from one_function import module_of

RNG = np.random.default_rng(5)
X = np.maximum(RNG.standard_normal((4, 5)).astype("float32"), 0)
W = RNG.integers(0, 3, (5, 3)).astype("float32")
MATRIX, ROWS = 'x: R.Tensor((4, 5), "float32")', "r = R.take(i, R.const(0, 'int64'), axis=0)"
BOUNDS = [f'{name}: R.Tensor((2,), "int64")' for name in ("begin", "end", "strides")]


def arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, tuple | list):
        return [array for field in value for array in arrays(field)]
    return [np.asarray(value)]


def check_same(got: Any, wanted: Any) -> None:
    assert [a.dtype for a in arrays(got)] == [a.dtype for a in arrays(wanted)]
    for a, b in zip(arrays(got), arrays(wanted), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def through_the_pipeline(module: sunmao.Module, folder: Path) -> sunmao.Module:
    given, made = folder / "given.py", folder / "made.py"
    given.write_text(module.script())
    result = sunmao_binary.sunmao("opt", given, "--pipeline", "--verify=each", "-o", made)
    assert result.returncode == 0, result.stderr
    return sunmao.parse_module(made.read_text())


def check(module: sunmao.Module, args: list[np.ndarray], folder: Path) -> None:
    wanted = sunmao.evaluate(module, *args)
    check_same(sunmao.evaluate(through_the_pipeline(module, folder), *args), wanted)
    check_same(sunmao.compile(module)(*args), wanted)


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize("is_sorted", [True, False])
def test_unique(dtype: str, axis: int | None, is_sorted: bool, tmp_path: Path) -> None:
    x = RNG.integers(0, 2, (4, 3, 2)).astype(dtype)
    x[2] = x[0]
    if dtype == "float32":
        x[1, 1, 1] = x[1, 0, 0] = np.nan
        x[0, 0, 0], x[3, 0, 0] = 0.0, -0.0
    extras = "return_index=True, return_inverse=True, return_counts=True"
    line = f"y = R.unique(x, sorted={is_sorted}, axis={axis}, {extras})"
    check(module_of([f'x: R.Tensor((4, 3, 2), "{dtype}")'], [line]), [x], tmp_path)


@pytest.mark.parametrize("shape", [(), (7,), (0, 3), (2, 3, 4)])
def test_nonzero(shape: tuple[int, ...], tmp_path: Path) -> None:
    dims = ", ".join(f'"{name}"' for name in "abc"[: len(shape)])
    module = module_of([f'x: R.Tensor(({dims}{"," * (len(shape) == 1)}), "int32")'], ["y = R.nonzero(x)"])
    check(module, [RNG.integers(0, 2, shape).astype("int32")], tmp_path)


@pytest.mark.parametrize(
    ("begin", "end", "strides"),
    [
        ([-3, 1], [100, -1], [2, 1]),
        ([3, 4], [-100, -100], [-1, -2]),
        ([2, 5], [1, 9], [1, 3]),
        ([0, 3], [2**63 - 1, -(2**63)], [2**63 - 1, -(2**63)]),
    ],
)
def test_slices(begin: list[int], end: list[int], strides: list[int], tmp_path: Path) -> None:
    lines = ["z = R.dynamic_strided_slice(x, begin, end, strides)", "y = (z, R.sum(R.exp(z), axis=0))"]
    bounds = [np.array(values, "int64") for values in (begin, end, strides)]
    check(module_of([MATRIX, *BOUNDS], lines), [X, *bounds], tmp_path)


def test_a_stride_of_zero_is_refused() -> None:
    module = module_of([MATRIX, *BOUNDS], ["y = R.dynamic_strided_slice(x, begin, end, strides)"])
    for run in (sunmao.compile(module), lambda *args: sunmao.evaluate(module, *args)):
        with pytest.raises(sunmao.Error, match="the stride of dynamic_strided_slice") as caught:
            run(X, np.array([0, 0]), np.array([4, 5]), np.array([1, 0]))
        assert caught.value.code == "E0919"


# By name: parameters besides x, lines, and symbols that they define.
LINES: dict[str, tuple[list[str], list[str], list[str]]] = {
    "rows that are taken": (
        ['w: R.Tensor((5, 3), "float32")'],
        [
            "i = R.nonzero(x)",
            ROWS,
            "m = R.matmul(R.take(x, r, axis=0), w)",
            "y = R.concat([R.nn.softmax(m, axis=0), R.nn.relu(m)], axis=0)",
        ],
        [],
    ),
    "elements that go back": (
        [],
        ["i = R.permute_dims(R.nonzero(x))", "v = R.gather_nd(x, i)", "y = R.scatter_nd(x, i, R.nn.gelu(v))"],
        [],
    ),
    "a size that the program names": (
        [],
        [
            "i = R.match_cast(R.nonzero(x), R.Tensor((2, n), 'int64'))",
            "v = R.gather_nd(x, R.permute_dims(i))",
            "y = (R.topk(v, k=1, ret_type='values'), R.cumsum(R.ones(R.shape([n]), 'int64')))",
        ],
        ["n"],
    ),
    "sets of sets": (
        [],
        [
            "i = R.nonzero(x)",
            ROWS,
            "u = R.unique(r, return_inverse=True, return_counts=True)",
            "c = R.take(u[2], u[1], axis=0)",
            "y = (R.unique(R.concat([c, r], axis=0)), c)",
        ],
        [],
    ),
    "equal values, and dead ones": (
        [],
        [
            "dead = R.nonzero(R.exp(x))",
            "a = R.add(R.nonzero(x), R.nonzero(x))",
            "y = (a, R.add(R.unique(x), R.unique(x)))",
        ],
        [],
    ),
    "constants": (
        [],
        [
            "i = R.nonzero(R.const([1, 0, 2, 3], 'int64'))",
            ROWS,
            "y = (R.take(x, r, axis=0), R.take(x, R.unique(R.const([3, 1, 3], 'int64')), axis=1))",
        ],
        [],
    ),
    "sizes of sizes": ([], ["i = R.nonzero(x)", "y = R.shape_to_tensor(R.shape_of(i))"], []),
    "a computed shape": (
        ['t: R.Tensor((2,), "int64")'],
        ["s = R.tensor_to_shape(t)", "z = R.reshape(x, s)", "y = (z, R.nn.softmax(z, axis=-1), R.zeros(s, 'float32'))"],
        [],
    ),
    "a shape that the types tell": (
        [],
        [
            "t = R.shape_to_tensor(R.shape_of(x))",
            "s = R.tensor_to_shape(R.concat([R.take(t, R.const([1])), R.take(t, R.const([0]))], axis=0))",
            "y = R.reshape(x, s)",
        ],
        [],
    ),
}
ARGUMENTS = {"rows that are taken": [W], "a computed shape": [np.array([10, 2])]}


@pytest.mark.parametrize("name", LINES)
def test_lines(name: str, tmp_path: Path) -> None:
    params, lines, symbols = LINES[name]
    check(module_of([MATRIX, *params], lines, symbols), [X, *ARGUMENTS.get(name, [])], tmp_path)


HEAD = """
from tvm.script import ir as I, relax as R, tirx as T

@I.ir_module
class Module:
"""
CALLS = """
    @R.function(private=True)
    def pick(x: R.Tensor((4, 5), "float32")) -> R.Tensor("float32", ndim=2):
        i = R.nonzero(x)
        y = R.take(x, R.take(i, R.const(0, "int64"), axis=0), axis=0)
        return y

    @R.function(private=True)
    def scale(x: R.Tensor("float32", ndim=2)) -> R.Tensor("float32", ndim=2):
        return R.multiply(x, R.const(2, "float32"))

    @R.function
    def main(x: R.Tensor((4, 5), "float32")) -> R.Tensor("float32", ndim=2):
        cls = Module
        a = cls.scale(cls.pick(x))
        return R.concat([R.nn.softmax(a, axis=-1), a], axis=0)
"""
BRANCHES = """
    @R.function
    def main(x: R.Tensor((4, 5), "float32"), least: R.Tensor((), "float32")):
        if R.greater(R.sum(x), least):
            i = R.nonzero(x)
            r = R.take(x, R.take(i, R.const(0, "int64"), axis=0), axis=0)
        else:
            r = R.concat([x, x], axis=0)
        y = R.nn.softmax(r, axis=0)
        return y
"""
BRANCHES_OF_SETS = """
    @R.function
    def main(x: R.Tensor((4, 5), "float32"), c: R.Tensor((), "bool")):
        if c:
            r = R.unique(x, return_index=True, return_inverse=True)
        else:
            r = R.unique(R.negative(x), return_index=True, return_inverse=True)
        return (r, R.exp(r[0]), R.negative(r[2]))
"""
LOOP = """
    @R.function(private=True)
    def step(i: R.Tensor((), "int64"), x: R.Tensor("float32", ndim=1)) -> R.Tensor("float32", ndim=1):
        cls = Module
        if R.less(i, R.const(3, "int64")):
            r: R.Tensor("float32", ndim=1) = cls.step(R.add(i, R.const(1, "int64")), R.concat([x, x], axis=0))
            out = r
        else:
            out = x
        return out

    @R.function
    def main(x: R.Tensor((3,), "float32"), i: R.Tensor((), "int64")):
        cls = Module
        return R.exp(cls.step(i, x))
"""


@pytest.mark.parametrize(
    ("text", "args"),
    [
        (CALLS, [X]),
        (BRANCHES, [X, np.float32(1)]),
        (BRANCHES, [X, np.float32(1000)]),
        (BRANCHES_OF_SETS, [X, np.bool_(True)]),
        (LOOP, [np.arange(3, dtype="float32"), np.int64(0)]),
    ],
    ids=["calls", "one branch", "the other branch", "branches of sets", "a loop"],
)
def test_functions(text: str, args: list[Any], tmp_path: Path) -> None:
    check(sunmao.parse_module(HEAD + text), [np.asarray(a) for a in args], tmp_path)


@pytest.mark.parametrize("prepare", ["compile", "load"])
def test_work_on_weights(prepare: str) -> None:
    lines = [
        "i = R.nonzero(w)",
        ROWS,
        "u = R.unique(v, return_counts=True)",
        "y = (R.matmul(R.take(w, r, axis=0), v), R.take(x, r, axis=0), R.exp(u[0]), u[1], R.matmul(x, R.exp(v)))",
    ]
    weights = {"w": X, "v": W}
    module = module_of([MATRIX, 'w: R.Tensor((4, 5), "float32")', 'v: R.Tensor((5, 3), "float32")'], lines, inputs=1)
    check_same(sunmao.compile(module, weights=weights, prepare=prepare)(X), sunmao.evaluate(module, X, X, W))
