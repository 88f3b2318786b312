"""Sums of products at the edges of tiles, in all their forms, equal NumPy and the evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sunmao
from one_function import module_of

HOST = sunmao.compile(module_of(['x: R.Tensor((1,), "float32")'], ["y = R.negative(x)"])).isa
LEVELS = ["x86-64-v2", "x86-64-v3", "x86-64-v4"]
TARGETS = [t for t in LEVELS if t <= HOST]


def run(params: list[str], body: list[str], inputs: list[np.ndarray], **options: Any) -> tuple[Any, Any]:
    """Returns what the compiled function and the evaluator give."""
    module = module_of(params, body)
    return sunmao.compile(module, **options)(*inputs), sunmao.evaluate(module, *inputs)


def draw(*shapes: tuple[int, ...], dtype: str = "float32") -> list[np.ndarray]:
    random = np.random.default_rng(sum(sum(s) for s in shapes))
    return [random.standard_normal(s).astype(dtype) for s in shapes]


def tensor(name: str, shape: tuple[int, ...] | str, dtype: str = "float32") -> str:
    return f'{name}: R.Tensor({shape}, "{dtype}")'


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rows", [1, 2, 3, 5, 6, 7, 13, 14, 15, 29, 31, 32, 33, 47])
@pytest.mark.parametrize("columns", [3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 40])
def test_products_at_the_edges_of_tiles(target: str, rows: int, columns: int) -> None:
    a, b = draw((rows, 9), (9, columns))
    module = module_of([tensor("a", a.shape), tensor("b", b.shape)], ["y = R.matmul(a, b)"])
    np.testing.assert_allclose(sunmao.compile(module, target=target)(a, b), a @ b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("rows", "steps", "columns"),
    [
        (65, 65, 65),
        (8, 4097, 40),
        (40, 3001, 33),
        (512, 2048, 20),
        (1, 4096, 100),
        (1000, 33, 4),
        (64, 2048, 7),
        (1100, 3000, 60),
    ],
)
def test_products_in_parts_and_on_threads(threads: int, rows: int, steps: int, columns: int) -> None:
    a, b = draw((rows, steps), (steps, columns))
    other = np.ascontiguousarray(b.T)
    want = np.maximum(a.astype("f8") @ b.astype("f8"), 0)
    for right, call in ((b, "R.matmul(a, b)"), (other, "R.matmul(a, R.permute_dims(b))")):
        module = module_of([tensor("a", a.shape), tensor("b", right.shape)], [f"y = R.nn.relu({call})"])
        got = sunmao.compile(module, threads=threads)(a, right)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rows", [1, 7, 8, 13, 33, 129])
@pytest.mark.parametrize("columns", [4, 7, 8, 16, 33, 129])
def test_columns_that_lie_along_the_steps(target: str, rows: int, columns: int) -> None:
    for steps in (1, 2, 7, 13, 33):
        a, b = draw((2, rows, steps), (2, columns, steps))
        module = module_of([tensor("a", a.shape), tensor("b", b.shape)], ['y = R.einsum((a, b), "bik,bjk->bij")'])
        want = np.einsum("bik,bjk->bij", a, b)
        got = sunmao.compile(module, target=target)(a, b)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4, err_msg=f"{steps} steps")
    a, b = draw((rows, 2, 17), (columns, 2, 17))  # two reduced loops
    module = module_of([tensor("a", a.shape), tensor("b", b.shape)], ['y = R.einsum((a, b), "ikl,jkl->ij")'])
    got = sunmao.compile(module, target=target)(a, b)
    np.testing.assert_allclose(got, np.einsum("ikl,jkl->ij", a, b), rtol=1e-4, atol=1e-4)


@pytest.fixture(scope="module")
def any_size() -> sunmao.Model:
    params = [tensor("a", '("m", 21)'), tensor("b", '(21, "n")')]
    model: sunmao.Model = sunmao.compile(module_of(params, ["y = R.nn.silu(R.matmul(a, b))"]))
    return model


@pytest.mark.parametrize("rows", [1, 2, 14, 15, 100])
@pytest.mark.parametrize("columns", [1, 5, 16, 31, 64, 70])
def test_products_of_sizes_that_a_run_says(any_size: sunmao.Model, rows: int, columns: int) -> None:
    a, b = draw((rows, 21), (21, columns))
    got = any_size(a, b)
    want = a @ b
    np.testing.assert_allclose(got, want / (1 + np.exp(-want)), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("size", [7, 8, 14, 15, 19])
@pytest.mark.parametrize(
    "options",
    [
        "padding=1",
        "strides=2, padding=1",
        "dilation=2",
        "padding=[0, 1, 2, 3], groups=2",
        "strides=[2, 3]",
        'padding=1, data_layout="NHWC", kernel_layout="OHWI"',
    ],
)
def test_convolutions(target: str, size: int, options: str) -> None:
    groups = 2 if "groups" in options else 1
    x, w, b = draw((2, 6, size, size), (17, 6, 3, 3), (1, 17, 1, 1))
    w = w[:16, : 6 // groups] if groups == 2 else w
    b = b[:, : w.shape[0]]
    if "NHWC" in options:
        x, w, b = (np.ascontiguousarray(v.transpose(0, 2, 3, 1)) for v in (x, w, b))
    body = [f"c = R.nn.conv2d(x, w, {options})", "y = R.nn.relu(R.add(c, b))"]
    params = [tensor("x", x.shape), tensor("w", w.shape), tensor("b", b.shape)]
    got, want = run(params, body, [x, w, b], target=target)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("call", "shapes"),
    [
        ("R.nn.conv2d(a, b, groups=12, padding=2)", [(1, 12, 20, 20), (12, 1, 5, 5)]),
        ("R.nn.conv1d(a, b, padding=3)", [(2, 5, 40), (9, 5, 7)]),
        ("R.nn.conv3d(a, b, padding=1)", [(1, 3, 6, 7, 8), (10, 3, 3, 3, 3)]),
        ("R.nn.conv2d(a, b)", [(1, 512, 7, 7), (24, 512, 1, 1)]),
        ("R.nn.conv2d(a, b, padding=1)", [(1, 260, 7, 7), (20, 260, 3, 3)]),
        ("R.nn.conv2d_transpose(a, b, strides=2)", [(1, 8, 6, 6), (8, 5, 2, 2)]),
        ("R.nn.conv2d_transpose(a, b, strides=2, padding=1, output_padding=1)", [(1, 8, 6, 6), (8, 5, 3, 3)]),
        ("R.nn.conv2d_transpose(a, b, strides=3, padding=[1, 0, 0, 2])", [(1, 4, 5, 5), (4, 5, 4, 2)]),
        ('R.einsum((a, b), "bij,bkj->bik")', [(3, 20, 11), (3, 17, 11)]),
        ('R.einsum((a, b), "ij,jkl->ikl")', [(20, 9), (9, 5, 18)]),
        ('R.einsum((a, b), "bhid,bhjd->bhij")', [(2, 3, 16, 8), (2, 3, 35, 8)]),
        ("R.matmul(a, R.permute_dims(b))", [(4, 33, 20), (37, 20)]),
        ("R.matmul(a, b)", [(5, 1, 20), (5, 20, 37)]),
        ("R.multiply(R.matmul(a, b), R.matmul(a, b))", [(20, 20), (20, 37)]),
    ],
)
@pytest.mark.parametrize("threads", [1, 2])
def test_other_sums_of_products(call: str, shapes: list[tuple[int, ...]], threads: int) -> None:
    a, b = draw(*shapes)
    got, want = run([tensor("a", a.shape), tensor("b", b.shape)], [f"y = {call}"], [a, b], threads=threads)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "int64"])
def test_elements_of_other_types(dtype: str) -> None:
    a, b = (4 * v for v in draw((40, 21), (21, 35)))
    a, b = a.astype(dtype), b.astype(dtype)
    params = [tensor("a", a.shape, dtype), tensor("b", b.shape, dtype)]
    got, want = run(params, ["y = R.matmul(a, b)"], [a, b])
    np.testing.assert_allclose(got, want, rtol=2e-3 if dtype == "float16" else 1e-12)


def test_a_residual_and_a_bias_of_each_row_join_a_product() -> None:
    shapes = [(1, 40, 7, 7), (33, 40, 3, 3), (1, 33, 1, 1), (1, 33, 7, 7)]
    x, w, b, r = draw(*shapes)
    params = [tensor(n, s) for n, s in zip("xwbr", shapes, strict=True)]
    body = ["c = R.nn.conv2d(x, w, padding=1)", "d = R.add(R.add(c, b), r)", "y = R.nn.relu(d)"]
    module = module_of(params, body)
    np.testing.assert_allclose(
        sunmao.compile(module)(x, w, b, r), sunmao.evaluate(module, x, w, b, r), rtol=1e-4, atol=1e-4
    )
    for name in ("legalize-ops", "fuse-kernels", "lift-temporaries", "eliminate-dead-code"):
        module = sunmao.run_pass(module, name)
    assert str(module).count("R.call_tir(") == 1


def test_a_statement_that_overwrites_an_operand_stays_behind_the_product() -> None:
    text = """
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def product(A: T.Buffer((40, 40), "float32"), B: T.Buffer((40, 40), "float32"), out: T.Buffer((40, 40), "float32")):
        with T.sblock("root"):
            sums = T.sblock_alloc_buffer((40, 40), "float32")
            for i, j in T.grid(40, 40):
                with T.sblock("first"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    out[vi, vj] = A[vi, vj]
            for i, j, k in T.grid(40, 40, 40):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    with T.init():
                        sums[vi, vj] = T.float32(0)
                    sums[vi, vj] = sums[vi, vj] + out[vi, vk] * B[vk, vj]
            for i, j in T.grid(40, 40):
                with T.sblock("last"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    out[vi, vj] = sums[vi, vj] + T.float32(1)

    @R.function
    def main(a: R.Tensor((40, 40), "float32"), b: R.Tensor((40, 40), "float32")):
        y = R.call_tir(Module.product, (a, b), out_ty=R.Tensor((40, 40), "float32"))
        return y
"""
    a, b = draw((40, 40), (40, 40))
    got = sunmao.compile(sunmao.parse_module(text))(a, b)
    np.testing.assert_allclose(got, a @ b + 1, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shapes", [((0, 5), (5, 40)), ((20, 5), (5, 0)), ((20, 0), (0, 40))])
def test_products_without_elements(shapes: tuple[tuple[int, ...], ...]) -> None:
    a, b = draw(*shapes)
    got, want = run([tensor("a", a.shape), tensor("b", b.shape)], ["y = R.matmul(a, b)"], [a, b])
    np.testing.assert_array_equal(got, want)


HEAD = """
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
"""


def test_a_product_of_some_rows_leaves_the_others_as_they_were_filled() -> None:
    text = (
        HEAD
        + """
    def product(A: T.Buffer((40, 40), "float32"), B: T.Buffer((40, 40), "float32"), out: T.Buffer((40, 40), "float32")):
        with T.sblock("root"):
            for i, j in T.grid(40, 40):
                with T.sblock("fill"):
                    vi, vj = T.axis.remap("SS", [i, j])
                    out[vi, vj] = T.float32(0)
            for i, j, k in T.grid(20, 40, 40):
                with T.sblock("product"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    out[vi, vj] = out[vi, vj] + A[vi, vk] * B[vk, vj]

    @R.function
    def main(a: R.Tensor((40, 40), "float32"), b: R.Tensor((40, 40), "float32")):
        y = R.call_tir(Module.product, (a, b), out_ty=R.Tensor((40, 40), "float32"))
        return y
"""
    )
    a, b = draw((40, 40), (40, 40))
    want = np.where(np.arange(40)[:, None] < 20, a @ b, 0)
    for _ in range(3):  # memory that has been used holds other numbers
        got = sunmao.compile(sunmao.parse_module(text))(a, b)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
    module = sunmao.run_pass(sunmao.parse_module(text), "schedule")
    assert "T.float32(0" in str(module).split("sums")[0]


def test_one_buffer_may_be_read_in_two_views() -> None:
    text = (
        HEAD
        + """
    def product(
        A: T.Buffer((40, 7), "float32"), B: T.Buffer((7, 7, 7), "float32"), out: T.Buffer((40, 7, 7), "float32")
    ):
        with T.sblock("root"):
            for o, h, w, k in T.grid(40, 7, 7, 7):
                with T.sblock("product"):
                    vo, vh, vw, vk = T.axis.remap("SSSR", [o, h, w, k])
                    with T.init():
                        out[vo, vh, vw] = T.float32(0)
                    out[vo, vh, vw] = out[vo, vh, vw] + A[vo, vk] * (B[vk, vh, vw] + B[vh, vw, vk])

    @R.function
    def main(a: R.Tensor((40, 7), "float32"), b: R.Tensor((7, 7, 7), "float32")):
        y = R.call_tir(Module.product, (a, b), out_ty=R.Tensor((40, 7, 7), "float32"))
        return y
"""
    )
    a, b = draw((40, 7), (7, 7, 7))
    want = np.einsum("ok,khw->ohw", a, b + b.transpose(2, 0, 1))
    got = sunmao.compile(sunmao.parse_module(text))(a, b)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
