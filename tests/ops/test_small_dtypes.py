"""Floats and integers of at most 8 bits: both engines convert them as ml_dtypes does."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sunmao

FLOAT8 = (
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
)
FLOATS = (*FLOAT8, "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn")
PAIRED = ("add", "subtract", "multiply", "divide", "floor_divide", "floor_mod", "maximum", "power")
INTEGERS = ("int4", "uint4", "int2", "uint2")


def width(name: str) -> int:
    return int(getattr(ml_dtypes, "finfo" if name in FLOATS else "iinfo")(name).bits)


def codes(name: str) -> Any:
    return np.arange(2 ** width(name), dtype=np.uint8).view(getattr(ml_dtypes, name))


def many_floats() -> Any:
    """Combines the upper halves of all float32 codes with the lower halves at which rounding decisions change."""
    upper = np.arange(2**16, dtype=np.uint32) << 16
    lower = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    return (upper[:, None] | lower).reshape(-1).view(np.float32)


def module(source: str, target: str, count: int, expression: str = "R.astype(x, dtype='{}')") -> sunmao.Module:
    text = f'from tvm.script import relax as R\n\n@R.function\ndef main(x: R.Tensor(({count},), "{source}")):\n'
    return sunmao.parse_module(f"{text}    return {expression.format(target)}\n")


def both(m: sunmao.Module, *arrays: Any) -> list[Any]:
    return [sunmao.evaluate(m, *arrays), sunmao.compile(m)(*arrays)]


def bits(array: Any) -> Any:
    return array.view({1: np.uint8, 2: np.uint16, 4: np.uint32}[array.dtype.itemsize])


@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS])
def test_every_code_as_float32(name: str) -> None:
    x = codes(name)
    expected = x.astype(np.float32)
    for got in both(module(name, "float32", len(x)), x):
        assert got.dtype == np.float32
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(np.signbit(got)[~np.isnan(got)], np.signbit(expected)[~np.isnan(expected)])


@pytest.mark.parametrize("name", FLOATS)
def test_floats_round_as_ml_dtypes_does(name: str) -> None:
    """Except for NaN, whose code differs, for cases where PyTorch differs, and for formats without NaN."""
    x = many_floats()
    if name == "float8_e4m3fn":  # overflow saturates
        x = x[np.isnan(x) | (np.abs(x) <= 464)]
    if name == "float8_e8m0fnu":  # the sign is dropped, and subnormals round as in PyTorch
        x = x[x >= np.finfo(np.float32).tiny]
    if name in ("float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"):
        x = x[~np.isnan(x)]
    with np.errstate(all="ignore"):
        expected = x.astype(getattr(ml_dtypes, name))
    is_nan = np.isnan(expected.astype(np.float32))
    for got in both(module("float32", name, len(x)), x):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(bits(got)[~is_nan], bits(expected)[~is_nan])
        assert np.isnan(got.astype(np.float32)[is_nan]).all()


@pytest.mark.parametrize("name", FLOATS)
def test_the_evaluator_and_compiled_code_agree_bit_for_bit(name: str) -> None:
    x = many_floats()
    evaluated, compiled = both(module("float32", name, len(x)), x)
    np.testing.assert_array_equal(bits(evaluated), bits(compiled))


@pytest.mark.parametrize("name", ["float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"])
def test_nan_becomes_0_where_there_is_none(name: str) -> None:
    x = np.array([np.nan, -np.nan], np.float32)
    for got in both(module("float32", name, 2), x):
        np.testing.assert_array_equal(bits(got), [0, 0])


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_keep_their_low_bits(name: str) -> None:
    x = np.arange(-300, 300, dtype=np.int32)
    expected = x.astype(getattr(ml_dtypes, name))
    for got in both(module("int32", name, len(x)), x):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(bits(got), bits(expected))


@pytest.mark.parametrize("op", PAIRED)
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_of_all_pairs(op: str, name: str) -> None:
    """Expected results are computed in int32, of which the low bits are kept."""
    values = codes(name).astype(np.int32)
    x, y = (a.reshape(-1) for a in np.meshgrid(values, values))
    if op == "power":
        x, y = x[y >= 0], y[y >= 0]
    with np.errstate(all="ignore"):
        numpy_op = {"divide": lambda a, b: np.where(b == 0, 0, np.trunc(a / b).astype(np.int32))}.get(op)
        expected = (numpy_op or getattr(np, op if op != "floor_mod" else "mod"))(x, y).astype(getattr(ml_dtypes, name))
    text = f'x: R.Tensor(({len(x)},), "{name}"), y: R.Tensor(({len(x)},), "{name}")'
    source = f"from tvm.script import relax as R\n\n@R.function\ndef main({text}):\n    return R.{op}(x, y)\n"
    arrays = [a.astype(getattr(ml_dtypes, name)) for a in (x, y)]
    for got in both(sunmao.parse_module(source), *arrays):
        np.testing.assert_array_equal(bits(got), bits(expected))


@pytest.mark.parametrize("name", FLOAT8[:7])
def test_arithmetic_is_of_float32_and_rounds(name: str) -> None:
    x = codes(name)
    expected = x.astype(np.float32) * np.float32(1.5)
    if name == "float8_e4m3fn":  # as in PyTorch, overflow saturates
        expected = np.clip(expected, -448, 448)
    with np.errstate(all="ignore"):
        rounded = expected.astype(x.dtype).astype(np.float32)
    for got in both(module(name, name, len(x), "R.multiply(x, R.const(1.5, '{}'))"), x):
        assert got.dtype == x.dtype
        np.testing.assert_array_equal(got.astype(np.float32), rounded)


@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS])
def test_constants_are_read_and_printed(name: str) -> None:
    numbers = [1, 1] if name.startswith(("uint", "float8_e8m0")) else [1, -1]
    m = module(name, name, 2, f"R.const({numbers}, '{{}}')")
    written = [float(n) for n in numbers] if name in FLOATS else numbers
    assert f'R.const({written}, "{name}")' in m.script()
    assert sunmao.structural_equal(sunmao.parse_module(m.script()), m)
    for got in both(m, codes(name)[:2]):
        np.testing.assert_array_equal(bits(got), bits(np.array(numbers).astype(got.dtype)))


def test_small_elements_take_a_byte_each() -> None:
    """Three elements take three bytes as input and output, and bits beyond the width are ignored."""
    x = np.array([0x1F, 0xF8, 0x07], np.uint8).view(ml_dtypes.int4)
    for got in both(module("int4", "int4", 3, "R.add(x, R.const(1, '{}'))"), x):
        np.testing.assert_array_equal(bits(got), [0x00, 0x09, 0x08])


@pytest.mark.parametrize(("name", "code"), [("bfloat16", 4), ("float8_e5m2", 12), ("float4_e2m1fn", 17), ("int4", 0)])
def test_dtypes_are_told(name: str, code: int) -> None:
    x = np.zeros(2, getattr(ml_dtypes, name))
    told = {"code": code, "bits": ml_dtypes.finfo(x.dtype).bits if code else 4, "lanes": 1}
    for what, expected in told.items():
        assert sunmao.evaluate(module(name, "", 2, f"R.inspect.tensor_dtype_{what}(x)"), x) == expected


@pytest.mark.parametrize("name", INTEGERS)
def test_bounds_beyond_the_dtype_bound_nothing(name: str) -> None:
    x = codes(name)
    for result in both(module(name, "", len(x), "R.nn.relu(R.nn.relu6(x))"), x):
        np.testing.assert_array_equal(result.astype(int), np.clip(x.astype(int), 0, 6))
