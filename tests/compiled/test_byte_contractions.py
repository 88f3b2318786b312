"""Products of bytes are exact sums in int32, on every instruction set and wherever tiles, panels and bundles end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sunmao
from contraction_checks import HOST, TARGETS
from integer_products import product, some, wide
from one_function import module_of
from sunmao_binary import sunmao as run

VNNI = "llvm -mcpu=x86-64-v4 -mattr=+avx512vnni"
KINDS = [("uint8", "int8"), ("int8", "int8"), ("uint8", "uint8"), ("int8", "uint8")]


def has_vnni() -> bool:
    with open("/proc/cpuinfo") as file:
        return "avx512_vnni" in file.read() and HOST == "x86-64-v4"


BYTE_TARGETS = [*TARGETS, VNNI] if has_vnni() else TARGETS


@pytest.mark.part(2)
@pytest.mark.parametrize("target", BYTE_TARGETS)
@pytest.mark.parametrize("prepared", [True, False])
@pytest.mark.parametrize(("left", "right"), KINDS)
def test_sizes_around_those_of_tiles(target: str, prepared: bool, left: str, right: str) -> None:
    for rows, steps, columns in (
        *((rows, 16, 32) for rows in (1, 2, 7, 8, 9, 13, 14, 15, 29)),
        *((15, steps, 33) for steps in (1, 2, 3, 4, 5, 7, 8, 9, 12, 20, 21, 22, 23)),
        *((14, 12, columns) for columns in (1, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 95, 97)),
    ):
        x, w = some((rows, steps), left), some((steps, columns), right, 1)
        got = product(x, w, prepared, target=target)
        np.testing.assert_array_equal(got, wide(x, w), err_msg=f"{rows} x {steps} x {columns}")


@pytest.mark.parametrize("target", BYTE_TARGETS)
@pytest.mark.parametrize(("left", "right"), KINDS)
def test_extreme_numbers_do_not_saturate(target: str, left: str, right: str) -> None:
    for a, b in ((np.iinfo(left).max, np.iinfo(right).min), (np.iinfo(left).min, np.iinfo(right).max)):
        for prepared in (True, False):
            x, w = np.full((17, 64), a, left), np.full((64, 50), b, right)
            np.testing.assert_array_equal(product(x, w, prepared, target=target), wide(x, w))


def test_sums_wrap_around() -> None:
    x, w = np.full((9, 70000), 255, "uint8"), np.full((70000, 16), 127, "int8")
    np.testing.assert_array_equal(product(x, w), wide(x, w))


@pytest.mark.parametrize("target", sorted({HOST, "x86-64-v3"}))
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("left", "right"), KINDS)
def test_large_products_on_threads(target: str, threads: int, left: str, right: str) -> None:
    for rows, steps, columns in ((130, 1000, 250), (1000, 516, 65), (40, 4100, 700)):
        x, w = some((rows, steps), left), some((steps, columns), right, 1)
        for prepared in (True, False):
            np.testing.assert_array_equal(product(x, w, prepared, threads=threads, target=target), wide(x, w))


@pytest.mark.parametrize("target", BYTE_TARGETS)
@pytest.mark.parametrize("prepared", [True, False])
@pytest.mark.parametrize(("rows", "steps", "columns"), [(40, 64, 50), (9, 12, 33), (3, 8, 40), (33, 30, 70)])
def test_transposed_operands(target: str, prepared: bool, rows: int, steps: int, columns: int) -> None:
    x, w = some((rows, steps), "uint8"), some((columns, steps), "int8", 1)
    call = "R.matmul(x, R.permute_dims(w), out_dtype='int32')"
    np.testing.assert_array_equal(product(x, w, prepared, call, target=target), wide(x, w.T))
    left, right = np.ascontiguousarray(x.T), np.ascontiguousarray(w.T)
    call = "R.matmul(R.permute_dims(x), w, out_dtype='int32')"
    np.testing.assert_array_equal(product(left, right, prepared, call, target=target), wide(x, w.T))


@pytest.mark.parametrize("prepared", [True, False])
def test_batches(prepared: bool) -> None:
    x, w = some((3, 18, 20), "uint8"), some((3, 20, 37), "int8", 1)
    np.testing.assert_array_equal(product(x, w, prepared), wide(x, w))
    np.testing.assert_array_equal(product(x, w[0], prepared), wide(x, w[0]))


@pytest.mark.parametrize("target", BYTE_TARGETS)
@pytest.mark.parametrize(("steps", "columns"), [(64, 50), (4096, 96)])
def test_rows_that_a_run_says(target: str, steps: int, columns: int) -> None:
    w = some((steps, columns), "int8")
    params = [f'x: R.Tensor(("n", {steps}), "uint8")', f'w: R.Tensor(({steps}, {columns}), "int8")']
    module = module_of(params, ["y = R.matmul(x, w, out_dtype='int32')"], inputs=1)
    compiled = sunmao.compile(module, weights={"w": w}, target=target)
    for rows in (0, 1, 5, 6, 7, 9, 40, 61):
        x = some((rows, steps), "uint8", 1)
        np.testing.assert_array_equal(np.asarray(compiled(x)), wide(x, w))


@pytest.mark.parametrize("target", BYTE_TARGETS)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("rows", "columns"), [('"n"', "33"), ("17", '"m"'), ('"n"', '"m"')])
def test_steps_that_a_run_says(target: str, threads: int, rows: str, columns: str) -> None:
    for number, (left, right) in enumerate(KINDS):
        of_right, call = f'("b", "k", {columns})', "R.matmul(x, w, out_dtype='int32')"
        if number % 2 == 1:
            of_right, call = (
                f'("b", {columns}, "k")',
                "R.matmul(x, R.permute_dims(w, axes=[0, 2, 1]), out_dtype='int32')",
            )
        params = [f'x: R.Tensor(("b", {rows}, "k"), "{left}")', f'w: R.Tensor({of_right}, "{right}")']
        model = sunmao.compile(module_of(params, [f"y = {call}"], inputs=2), target=target, threads=threads)
        for steps in (0, 1, 2, 3, 4, 5, 7, 8, 63, 66, 4102):
            for height in (14,) if steps > 100 else (0, 1, 5, 13, 700):
                x = some((2, height if rows == '"n"' else 17, steps), left)
                w = some((2, steps, height + 3 if columns == '"m"' else 33), right, 1)
                given = np.ascontiguousarray(np.swapaxes(w, 1, 2)) if number % 2 == 1 else w
                np.testing.assert_array_equal(np.asarray(model(x, given)), wide(x, w), err_msg=f"{x.shape} {w.shape}")


@pytest.mark.parametrize("target", BYTE_TARGETS)
@pytest.mark.parametrize(
    ("into", "out", "kernel"), [(32, 40, 1), (16, 32, 3), (4, 33, 3), (6, 20, 3), (64, 8, 1), (3, 20, 4)]
)
def test_convolutions(target: str, into: int, out: int, kernel: int) -> None:
    for options in (f"padding={kernel // 2}", f"strides=2, padding={kernel // 2}"):
        x, w = some((2, into, 9, 11), "uint8"), some((out, into, kernel, kernel), "int8", 1)
        call = f"R.nn.conv2d(x, w, {options}, out_dtype='int32')"
        params = [f'x: R.Tensor({x.shape}, "uint8")', f'w: R.Tensor({w.shape}, "int8")']
        want = np.asarray(sunmao.evaluate(module_of(params, [f"y = {call}"]), x, w))
        for prepared in (True, False):
            np.testing.assert_array_equal(product(x, w, prepared, call, target=target), want)


@pytest.mark.parametrize("target", BYTE_TARGETS)
def test_groups_in_panels(target: str) -> None:
    for groups, into, out in (
        (3, 4, 16),
        (2, 8, 20),
        (2, 12, 32),
        (2, 16, 48),
        (3, 4, 64),
        (2, 4, 70),
        (2, 8, 9),
        (4, 4, 8),
    ):
        x, w = some((2, groups * into, 7, 9), "uint8"), some((groups * out, into, 3, 3), "int8", 1)
        call = f"R.nn.conv2d(x, w, padding=1, groups={groups}, out_dtype='int32')"
        params = [f'x: R.Tensor({x.shape}, "uint8")', f'w: R.Tensor({w.shape}, "int8")']
        want = np.asarray(sunmao.evaluate(module_of(params, [f"y = {call}"]), x, w))
        for prepared in (True, False):
            got = product(x, w, prepared, call, target=target)
            np.testing.assert_array_equal(got, want, err_msg=f"{groups} x {into} -> {out}")


@pytest.mark.parametrize("target", BYTE_TARGETS)
def test_what_follows_a_product(target: str) -> None:
    x, w = some((30, 64), "uint8"), some((64, 50), "int8", 1)
    sums = "R.astype(R.matmul(x, w, out_dtype='int32'), 'float32')"
    got = product(x, w, True, f"R.nn.relu(R.multiply({sums}, R.const(0.5, 'float32')))", target=target)
    np.testing.assert_array_equal(got, np.maximum(wide(x, w).astype("f4") * np.float32(0.5), 0))


def test_each_step_keeps_the_sums(tmp_path: Path) -> None:
    params = ['x: R.Tensor((30, 24), "uint8")', 'w: R.Tensor((24, 35), "int8")']
    for inputs in (1, 2):
        module = module_of(params, ["y = R.matmul(x, w, out_dtype='int32')"], inputs=inputs)
        (tmp_path / "m.py").write_text(module.script())
        arguments = ("--no-bind-weights", "--target", TARGETS[-1], "--validate=each", "-o", tmp_path / "m.sunmao")
        done = run("compile", tmp_path / "m.py", *arguments)
        assert done.returncode == 0, done.stderr
        assert "validated" in done.stderr
        assert "not validated" not in done.stderr


KERNEL = """
from tvm.script import ir as I, relax as R, tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def kernel(A: T.Buffer({a}, "uint8"), B: T.Buffer({b}, "int8"), C: T.Buffer((20, 40), "int32")):
        for i, j, k in T.grid(20, 40, 16):
            with T.sblock("sum"):
                vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                with T.init():
                    C[vi, vj] = 3
                C[vi, vj] = C[vi, vj] + T.Cast("int32", A[{left}]) * T.Cast("int32", B[{at}])

    @R.function
    def main(x: R.Tensor({a}, "uint8"), w: R.Tensor({b}, "int8")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.kernel, (x, w), out_ty=R.Tensor((20, 40), "int32"))
            R.output(y)
        return y
"""


@pytest.mark.parametrize("target", BYTE_TARGETS)
@pytest.mark.parametrize(
    ("shape", "at"),
    [
        ((16, 40), "vk, vj"),
        ((40, 16), "vj, vk"),
        ((4, 160), "vk // 4, vj * 4 + vk % 4"),
        ((40, 4, 4), "vj, vk % 4, vk // 4"),
        ((4, 40), "vk // 4, vj"),
        ((40, 7), "vj, vk // 4"),
        ((40, 7), "vj, vk % 4"),
        ((16, 80), "15 - vk, vj * 2 + 1"),
        ((2, 4, 80), "vj // 20, vk // 4, vj % 20 * 4 + vk % 4"),
        ((2, 4, 4, 20), "vj // 20, vk // 4, vk % 4, vj % 20"),
        ((2, 16, 80), "vj // 20, vk, vj % 20 * 4"),
        ((2, 16, 20), "vj // 20, vk, vj % 20"),
    ],
)
@pytest.mark.parametrize("left", ["vi, vk", "vk, vi", "vi, vk // 4 * 4 + vk % 4"])
def test_kernels_whose_bytes_lie_otherwise(target: str, shape: tuple[int, ...], at: str, left: str) -> None:
    rows = (16, 20) if left == "vk, vi" else (20, 16)
    module = sunmao.parse_module(KERNEL.format(a=rows, left=left, b=shape, at=at))
    x, w = some(rows, "uint8"), some(shape, "int8", 1)
    want = np.asarray(sunmao.evaluate(module, x, w))
    np.testing.assert_array_equal(np.asarray(sunmao.compile(module, target=target)(x, w)), want)


BYTE_DOT = """
from tvm.script import ir as I, relax as R, tirx as T


@I.ir_module
class Module:
    @T.prim_func(private=True)
    def kernel(A: T.Buffer((5, 8), "uint8"), B: T.Buffer((8,), "int8"), C: T.Buffer((5,), "int32")):
        for i in range(5):
            with T.sblock("sum"):
                vi = T.axis.spatial(5, i)
                C[vi] = 2147483647
                for k in range(2):
                    C[vi] = T.dp4a(A[vi, k * 4 : k * 4 + 4], B[k * 4 : k * 4 + 4], C[vi])

    @R.function
    def main(x: R.Tensor((5, 8), "uint8"), w: R.Tensor((8,), "int8")):
        cls = Module
        with R.dataflow():
            y = R.call_tir(cls.kernel, (x, w), out_ty=R.Tensor((5,), "int32"))
            R.output(y)
        return y
"""


SHORT_DOT = BYTE_DOT.replace(
    "T.dp4a(A[vi, k * 4 : k * 4 + 4], B[k * 4 : k * 4 + 4], C[vi])",
    "T.dp2a(T.Cast('int16x2', A[vi, T.Ramp(k * 2, 1, 2)]), T.Cast('int16x2', B[T.Ramp(k * 2, 1, 2)]), C[vi])",
).replace("range(2)", "range(4)")


@pytest.mark.parametrize("target", BYTE_TARGETS)
@pytest.mark.parametrize("script", [BYTE_DOT, SHORT_DOT])
def test_dot_products_of_a_script(script: str, target: str) -> None:
    module = sunmao.parse_module(script)
    x, w = some((5, 8), "uint8"), some((8,), "int8", 1)
    want = wide(x, w) + np.int32(2147483647)
    np.testing.assert_array_equal(np.asarray(sunmao.evaluate(module, x, w)), want)
    np.testing.assert_array_equal(np.asarray(sunmao.compile(module, target=target)(x, w)), want)
