"""Products of float16 add float32: rows are widened once, wherever tiles, vectors and parts of the steps end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from contraction_checks import HOST, WITH_HALVES
from integer_products import product
from one_function import module_of
from sunmao_binary import sunmao as run


def some(shape: tuple[int, ...], seed: int = 0) -> Any:
    """Returns numbers whose products float32 adds exactly in any order."""
    return np.random.default_rng(seed).integers(-8, 9, shape).astype("float16")


def wide(x: Any, w: Any) -> Any:
    return (x.astype("float32") @ w.astype("float32")).astype("float16")


PRODUCT = "R.matmul(x, w)"

pytestmark = pytest.mark.skipif(
    HOST == "x86-64-v2", reason="this processor lacks f16c, without which kernels of float16 are refused (E1005)"
)


@pytest.mark.parametrize("target", WITH_HALVES)
@pytest.mark.parametrize("prepared", [True, False])
def test_sizes_around_those_of_tiles(target: str, prepared: bool) -> None:
    for rows, steps, columns in (
        *((rows, 16, 32) for rows in (1, 2, 6, 7, 13)),
        *((15, steps, 33) for steps in (1, 2, 7, 8, 9, 23)),
        *((14, 12, columns) for columns in (1, 8, 15, 16, 31, 33, 64, 97)),
        (70, 5000, 130),
    ):
        x, w = some((rows, steps)), some((steps, columns), 1)
        got = product(x, w, prepared, PRODUCT, target=target)
        np.testing.assert_array_equal(got, wide(x, w), err_msg=f"{rows} x {steps} x {columns}")


@pytest.mark.parametrize("prepared", [True, False])
@pytest.mark.parametrize("threads", [1, 2])
def test_large_products_on_threads(prepared: bool, threads: int) -> None:
    for rows, steps, columns in ((130, 1000, 250), (40, 4100, 700)):
        x, w = some((rows, steps)), some((steps, columns), 1)
        np.testing.assert_array_equal(product(x, w, prepared, PRODUCT, threads=threads), wide(x, w))


@pytest.mark.parametrize("target", WITH_HALVES)
def test_rows_that_are_not_contiguous(target: str) -> None:
    x, w = some((24, 19)), some((24, 40), 1)
    got = product(x, w, True, "R.matmul(R.permute_dims(x), w)", target=target)
    np.testing.assert_array_equal(got, wide(x.T, w))
    column = some((19, 24, 1))
    got = product(column, w, True, "R.matmul(R.permute_dims(column, axes=[2, 0, 1]), w)".replace("column", "x"))
    np.testing.assert_array_equal(got, wide(column[..., 0], w)[None])


@pytest.mark.parametrize("target", WITH_HALVES)
@pytest.mark.parametrize("sizes", ["33", '"n"'])
def test_sizes_that_a_run_says(target: str, sizes: str) -> None:
    w = some((64, 50), 1)
    params = ['x: R.Tensor(("b", "r", 64), "float16")', 'w: R.Tensor((64, 50), "float16")']
    model = sunmao.compile(module_of(params, [f"y = {PRODUCT}"], inputs=1), weights={"w": w}, target=target)
    for rows in (0, 1, 3, 5, 7, 40):
        x = some((2, rows, 64), rows)
        np.testing.assert_array_equal(np.asarray(model(x)), wide(x, w))
    params = ['x: R.Tensor(("r", "k"), "float16")', f'w: R.Tensor(("k", {sizes}), "float16")']
    model = sunmao.compile(module_of(params, [f"y = {PRODUCT}"], inputs=2), target=target)
    for steps in (0, 1, 7, 64):
        x, w = some((7, steps), 1), some((steps, 33))
        np.testing.assert_array_equal(np.asarray(model(x, w)), wide(x, w))


@pytest.mark.parametrize("target", WITH_HALVES)
@pytest.mark.parametrize("height", ["9", '"h"'])
@pytest.mark.parametrize(
    ("into", "out", "kernel", "groups"), [(32, 40, 1, 1), (16, 33, 3, 1), (3, 20, 3, 1), (1, 24, 3, 1), (8, 32, 3, 2)]
)
def test_convolutions(target: str, height: str, into: int, out: int, kernel: int, groups: int) -> None:
    for options in (f"padding={kernel // 2}", f"strides=2, padding={kernel // 2}"):
        x, w = some((2, into, 9, 11)), some((out, into // groups, kernel, kernel), 1)
        params = [f'x: R.Tensor((2, {into}, {height}, 11), "float16")', f'w: R.Tensor({w.shape}, "float16")']
        module = module_of(params, [f"y = R.nn.conv2d(x, w, {options}, groups={groups})"], inputs=1)
        want = np.asarray(sunmao.evaluate(module, x, w))
        got = sunmao.compile(module, weights={"w": w}, target=target)(x)
        np.testing.assert_array_equal(np.asarray(got), want)


def test_rows_are_widened_once(tmp_path: Path) -> None:
    params = ['x: R.Tensor((30, 24), "float16")', 'w: R.Tensor((24, 64), "float16")']
    (tmp_path / "m.py").write_text(module_of(params, [f"y = {PRODUCT}"], inputs=1).script())
    done = run("opt", tmp_path / "m.py", "--stop-after", "schedule", "--target", WITH_HALVES[0])
    assert "rows = T.alloc_local((T.int64(" in done.stdout, done.stderr
    assert 'T.Cast("float32x8"' in done.stdout
