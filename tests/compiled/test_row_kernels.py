"""Kernels of users that work row by row, or nearly so, compute what the evaluator computes."""

from __future__ import annotations

import zlib

import ml_dtypes
import numpy as np
import pytest
import sunmao
from one_function import module_of

MODULE = """
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def kernel(x: T.Buffer(({rows}, {columns}), "float32"), y: T.Buffer({shape}, "float32")):
        with T.sblock("root"):
{temporaries}
{blocks}

    @R.function
    def main(x: R.Tensor(({rows}, {columns}), "float32")):
        y = R.call_tir(Module.kernel, (x,), out_ty=R.Tensor({shape}, "float32"))
        return y
"""

BLOCK = """
            for li, lj in T.grid({rows}, {columns}):
                with T.sblock("{name}"):
                    i, j = T.axis.remap("{kinds}", [li, lj])
{init}
                    {store}
"""


def block(kinds: str, store: str, init: str = "", rows: int = 40, columns: int = 64) -> str:
    begin = f"                    with T.init():\n                        {init}" if init else ""
    name = f"b{zlib.crc32(store.encode())}"
    return BLOCK.format(rows=rows, columns=columns, name=name, kinds=kinds, init=begin, store=store)


def check(blocks: list[str], temporaries: dict[str, str], shape: str = "(40, 64)") -> None:
    names = "\n".join(f'            {n} = T.sblock_alloc_buffer({s}, "float32")' for n, s in temporaries.items())
    text = MODULE.format(rows=40, columns=64, shape=shape, temporaries=names, blocks="".join(blocks))
    module = sunmao.parse_module(text)
    x = np.random.default_rng(0).standard_normal((40, 64)).astype("float32")
    want = sunmao.evaluate(module, x)
    for threads in (1, 2):
        np.testing.assert_allclose(sunmao.compile(module, threads=threads)(x), want, rtol=1e-5, atol=1e-5)


SUM = "s[i] = T.float32(0)"


def test_a_temporary_larger_than_the_result() -> None:
    exponentials = block("SS", "t[i, j] = T.exp(x[i, j])")
    total = block("SR", "s[i] = s[i] + t[i, j]", SUM)
    check(
        [exponentials, total, block("SS", "y[i, j] = t[i, j] / s[i]", columns=32)],
        {"t": "(40, 64)", "s": "(40,)"},
        "(40, 32)",
    )


def test_two_temporaries_that_could_lie_in_the_result() -> None:
    blocks = [
        block("SS", "t[i, j] = T.exp(x[i, j])"),
        block("SS", "u[i, j] = T.sqrt(t[i, j]) + T.float32(1)"),
        block("SR", "s[i] = s[i] + t[i, j] * u[i, j]", SUM),
        block("SS", "y[i, j] = t[i, j] / s[i] + u[i, j]"),
    ]
    check(blocks, {"t": "(40, 64)", "u": "(40, 64)", "s": "(40,)"})


def test_an_elementwise_block_with_init() -> None:
    scaled = block("SS", "y[i, j] = y[i, j] + x[i, j] * s[i]", "y[i, j] = T.float32(3)")
    check([block("SR", "s[i] = s[i] + x[i, j]", SUM), scaled], {"s": "(40,)"})


def test_an_initial_value_that_depends_on_a_loop_with_quotients() -> None:
    total = block("SR", "s[i] = s[i] + x[i, j] * x[i // 4, 0]", 's[i] = T.Cast("float32", i)')
    check([total, block("SS", "y[i, j] = x[i, j] * s[i]")], {"s": "(40,)"})


@pytest.mark.parametrize("combined", ["s[j] + x[i, j]", "T.max(s[j], x[i, j])"])
def test_an_initial_value_that_depends_on_the_columns(combined: str) -> None:
    total = block("RS", f"s[j] = {combined}", 's[j] = T.Cast("float32", j)')
    check([total, block("SS", "y[i, j] = x[i, j] * s[j]")], {"s": "(64,)"})


def test_a_row_divided_by_a_tiny_number() -> None:
    blocks = [
        block("SR", "s[i] = T.max(s[i], T.fabs(x[i, j]) * T.float32(1e-40))", SUM),
        block("SS", "y[i, j] = x[i, j] * T.float32(1e-40) / s[i]"),
    ]
    check(blocks, {"s": "(40,)"})


@pytest.mark.parametrize("factor", ["0", "1e-45", "1e-38", "1e38", "inf", "nan"])
def test_rows_divided_by_what_has_no_reciprocal(factor: str) -> None:
    blocks = [
        block("SR", f"s[i] = T.max(s[i], x[i, j] * x[i, j] * T.float32('{factor}'))", SUM),
        block("SS", "y[i, j] = x[i, j] * s[i] / (s[i] * T.float32(0.5)) + x[i, j] / s[i]"),
    ]
    check(blocks, {"s": "(40,)"})


def test_a_divisor_that_a_condition_guards() -> None:
    total = block("SR", "s[i] = s[i] + x[i, j]", SUM)
    divided = "y[i, j] = T.if_then_else(s[i] > T.float32(0), x[i, j] / s[i], T.float32(0))"
    check([total, block("SS", divided)], {"s": "(40,)"})


def test_what_another_row_computed() -> None:
    total = block("SR", "s[i] = s[i] + x[i, j]", SUM)
    check([total, block("SS", "y[i, j] = x[i, j] * s[39 - i]")], {"s": "(40,)"})


def test_a_diagonal() -> None:
    blocks = [
        block("SS", "t[i, j] = T.exp(x[i, j])"),
        block("SR", "s[i] = s[i] + t[i, i] * t[i, j]", SUM),
        block("SS", "y[i, j] = t[i, j] / s[i]"),
    ]
    check(blocks, {"t": "(40, 64)", "s": "(40,)"})


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_attention_of_the_widest_heads_fits_the_stack(dtype: str) -> None:
    shape = "(1, 300, 2, 256)"
    text = f"""
@I.ir_module
class Module:
    @R.function
    def main(q: R.Tensor({shape}, "{dtype}"), k: R.Tensor({shape}, "{dtype}"), v: R.Tensor({shape}, "{dtype}")):
        y = R.nn.attention(q, k, v)
        return y
"""
    module = sunmao.parse_module(text)
    random = np.random.default_rng(0)
    inputs = [random.standard_normal((1, 300, 2, 256)).astype(dtype) for _ in range(3)]
    got, want = sunmao.compile(module)(*inputs), sunmao.evaluate(module, *inputs)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("columns", [64, 65, 127, 300])
def test_sums_of_columns_by_threads(columns: int, threads: int) -> None:
    x = np.random.default_rng(columns).standard_normal((1, 1200, columns)).astype("f4")
    module = module_of([f'x: R.Tensor({x.shape}, "float32")'], ["y = R.sum(x, axis=[1])"])
    got = sunmao.compile(module, threads=threads)(x)
    np.testing.assert_allclose(got, x.astype("f8").sum(1), rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("op", ["sum", "mean", "max", "min", "prod"])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((1, 112, 112, 32), [1, 2]),
        ((1, 61, 97, 48), [1, 2]),  # 61 and 97 have no parts
        ((3, 56, 60, 31), [1, 2]),
        ((2, 300000), [1]),
        ((300007,), [0]),
        ((600000,), [0]),
        ((1, 32, 128, 128), [2, 3]),
    ],
)
def test_long_reductions_to_few_results_by_threads(op: str, shape: tuple[int, ...], axes: list[int]) -> None:
    x = np.random.default_rng(len(shape)).standard_normal(shape).astype("f4")
    if op == "prod":
        x = np.exp2(x / x.size**0.5, dtype="f4")
    module = module_of([f'x: R.Tensor({shape}, "float32")'], [f"y = R.{op}(x, axis={axes})"])
    one, two = (sunmao.compile(module, threads=threads)(x) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)
    want = getattr(x.astype("f8"), op)(tuple(axes))
    np.testing.assert_allclose(one, want, rtol=2e-4 if op == "prod" else 1e-5, atol=1e-2 if op == "sum" else 1e-6)


def test_a_long_maximum_keeps_nan() -> None:
    x = np.full((1, 600, 600, 16), -np.inf, "f4")
    x[0, 599, 3, 5], x[0, 2, 599, 7] = np.nan, 3
    module = module_of([f'x: R.Tensor({x.shape}, "float32")'], ["y = R.max(x, axis=[1, 2])"])
    got = sunmao.compile(module, threads=2)(x)
    np.testing.assert_array_equal(got, x.max((1, 2)))


@pytest.mark.parametrize("dtype", ["float4_e2m1fn", "float6_e2m3fn"])
def test_rows_of_packed_elements_of_any_length(dtype: str) -> None:
    """Elements of less than a byte have no address that could be fetched ahead."""
    module = module_of([f'x: R.Tensor(("n", "m"), "{dtype}")'], ["y = R.nn.log_softmax(x)"])
    model = sunmao.compile(module)
    for shape in ((3, 5), (2, 40)):
        codes = np.random.default_rng(0).integers(0, 8, shape).astype(np.uint8)
        x = codes.view(getattr(ml_dtypes, dtype))
        np.testing.assert_array_equal(np.asarray(model(x)), np.asarray(sunmao.evaluate(module, x)))
