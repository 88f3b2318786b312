"""Products and convolutions with weights, which their kernels read in panels, equal the evaluator."""

from __future__ import annotations

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS, check, check_kernel
from one_function import module_of


@pytest.mark.part(2)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 13, 14, 15, 33])
@pytest.mark.parametrize("columns", [5, 31, 32, 33, 40, 63, 64, 65, 72, 96, 127, 128, 130])
def test_products_at_the_edges_of_panels(target: str, rows: int, columns: int) -> None:
    check({"x": (rows, 9), "w": (9, columns), "b": (columns,)}, "R.nn.relu(R.add(R.matmul(x, w), b))", target=target)


@pytest.mark.parametrize("columns", [20, 32, 50, 64])
def test_a_weight_that_is_transposed(columns: int) -> None:
    check({"x": (2, 7, 12), "w": (columns, 12)}, "R.matmul(x, R.permute_dims(w))")


@pytest.mark.parametrize("columns", [24, 64, 70])
def test_a_weight_for_each_of_a_batch(columns: int) -> None:
    check({"x": (3, 5, 8), "w": (3, 8, columns)}, "R.matmul(x, w)")


@pytest.mark.parametrize("columns", [32, 64, 70])
@pytest.mark.parametrize("rows", [1, 13, 14, 15, 100])
def test_rows_that_a_run_says(columns: int, rows: int) -> None:
    random = np.random.default_rng(columns)
    x, w = random.standard_normal((rows, 33)).astype("f4"), random.standard_normal((33, columns)).astype("f4")
    params = ['x: R.Tensor(("n", 33), "float32")', f'w: R.Tensor((33, {columns}), "float32")']
    model = sunmao.compile(module_of(params, ["y = R.matmul(x, w)"], inputs=1), weights={"w": w})
    np.testing.assert_allclose(model(x), x @ w, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("rows", "steps", "columns"),
    [
        (197, 769, 300),
        (197, 1600, 256),
        (130, 2304, 520),
        (173, 1537, 257),
        (1, 3000, 40),
        (300, 900, 2),
        (20, 4000, 1),
    ],
)
def test_long_rows_and_many_columns(threads: int, target: str, rows: int, steps: int, columns: int) -> None:
    random = np.random.default_rng(rows)
    x, w = random.standard_normal((1, rows, steps)).astype("f4"), random.standard_normal((steps, columns)).astype("f4")
    b = random.standard_normal((rows, columns)).astype("f4")
    params = [f'x: R.Tensor((1, {rows}, {steps}), "float32")', f'b: R.Tensor(({rows}, {columns}), "float32")']
    params.append(f'w: R.Tensor(({steps}, {columns}), "float32")')
    for call, want in (
        ("R.matmul(x, w)", x @ w),
        ("R.nn.relu(R.add(R.matmul(x, w), b))", np.maximum(x @ w + b, 0)),
    ):
        module = module_of(params, [f"y = {call}"], inputs=2)
        model = sunmao.compile(module, weights={"w": w}, threads=threads, target=target)
        np.testing.assert_allclose(model(x, b), want, rtol=2e-4, atol=2e-3)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("size", "channels", "out"), [(14, 1024, 64), (28, 512, 33), (7, 2048, 40), (15, 512, 32)])
@pytest.mark.parametrize("stride", [1, 2])
def test_rows_that_share_cache_sets(threads: int, size: int, channels: int, out: int, stride: int) -> None:
    check(
        {"x": (1, channels, size, size), "w": (out, channels, 1, 1), "b": (1, out, 1, 1)},
        f"R.add(R.nn.conv2d(x, w, strides={stride}), b)",
        threads=threads,
    )


@pytest.mark.part(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("size", [5, 7, 8, 14, 15])
@pytest.mark.parametrize("options", ["padding=1", "strides=2, padding=1", "dilation=2, padding=[0, 1, 2, 3]"])
@pytest.mark.parametrize("channels", [(3, 16), (8, 33), (32, 70)])
def test_convolutions(target: str, size: int, options: str, channels: tuple[int, int]) -> None:
    into, out = channels
    check(
        {"x": (2, into, size, size + 1), "w": (out, into, 3, 3), "b": (1, out, 1, 1)},
        f"R.nn.relu(R.add(R.nn.conv2d(x, w, {options}), b))",
        target=target,
    )


@pytest.mark.part(6)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("size", "k", "options"),
    [
        (size, k, options)
        for size in (1, 2, 6, 13, 14, 15, 28, 29, 45)
        for k, options in (
            (3, "padding=1"),
            (3, "strides=2, padding=1"),
            (5, "padding=2"),
            (7, "padding=3"),
            (3, "padding=[0, 2, 1, 4]"),
        )
        if size > 1 or "[" not in options  # else the window is larger than the padded image
    ],
)
@pytest.mark.parametrize("channels", [4, 15, 16, 17, 33])
def test_depthwise_convolutions(target: str, size: int, channels: int, k: int, options: str) -> None:
    check(
        {"x": (2, channels, size, size), "w": (channels, 1, k, k), "b": (1, channels, 1, 1)},
        f"R.nn.relu(R.add(R.nn.conv2d(x, w, {options}, groups={channels}), b))",
        target=target,
    )


@pytest.mark.part(2)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("size", [7, 14, 15])
@pytest.mark.parametrize(
    ("channels", "out", "groups"), [(8, 8, 2), (32, 32, 8), (12, 24, 12), (96, 48, 3), (64, 64, 1)]
)
def test_convolutions_of_groups(target: str, size: int, channels: int, out: int, groups: int) -> None:
    for options in ("padding=1", "strides=2, padding=1"):
        check(
            {"x": (2, channels, size, size), "w": (out, channels // groups, 3, 3), "b": (1, out, 1, 1)},
            f"R.nn.relu(R.add(R.nn.conv2d(x, w, {options}, groups={groups}), b))",
            target=target,
        )


@pytest.mark.parametrize(
    "options", ["strides=2", "strides=2, padding=1", "dilation=2", "strides=2, dilation=3", "padding=1"]
)
@pytest.mark.parametrize("size", [5, 14, 31])
def test_transposed_depthwise_convolutions(options: str, size: int) -> None:
    check(
        {"x": (1, 20, size, size), "w": (20, 1, 3, 3), "b": (1, 20, 1, 1)},
        f"R.nn.relu(R.add(R.nn.conv2d_transpose(x, w, {options}, groups=20), b))",
    )
    check({"x": (1, 12, size, size), "w": (12, 2, 2, 2)}, f"R.nn.conv2d_transpose(x, w, {options}, groups=3)")


@pytest.mark.parametrize("size", [1, 5, 14, 31])
def test_depthwise_convolutions_of_sizes_that_a_run_says(size: int) -> None:
    random = np.random.default_rng(size)
    w = random.standard_normal((20, 1, 3, 3)).astype("f4")
    params = ['x: R.Tensor((1, 20, "h", "w"), "float32")', 'k: R.Tensor((20, 1, 3, 3), "float32")']
    module = module_of(params, ["y = R.nn.conv2d(x, k, padding=1, groups=20)"], inputs=1)
    model = sunmao.compile(module, weights={"k": w})
    x = random.standard_normal((1, 20, size, size + 2)).astype("f4")
    np.testing.assert_allclose(model(x), np.asarray(sunmao.evaluate(module, x, w)), rtol=1e-4, atol=1e-4)


def test_convolutions_of_other_ranks() -> None:
    check({"x": (2, 5, 31), "w": (40, 5, 3)}, "R.nn.conv1d(x, w, padding=1)")
    check({"x": (1, 4, 5, 6, 7), "w": (40, 4, 3, 3, 3)}, "R.nn.conv3d(x, w, padding=1)")
    check({"x": (1, 24, 9), "w": (24, 1, 3)}, "R.nn.conv1d(x, w, padding=1, groups=24)")
    check({"x": (1, 12, 7, 6), "w": (12, 40, 2, 2)}, "R.nn.conv2d_transpose(x, w, strides=2)")
    check({"x": (1, 12, 7, 6), "w": (12, 40, 3, 3)}, "R.nn.conv2d_transpose(x, w, strides=2, padding=1)")
    check({"x": (1, 12, 7, 6), "w": (24, 6, 3, 3)}, "R.nn.conv2d(x, w, groups=2)")


def test_a_batch_norm_goes_into_the_weight() -> None:
    names = ["gamma", "beta", "mean"]
    shapes = {"x": (1, 3, 9, 9), "w": (8, 3, 3, 3), **{n: (8,) for n in names}}
    product, deviation = "R.nn.conv2d(x, w, padding=1)", "R.add(R.abs(gamma), R.abs(beta))"
    check(shapes, f"R.nn.batch_norm({product}, gamma, beta, mean, {deviation}, axis=1, training=False)[0]")


HINT = """
from tvm.script import ir as I, relax as R, tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def double(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(64):
            T.evaluate(T.prefetch(T.address_of({element}), 0, 3, 1))
            with T.sblock("double"):
                v = T.axis.spatial(64, i)
                B[v] = A[v] * T.float32(2)

    @R.function
    def main(x: R.Tensor((64,), "float32")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.double, (x,), out_ty=R.Tensor((64,), "float32"))
            R.output(y)
        return y
"""


def test_hints_to_read_soon_change_nothing() -> None:
    module, x = sunmao.parse_module(HINT.format(element="A[T.min(i + 16, 63)]")), np.arange(64, dtype="float32")
    assert "T.prefetch(T.address_of(" in str(module)
    np.testing.assert_array_equal(np.asarray(sunmao.evaluate(module, x)), 2 * x)
    np.testing.assert_array_equal(sunmao.compile(module)(x), 2 * x)
    np.testing.assert_array_equal(x, np.arange(64))


@pytest.mark.parametrize("element", ["A[T.Ramp(0, 1, 4)]", "A[0] + A[1]"])
def test_a_hint_that_names_no_element_is_refused(element: str) -> None:
    with pytest.raises(sunmao.Error) as caught:
        sunmao.compile(sunmao.parse_module(HINT.format(element=element)))
    assert caught.value.code.startswith("E")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "float64"])
@pytest.mark.parametrize("columns", [20, 70, 128, 130])
def test_products_of_other_types(target: str, dtype: str, columns: int) -> None:
    random = np.random.default_rng(columns)
    x, w = (random.integers(0, 4, s).astype(dtype) for s in ((5, 9), (9, columns)))
    params = [f'x: R.Tensor((5, 9), "{dtype}")', f'w: R.Tensor((9, {columns}), "{dtype}")']
    model = sunmao.compile(module_of(params, ["y = R.matmul(x, w)"], inputs=1), weights={"w": w}, target=target)
    np.testing.assert_array_equal(model(x), x @ w)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rows", [1, 7])
@pytest.mark.parametrize("width", [3, 4, 5, 8, 24, 32])
@pytest.mark.parametrize("index", ["vj // {w}, vk, vj % {w}", "vk, vj // {w}, 0"])
def test_kernels_with_panels_of_any_width(target: str, rows: int, width: int, index: str) -> None:
    columns = 4 * width
    check_kernel(
        target,
        a=(rows, 6),
        b=(4, 6, width) if "%" in index else (6, 4, 1),
        c=(rows, columns),
        loops=f"i, j, k in T.grid({rows}, {columns}, 6)",
        remap='vi, vj, vk = T.axis.remap("SSR", [i, j, k])',
        at="vi, vj",
        value=f"A[vi, vk] * B[{index.format(w=width)}]",
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "guard",
    ["vi - vi // 9 * 9 < 7", "(vi + vt) - (vi + vt) // 16 * 16 < 15", "(vi + vt) % 4 != 1", "vi // 8 < 5", "vt < 2"],
)
def test_guards_of_any_form(target: str, guard: str) -> None:
    check_kernel(
        target,
        a=(4, 66, 32),
        b=(3, 32),
        c=(4, 60, 32),
        loops="h, i, j, t in T.grid(4, 60, 32, 3)",
        remap='vh, vi, vj, vt = T.axis.remap("SSSR", [h, i, j, t])',
        at="vh, vi, vj",
        value=f"T.if_then_else({guard}, A[vh, vi + vt, vj], T.float32(0)) * B[vt, vj]",
    )


def test_a_guard_of_what_is_copied() -> None:
    check_kernel(
        TARGETS[-1],
        a=(4, 66, 32),
        b=(32, 3),
        c=(4, 60, 32),
        loops="h, i, j, t in T.grid(4, 60, 32, 5)",
        remap='vh, vi, vj, vt = T.axis.remap("SSSR", [h, i, j, t])',
        at="vh, vi, vj",
        value="A[vh, vi + vt, vj] * T.if_then_else(vt < 3, B[vj, vt], T.float32(0))",
    )


def test_copies_of_few_steps_stay_within_the_stack() -> None:
    check_kernel(
        TARGETS[-1],
        a=(60000, 512),
        b=(1, 64),
        c=(60000, 64),
        loops="i, j, k in T.grid(60000, 64, 1)",
        remap='vi, vj, vk = T.axis.remap("SSR", [i, j, k])',
        at="vi, vj",
        value="A[vi, vk] * B[vk, vj]",
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("out", [9, 12, 16, 24, 32, 40, 48, 64, 80, 96])
def test_panels_within_groups(target: str, out: int) -> None:
    options = "groups=3, padding=1, data_layout='NHWC', kernel_layout='HWIO'"
    shapes = {"x": (2, 5, 17, 15), "w": (3, 3, 5, 3 * out), "b": (3 * out,)}
    check(shapes, f"R.nn.relu(R.add(R.nn.conv2d(x, w, {options}), b))", target=target)


@pytest.mark.parametrize("out", [20, 32, 64])
def test_groups_along_one_dimension(out: int) -> None:
    check({"x": (2, 12, 40), "w": (2 * out, 6, 3)}, "R.nn.conv1d(x, w, groups=2, padding=1)")
