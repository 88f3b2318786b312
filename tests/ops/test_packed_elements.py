"""Elements of less than a byte are packed: kernels read and write them at any place, in the evaluator and compiled."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sunmao

INTEGERS = ("int4", "uint4", "int2", "uint2")
FLOATS = ("float4_e2m1fn", "float6_e2m3fn", "float6_e3m2fn")
DTYPES = (*INTEGERS, *FLOATS)


def dtype_of(name: str) -> Any:
    return np.dtype(getattr(ml_dtypes, name))


def drawn(name: str, *shape: int, seed: int = 0) -> Any:
    """Draws elements of all codes."""
    bits = int(getattr(ml_dtypes, "finfo" if "float" in name else "iinfo")(name).bits)
    return np.random.default_rng(seed).integers(0, 2**bits, shape).astype(np.uint8).view(dtype_of(name))


def check(expression: str, expected: Any, *, is_compiled: bool = True, **arrays: Any) -> None:
    """Compares the value of an expression over the arrays, evaluated and compiled, with the expected one."""
    types = ", ".join(f'{k}: R.Tensor({a.shape}, "{a.dtype.name}")' for k, a in arrays.items())
    text = f"from tvm.script import relax as R\n\n@R.function\ndef main({types}):\n    return {expression}\n"
    module = sunmao.parse_module(text)
    results = [sunmao.evaluate(module, *arrays.values())]
    if is_compiled:
        results.append(sunmao.compile(module)(*arrays.values()))
    for got in results:
        assert got.dtype == expected.dtype
        assert got.shape == expected.shape
        np.testing.assert_array_equal(got.view(np.uint8), np.ascontiguousarray(expected).view(np.uint8))


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (7, 3, 3), (0, 3), (4, 16), (5, 33), (130,)])
def test_elements_pass_through(name: str, shape: tuple[int, ...]) -> None:
    x = drawn(name, *shape)
    check("R.reshape(x, R.shape([-1]))", x.reshape(-1), x=x)


@pytest.mark.parametrize("name", DTYPES)
def test_slices_begin_at_any_element(name: str) -> None:
    x = drawn(name, 5, 37)
    for begin, end, step in ((1, 36, 1), (3, 20, 2), (2, 37, 1), (1, 4, 1)):
        check(f"R.strided_slice(x, [1], [{begin}], [{end}], [{step}])", x[:, begin:end:step], x=x)
    check("R.strided_slice(x, [0], [1], [4])", x[1:4], x=x)


@pytest.mark.parametrize("name", DTYPES)
def test_parts_of_odd_sizes_are_joined(name: str) -> None:
    x, y, z = (drawn(name, *shape, seed=i) for i, shape in enumerate([(3, 5), (3, 2), (3, 33)]))
    check("R.concat((x, y, z), axis=1)", np.concatenate([x, y, z], axis=1), x=x, y=y, z=z)
    check("R.concat((x, x), axis=0)", np.concatenate([x, x]), x=x)


@pytest.mark.parametrize("name", DTYPES)
def test_axes_are_permuted(name: str) -> None:
    x = drawn(name, 3, 5, 7)
    check("R.permute_dims(x, [2, 0, 1])", x.transpose(2, 0, 1), x=x)
    check("R.flip(x, axis=2)", x[:, :, ::-1], x=x)


@pytest.mark.parametrize("name", DTYPES)
def test_padding_and_choice(name: str) -> None:
    x, y = drawn(name, 3, 5), drawn(name, 3, 5, seed=1)
    condition = np.random.default_rng(2).integers(0, 2, (3, 5)).astype(bool)
    padded = np.pad(x.view(np.uint8), ((1, 0), (2, 1))).view(x.dtype)
    check("R.nn.pad(x, [1, 0, 2, 1])", padded, x=x)
    chosen = np.where(condition, x.view(np.uint8), y.view(np.uint8)).view(x.dtype)
    check("R.where(c, x, y)", chosen, c=condition, x=x, y=y)


@pytest.mark.parametrize("name", DTYPES)
def test_casts_go_both_ways(name: str) -> None:
    wide = "float32" if "float" in name else "int8"
    for shape in ((3, 5), (67,), (2, 64)):
        x = drawn(name, *shape)
        check(f'R.astype(x, "{wide}")', x.astype(wide), x=x)
        check(f'R.astype(x, "{name}")', x, x=x.astype(wide))


@pytest.mark.parametrize("name", INTEGERS)
def test_arithmetic_wraps(name: str) -> None:
    x, y = drawn(name, 3, 43), drawn(name, 3, 43, seed=1)
    total = (x.astype(np.int16) + y.astype(np.int16)).astype(np.uint8)
    mask = 2 ** int(ml_dtypes.iinfo(name).bits) - 1
    check("R.add(x, y)", (total & mask).view(x.dtype), x=x, y=y)


@pytest.mark.parametrize("name", DTYPES)
def test_elements_are_gathered_and_scattered(name: str) -> None:
    x, places = drawn(name, 7, 5), np.array([6, 0, 3, 3], np.int64)
    check("R.take(x, i, axis=0)", x[places], x=x, i=places)
    check("R.take(x, i, axis=1)", x[:, [4, 0, 1]], x=x, i=np.array([4, 0, 1], np.int64))
    changed = x.copy()
    changed[1, 2], changed[4, 4] = x[0, 0], x[0, 1]
    index, values = np.array([[1, 2], [4, 4]], np.int64), np.stack([x[0, 0], x[0, 1]])
    check("R.scatter_nd(x, i, v)", changed, x=x, i=index, v=values)


@pytest.mark.parametrize("name", ("int4", "uint4", "int2"))
def test_sizes_that_depend_on_data(name: str) -> None:
    """Bytecode has no such sizes: the evaluator computes these ops."""
    x = drawn(name, 11)
    order = np.argsort(x.astype(np.int8), kind="stable")
    expected = x[order][np.concatenate([[True], np.diff(x[order].astype(np.int8)) != 0])]
    check("R.unique(x, sorted=True)", expected, is_compiled=False, x=x)
    begin, end, step = (np.array([v], np.int64) for v in (1, 10, 3))
    check("R.dynamic_strided_slice(x, b, e, s)", x[1:10:3], is_compiled=False, x=x, b=begin, e=end, s=step)


@pytest.mark.parametrize("shape", [(5, 33), (4, 64), (3, 7)])
def test_weights_of_4_bits_are_dequantized(shape: tuple[int, ...]) -> None:
    x, scale = drawn("int4", *shape), np.linspace(0.5, 2, shape[0], dtype=np.float32)
    zero = drawn("int4", shape[0], seed=1)
    expected = (x.astype(np.float32) - zero.astype(np.float32)[:, None]) * scale[:, None]
    check("R.dequantize(x, s, z, axis=0)", expected, x=x, s=scale, z=zero)


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("rows", [(300, 301), (1, 100_003), (256, 512)])
def test_threads_store_elements_of_one_byte(name: str, rows: tuple[int, int]) -> None:
    """Large enough for several threads, whose rows share bytes."""
    x = drawn(name, *rows)
    wide = x.astype(np.float32 if "float" in name else np.int8)
    check(f'R.astype(x, "{name}")', x, x=wide)
    check(f'R.permute_dims(R.astype(x, "{name}"), [1, 0])', x.T, x=wide)


SCRIPT = """
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class M:
    @T.prim_func
    def middle(x: T.Buffer((5, 7), "{0}"), y: T.Buffer((3, 7), "{0}")):
        part = T.alloc_buffer((3, 7), "{0}")
        for i, j in T.grid(3, 7):
            with T.block("read"):
                vi, vj = T.axis.remap("SS", [i, j])
                source = T.match_buffer(x[vi + 1, vj], (), "{0}", offset_factor=1)
                part[vi, vj] = source[()]
        for i in T.parallel(3):
            for j in range(7):
                with T.block("write"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    y[vi, vj] = part[vi, 6 - vj]

    @R.function
    def main(x: R.Tensor((5, 7), "{0}")):
        return R.call_tir(M.middle, (x,), R.Tensor((3, 7), "{0}"))
"""


@pytest.mark.parametrize("name", DTYPES)
def test_views_and_temporaries_of_kernels(name: str) -> None:
    module, x = sunmao.parse_module(SCRIPT.format(name)), drawn(name, 5, 7)
    for got in (sunmao.evaluate(module, x), sunmao.compile(module)(x)):
        np.testing.assert_array_equal(got.view(np.uint8), x[1:4, ::-1].view(np.uint8))


@pytest.mark.parametrize("name", ("int4", "uint2", "float6_e2m3fn"))
def test_bytes_of_a_view_end_with_zeros(name: str) -> None:
    """Memory that held something else is seen through a view of bytes."""
    x = drawn(name, 11)
    bits = int(getattr(ml_dtypes, "finfo" if "float" in name else "iinfo")(name).bits)
    codes = np.unpackbits(x.view(np.uint8)[:, None], axis=1, bitorder="little")[:, :bits].reshape(-1)
    packed = np.packbits(codes, bitorder="little")
    wide = x.astype(np.float32 if "float" in name else np.int8)
    check(f'R.memory.view(R.astype(x, "{name}"), R.shape([{len(packed)}]), R.dtype("uint8"))', packed, x=wide)


SIZED = """
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor(("n", 3), "{0}")):
        n = T.int64()
        joined = R.concat((x, x), axis=0)
        order = R.permute_dims(joined, [1, 0])
        return R.permute_dims(R.sort(order, axis=1), [1, 0])
"""


@pytest.mark.parametrize("name", ("int4", "uint2"))
def test_memory_of_sizes_known_when_running(name: str) -> None:
    module = sunmao.parse_module(SIZED.format(name))
    model = sunmao.compile(module)
    for rows in (0, 1, 2, 5, 33):
        x = drawn(name, rows, 3)
        wide = x.astype(np.int8)
        expected = np.sort(np.concatenate([wide, wide]), axis=0)
        for got in (sunmao.evaluate(module, x), model(x)):
            np.testing.assert_array_equal(got.astype(np.int8), expected)
