"""Casts between all dtypes and division by zero in all dtypes: the evaluator and compiled code agree bit for bit.
Comparisons of integers of two dtypes are those of the numbers; means of windows do not overflow."""

import operator
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sunmao

INTEGERS = ("int64", "int32", "int16", "int8", "int4", "uint64", "uint32", "uint16", "uint8", "uint4")
FLOATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "float4_e2m1fn")
ALL = ("bool", *INTEGERS, *FLOATS)
NUMBERS = [0, -0.0, 1, -1, 1.5, -1.9, 2.5, 100, 127.5, 128, -129, 255, 300, 65504, 70000, 2**31, -(2.0**31) - 1, 1e10]
LARGE = [2.0**63, -(2.0**63), 2.0**64, 1e19, 1e30, -1e30, np.nan, np.inf, -np.inf, 1e-7, 6e-8, 2**24 + 1, 2**53 + 1]


def numpy_dtype(name: str) -> Any:
    return np.dtype(getattr(ml_dtypes, name, name))


def inputs(name: str) -> Any:
    if name in FLOATS:
        with np.errstate(all="ignore"):
            return np.array(NUMBERS + LARGE, np.float64).astype(numpy_dtype(name))
    if name == "bool":
        return np.array([True, False])
    info = ml_dtypes.iinfo(numpy_dtype(name))
    low, high = int(info.min), int(info.max)
    return (
        np.array([0, 1, 2, low, low + 1, high, high - 1, high // 2, high // 3], np.dtype(object))
        .astype(np.uint64 if low == 0 else np.int64)
        .astype(numpy_dtype(name))
    )


def both(params: str, expression: str, *arrays: Any) -> list[Any]:
    text = f"from tvm.script import relax as R\n\n@R.function\ndef main({params}):\n    return {expression}\n"
    module = sunmao.parse_module(text)
    return [sunmao.evaluate(module, *arrays), sunmao.compile(module)(*arrays)]


def bits(array: Any) -> Any:
    return array.view(f"u{array.dtype.itemsize}")


@pytest.mark.parametrize("source", ALL)
def test_casts(source: str) -> None:
    x = inputs(source)
    for target in ALL:
        evaluated, compiled = both(f'x: R.Tensor(({len(x)},), "{source}")', f"R.astype(x, dtype='{target}')", x)
        assert evaluated.dtype == compiled.dtype == numpy_dtype(target)
        if target in FLOATS:
            is_nan = np.isnan(evaluated.astype(np.float64))
            np.testing.assert_array_equal(is_nan, np.isnan(compiled.astype(np.float64)))
            evaluated, compiled = evaluated[~is_nan], compiled[~is_nan]
        np.testing.assert_array_equal(bits(evaluated), bits(compiled), err_msg=f"{source} to {target} of {x}")


@pytest.mark.parametrize("source", ("float32", "float64"))
@pytest.mark.parametrize("target", INTEGERS)
def test_floats_that_an_integer_holds(source: str, target: str) -> None:
    """Expected as NumPy converts them: via int32 or int64, of which the low bits are kept."""
    wide = np.int32 if ml_dtypes.iinfo(numpy_dtype(target)).bits < 32 or target == "int32" else np.int64
    x = np.array([0.0, 1.9, -1.9, 7, -8, 100, 127.9, -128, 255, 300, -1000, 2.0**30, -(2.0**31)], source)
    expected = x.astype(wide).astype(numpy_dtype(target))
    for got in both(f'x: R.Tensor(({len(x)},), "{source}")', f"R.astype(x, dtype='{target}')", x):
        np.testing.assert_array_equal(bits(got), bits(expected))


@pytest.mark.parametrize("op", ["divide", "mod", "floor_divide", "floor_mod"])
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_by_zero(dtype: str, op: str) -> None:
    x = inputs(dtype)
    type_text = f'R.Tensor(({len(x)},), "{dtype}")'
    for got in both(f"x: {type_text}, y: {type_text}", f"R.{op}(x, y)", x, np.zeros_like(x)):
        np.testing.assert_array_equal(bits(got), 0)


@pytest.mark.parametrize("op", ["add", "subtract", "multiply", "divide", "floor_mod", "maximum", "minimum", "power"])
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_integers_of_all_ends(dtype: str, op: str) -> None:
    x, y = (np.ascontiguousarray(a.reshape(-1)) for a in np.meshgrid(inputs(dtype), inputs(dtype)))
    type_text = f'R.Tensor(({len(x)},), "{dtype}")'
    evaluated, compiled = both(f"x: {type_text}, y: {type_text}", f"R.{op}(x, y)", x, y)
    np.testing.assert_array_equal(bits(evaluated), bits(compiled), err_msg=f"{x} {op} {y}")


@pytest.mark.parametrize("op", ["sum", "prod", "max", "min", "cumsum(axis=0)", "sort", "argmax", "mean"])
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_reductions_of_integers(dtype: str, op: str) -> None:
    x = inputs(dtype)
    name, _, rest = op.partition("(")
    call = f"R.{name}(x{', ' + rest if rest else ')'}"
    try:
        evaluated, compiled = both(f'x: R.Tensor(({len(x)},), "{dtype}")', call, x)
    except sunmao.Error as error:
        assert "E0306" in str(error)
        return
    np.testing.assert_array_equal(evaluated, compiled)


COMPARISONS = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


@pytest.mark.parametrize("op", COMPARISONS)
@pytest.mark.parametrize("dtype", ["bool", *INTEGERS])
def test_comparisons_are_of_numbers(dtype: str, op: str) -> None:
    x = inputs(dtype)
    others = {name: inputs(name) for name in ("bool", *INTEGERS)}
    params = [f'x: R.Tensor(({len(x)}, 1), "{dtype}")']
    params += [f'{name}: R.Tensor(({len(y)},), "{name}")' for name, y in others.items()]
    calls = ", ".join(f"R.{op}(x, {name})" for name in others)
    results = both(", ".join(params), f"({calls})", x.reshape(-1, 1), *others.values())
    for (name, y), *got in zip(others.items(), *results, strict=True):
        expected = [[COMPARISONS[op](int(a), int(b)) for b in y] for a in x]
        for result in got:
            np.testing.assert_array_equal(result, expected, err_msg=f"{dtype} {op} {name}")


def test_floats_of_one_width_compare_in_float32() -> None:
    x, y = np.array([1 + 2**-10, np.inf, 2], np.float16), np.array([1, 65536, 2], ml_dtypes.bfloat16)
    for got in both('x: R.Tensor((3,), "float16"), y: R.Tensor((3,), "bfloat16")', "R.equal(x, y)", x, y):
        np.testing.assert_array_equal(got, [False, False, True])


@pytest.mark.parametrize("op", ["avg_pool2d(x, pool_size=[4, 4])", "adaptive_avg_pool2d(x, output_size=[1, 1])"])
@pytest.mark.parametrize(("dtype", "value"), [("int8", -101), ("uint8", 201), ("int16", 30001)])
def test_means_of_windows_do_not_overflow(op: str, dtype: str, value: int) -> None:
    x = np.full((1, 2, 4, 4), value, dtype)
    for got in both(f'x: R.Tensor((1, 2, 4, 4), "{dtype}")', f"R.nn.{op}", x):
        np.testing.assert_array_equal(got, np.full((1, 2, 1, 1), value, dtype))
