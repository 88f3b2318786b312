"""The corner cases of values that docs/ir.md specifies: the evaluator and compiled code agree."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sunmao

nan, inf = float("nan"), float("inf")
LOWEST = -(2**31)
Case = tuple[str, list[Any], Any]


def f32(*values: Any) -> Any:
    return np.array(values, np.float32)


def i8(*values: int) -> Any:
    return np.array(values, np.int8)


def u8(*values: int) -> Any:
    return np.array(values, np.uint8)


def i32(*values: Any) -> Any:
    return np.array(values, np.int32)


def i64(*values: int) -> Any:
    return np.array(values, np.int64)


def truth(*values: bool) -> Any:
    return np.array(values, np.bool_)


DIVISIONS = ("divide", "mod", "floor_divide", "floor_mod")
BIG = np.array([2**63, 2**64 - 1, 3, 2**63 + 5], np.uint64)
OTHER = np.array([7, 2**63 + 1, 2**64 - 1, 2**63 + 5], np.uint64)

INTEGERS: list[Case] = [
    ("R.add(x, y)", [i8(127, -128), i8(1, -1)], i8(-128, 127)),
    ("R.subtract(x, y)", [u8(0), u8(1)], u8(255)),
    ("R.abs(x)", [i8(-128)], i8(-128)),
    ("R.sum(x)", [i8(100, 100)], np.int8(-56)),
    ("R.matmul(x, y)", [i8([100, 100]), i8([100], [100])], i8([32])),
    ("R.matmul(x, y, out_dtype='int32')", [i8([100, 100]), i8([100], [100])], i32([20000])),
    ("R.divide(x, y)", [i32(7, -7, 7, LOWEST), i32(2, 2, -2, -1)], i32(3, -3, -3, LOWEST)),
    ("R.mod(x, y)", [i32(7, -7, 7, LOWEST), i32(2, 2, -2, -1)], i32(1, -1, 1, 0)),
    ("R.floor_divide(x, y)", [i32(7, -7, 7, LOWEST), i32(2, 2, -2, -1)], i32(3, -4, -4, LOWEST)),
    ("R.floor_mod(x, y)", [i32(7, -7, 7, LOWEST), i32(2, 2, -2, -1)], i32(1, 1, -1, 0)),
    *[(f"R.{op}(x, y)", [i32(7, -7, 0), i32(0, 0, 0)], i32(0, 0, 0)) for op in DIVISIONS],
    ("R.power(x, y)", [i32(2, 2, -1, 0, 3), i32(3, -1, -3, 0, 40)], i32(8, 0, -1, 1, 3**40 - (3**40 >> 32 << 32))),
    ("R.power(x, y)", [u8(3, 2), u8(5, 255)], u8(243, 0)),
    ("R.atan2(x, y)", [i32(5, -5, 0), i32(0, -1, -3)], i32(1, -1, 3)),
    ("R.sort(x)", [BIG], np.sort(BIG)),
    ("R.astype(x, dtype='float64')", [BIG], BIG.astype("float64")),
    ("R.left_shift(x, y)", [i32(5, 5, 5), i32(1, 32, -1)], i32(10, 0, 0)),
    ("R.right_shift(x, y)", [i32(5, -5, -5, 5), i32(1, 1, 40, -1)], i32(2, -3, -1, 0)),
]

FLOATS: list[Case] = [
    ("R.divide(x, y)", [f32(1, -1, 0), f32(0, 0, 0)], f32(inf, -inf, nan)),
    ("R.maximum(x, y)", [f32(nan, 1), f32(1, nan)], f32(nan, nan)),
    ("R.max(x)", [f32(1, nan, 3)], np.float32(nan)),
    ("R.cumsum(x, axis=0)", [f32(1, nan, 2)], f32(1, nan, nan)),
    ("R.argmax(x)", [f32(1, nan, 3, nan)], np.int64(1)),
    ("R.argmin(x)", [f32(2, 1, 1)], np.int64(1)),
    ("R.sort(x)", [f32(2, nan, -inf, inf)], f32(-inf, 2, inf, nan)),
    ("R.sort(x, descending=True)", [f32(2, nan, -inf, inf)], f32(nan, inf, 2, -inf)),
    ("R.argsort(x, descending=True)", [f32(2, 1, 2, 1)], i32(0, 2, 1, 3)),
    ("R.not_equal(x, x)", [f32(nan, 1)], truth(True, False)),
    ("R.greater_equal(x, y)", [f32(nan, 0.0), f32(1, -0.0)], truth(False, True)),
    ("R.clip(x, R.prim_value(-1), R.prim_value(1))", [f32(nan, 5, -inf)], f32(nan, 1, -1)),
    ("R.clip(x, R.prim_value(2), R.prim_value(1))", [f32(0, 1.5, 5)], f32(2, 2, 2)),
    ("R.where(x, y, z)", [truth(True, False), f32(1, nan), f32(nan, 2)], f32(1, 2)),
    ("R.round(x)", [f32(0.5, 1.5, -2.5, nan)], f32(0, 2, -2, nan)),
    ("R.sign(x)", [f32(nan, -3)], f32(nan, -1)),
    ("R.mod(x, y)", [f32(7, -7, 7, 1, -5), f32(2, 2, -2, 0, inf)], f32(1, -1, 1, nan, -5)),
    ("R.floor_mod(x, y)", [f32(-7, 7, 1, -5, 5, 5), f32(2, -2, 0, inf, -inf, inf)], f32(1, -1, nan, inf, -inf, 5)),
    ("R.floor_divide(x, y)", [f32(-7, 1, 1, inf, -5, 5), f32(2, 0, 0.1, 2, inf, -inf)], f32(-4, inf, 9, nan, -1, -1)),
    ("R.log(x)", [f32(0, -1)], f32(-inf, nan)),
    ("R.sqrt(x)", [f32(-1)], f32(nan)),
    ("R.rsqrt(x)", [f32(0)], f32(inf)),
    ("R.power(x, y)", [f32(nan, 0), f32(0, 0)], f32(1, 1)),
    ("R.nn.softmax(x)", [f32([1000, 1000], [1, nan], [1, inf], [-inf, -inf])], f32([0.5] * 2, *[[nan] * 2] * 3)),
    (
        "R.matmul(x, y, out_dtype='float32')",
        [np.ones((1, 4096), "float16"), np.ones((4096, 1), "float16")],
        f32([4096]),
    ),
    ("R.mean(x)", [np.full(4096, 60000, "float16")], np.float16(60000)),
    ("R.sum(x)", [np.ones(4096, "float16")], np.float16(4096)),
]

CASTS: list[Case] = [
    ("R.astype(x, dtype='bool')", [f32(0, 0.5, nan, -0.0)], truth(False, True, True, False)),
    ("R.astype(x, dtype='int8')", [i32(300, -129)], i8(44, 127)),
    ("R.astype(x, dtype='int32')", [f32(1.9, -1.9, nan, 3e9, -inf)], i32(1, -1, 0, 2**31 - 1, LOWEST)),
    ("R.astype(x, dtype='int8')", [f32(300, -129, nan, 3e9)], i8(44, 127, 0, -1)),
    ("R.astype(x, dtype='uint8')", [f32(-1, 256, inf)], u8(255, 0, 255)),
    ("R.astype(x, dtype='uint32')", [f32(-1, 3e9, nan)], np.array([2**32 - 1, 3000000000, 0], np.uint32)),
    ("R.astype(x, dtype='int64')", [f32(nan, 1e19, -inf, -2.5)], i64(0, 2**63 - 1, -(2**63), -2)),
    (
        "R.astype(x, dtype='uint64')",
        [f32(-1, 2.0**63, 1e30, nan)],
        np.array([2**64 - 1, 2**63, 2**64 - 1, 0], np.uint64),
    ),
    ("R.astype(x, dtype='float32')", [i64(2**54 + 2**30 + 1)], f32(2**54 + 2**31)),
    ("R.add(x, y)", [truth(True, True, False), truth(True, False, False)], truth(True, True, False)),
    ("R.subtract(x, y)", [truth(True, True, False), truth(True, False, True)], truth(False, True, True)),
    ("R.negative(x)", [truth(True, False)], truth(True, False)),
    ("R.sum(x)", [truth(True, True)], np.bool_(True)),
    ("R.cumsum(x, axis=0)", [truth(False, True, True)], truth(False, True, True)),
    ("R.astype(x, dtype='float16')", [f32(70000, 2049, 2051)], np.array([inf, 2048, 2052], "float16")),
    (
        "R.quantize(x, y, z, axis=0, out_dtype='int8')",
        [f32(0.25, 1e9, nan), f32(0.5, 0.5, 0.5), i8(0, 0, 0)],
        i8(0, 127, 0),
    ),
    (
        "R.quantize(x, y, z, axis=0, out_dtype='uint32')",
        [f32(1e30, -5, nan), f32(1, 1, 1), np.zeros(3, np.uint32)],
        np.array([2**32 - 1, 0, 0], np.uint32),
    ),
    (
        "R.quantize(x, y, z, axis=0, out_dtype='float8_e5m2')",
        [f32(3.3, 1e9, -inf), f32(0.5, 0.5, 0.5), np.zeros(3, ml_dtypes.float8_e5m2)],
        np.array([7, 57344, -57344], ml_dtypes.float8_e5m2),
    ),
    (
        "R.quantize(x, y, z, axis=0, out_dtype='float8_e4m3fn')",
        [f32(3.3, 1e9, -inf), f32(0.5, 0.5, 0.5), np.zeros(3, ml_dtypes.float8_e4m3fn)],
        np.array([6.5, 448, -448], ml_dtypes.float8_e4m3fn),
    ),
    ("R.logical_and(x, y)", [f32(2, 0, nan), f32(3, 1, nan)], f32(1, 0, 1)),
    ("R.bitwise_not(x)", [truth(True, False)], truth(False, True)),
    ("R.multiply(x, y)", [truth(True, True), truth(True, False)], truth(True, False)),
    ("R.minimum(x, y)", [truth(True, True), truth(True, False)], truth(True, False)),
    ("R.maximum(x, y)", [truth(False, True), truth(False, True)], truth(False, True)),
]

PLACES: list[Case] = [
    ("R.sum(x)", [f32()], np.float32(0)),
    ("R.prod(x)", [f32()], np.float32(1)),
    ("R.mean(x)", [f32()], np.float32(nan)),
    ("R.std(x)", [f32()], np.float32(nan)),
    ("R.max(x)", [f32()], np.float32(-inf)),
    ("R.max(x)", [i32()], np.int32(LOWEST)),
    ("R.min(x)", [i32()], np.int32(2**31 - 1)),
    ("R.min(x)", [truth()], np.bool_(True)),
    ("R.argmax(x)", [f32()], np.int64(0)),
    ("R.sum(x, axis=[])", [f32(1, 2)], f32(1, 2)),
    ("R.sum(x, axis=[-1])", [f32([1, 2], [3, 4])], f32(3, 7)),
    ("R.matmul(x, y)", [np.zeros((1, 0), "float32"), np.zeros((0, 2), "float32")], f32([0, 0])),
    ("R.add(x, y)", [f32(), f32(1)], f32()),
    ("R.take(x, y, axis=0, mode='fast')", [f32(1, 2, 3), i32(0, -1, -3)], f32(1, 3, 1)),
    ("R.take(x, y, axis=0, mode='clip')", [f32(1, 2, 3), i32(-1, 100)], f32(1, 3)),
    ("R.take(x, y, axis=0, mode='wrap')", [f32(1, 2, 3), i32(-4, 3)], f32(3, 1)),
    ("R.take(x, y, axis=0, mode='nan')", [f32(1, 2, 3), i32(-1, 3, 0)], f32(nan, nan, 1)),
    ("R.take(x, y, axis=0, mode='nan')", [i32(1, 2), i32(-1, 5)], i32(0, 0)),
    ("R.gather_elements(x, y, axis=0)", [f32(1, 2), i64(-1)], f32(2)),
    ("R.scatter_elements(x, y, z, axis=0)", [f32(1, 2, 3), i64(-1, 1, 0, 0), f32(9, 8, 7, 6)], f32(6, 8, 9)),
    ("R.scatter_elements(x, y, z, reduction='mean')", [f32(1, 2, 3), i64(0, 0, 2), f32(4, 7, 5)], f32(4, 2, 4)),
    ("R.scatter_elements(x, y, z, reduction='mean')", [i32(1, 2), i64(0), i32(-4)], i32(-2, 2)),
    ("R.scatter_nd(x, y, z)", [f32(1, 2, 3), i64([2], [0], [0]), f32(9, 8, 7)], f32(7, 2, 9)),
    ("R.index_put(x, (y,), z)", [f32(1, 2, 3), i64(0, -1, -1), f32(9, 8, 7)], f32(9, 2, 7)),
    ("R.one_hot(x, R.prim_value(1), R.prim_value(0), depth=2, axis=-1)", [i64(0, 2, -1)], i64([1, 0], [0, 0], [0, 0])),
    ("R.topk(x, k=0, ret_type='values')", [f32(2, 1, 3)], f32(3, 2, 1)),
    ("R.topk(x, k=3, ret_type='values')", [f32(2, 1)], f32(2, 1, 0)),
    ("R.strided_slice(x, axes=[0], begin=[-2], end=[100])", [f32(1, 2, 3)], f32(2, 3)),
    ("R.strided_slice(x, axes=[0], begin=[7], end=[9])", [f32(1, 2, 3)], f32()),
]


def module_of(expression: str, arrays: list[Any]) -> sunmao.Module:
    params = ", ".join(f'{name}: R.Tensor({a.shape}, "{a.dtype}")' for name, a in zip("xyz", arrays, strict=False))
    return sunmao.parse_module(
        f"from tvm.script import relax as R\n\n@R.function\ndef main({params}):\n    return {expression}\n"
    )


@pytest.mark.parametrize(("expression", "arrays", "expected"), INTEGERS + FLOATS + CASTS + PLACES)
def test_corner(expression: str, arrays: list[Any], expected: Any) -> None:
    module = module_of(expression, arrays)
    for got in (sunmao.evaluate(module, *arrays), sunmao.compile(module)(*arrays)):
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    "op", ["add", "subtract", "multiply", "floor_divide", "floor_mod", "maximum", "minimum", "less", "greater_equal"]
)
def test_uint64_is_whole(op: str) -> None:
    expected = getattr(np, op if op != "floor_mod" else "mod")(BIG, OTHER)
    module = module_of(f"R.{op}(x, y)", [BIG, OTHER])
    for got in (sunmao.evaluate(module, BIG, OTHER), sunmao.compile(module)(BIG, OTHER)):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize(
    ("expression", "arrays"),
    [
        ("R.take(x, y, axis=0)", [f32(1, 2), i64(2)]),
        ("R.take(x, y, axis=0, mode='clip')", [f32(), i64(0)]),
        ("R.gather_elements(x, y, axis=0)", [f32(1, 2), i64(2)]),
        ("R.index_tensor(x, (y,))", [f32(1, 2), i64(-3)]),
        ("R.take(x, y, axis=0, from_end=False)", [f32(1, 2), i64(-1)]),
        ("R.gather_elements(x, y, axis=0, from_end=False)", [f32(1, 2), i64(-1)]),
        ("R.scatter_elements(x, y, z, axis=0)", [f32(1, 2), i64(99_999_999), f32(9)]),
        ("R.scatter_elements(x, y, z, axis=0, reduction='mean')", [f32(1, 2), i64(-3), f32(9)]),
        ("R.scatter_elements(x, y, z, axis=0, from_end=False)", [f32(1, 2), i64(-1), f32(9)]),
        ("R.scatter_nd(x, y, z)", [f32(1, 2), i64([2]), f32(9)]),
        ("R.index_put(x, (y,), z)", [f32(1, 2), i64(2), f32(9)]),
        ("R.one_hot(x, R.prim_value(1), R.prim_value(0), depth=2, checked=True)", [i64(2)]),
    ],
)
def test_nothing_is_read_or_written_outside_of_a_tensor(expression: str, arrays: list[Any]) -> None:
    module = module_of(expression, arrays)
    for run in (sunmao.compile(module), lambda *args: sunmao.evaluate(module, *args)):
        with pytest.raises(sunmao.Error, match="E0919"):
            run(*arrays)


def test_symbols_are_bound_by_arguments_and_checked() -> None:
    module = sunmao.parse_module(
        "from tvm.script import relax as R\n\n@R.function\n"
        'def main(x: R.Tensor(("n",), "float32"), y: R.Tensor(("n * 2",), "float32")):\n    return R.sum(y)\n'
    )
    model = sunmao.compile(module)
    assert sunmao.evaluate(module, f32(), f32()) == model(f32(), f32()) == 0
    with pytest.raises(sunmao.Error, match="E0905"):
        sunmao.evaluate(module, f32(1, 2), f32(1, 2, 3))
    with pytest.raises(sunmao.Error, match="E0905"):
        model(f32(1, 2), f32(1, 2, 3))


def test_a_size_that_a_run_makes_negative() -> None:
    module = sunmao.parse_module(
        "from tvm.script import relax as R\n\n@R.function\n"
        'def main(x: R.Tensor(("n",), "float32")):\n    return R.zeros(R.shape([n - 3]), "float32")\n'
    )
    with pytest.raises(sunmao.Error, match="E0911"):
        sunmao.compile(module)(f32(1, 2))
