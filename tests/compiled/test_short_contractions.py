"""Products of int16 with int16 or bytes are sums in int32 that wrap around, on every instruction set."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from integer_products import product, some, wide
from one_function import module_of
from sunmao_binary import sunmao as run

RIGHT = ["int8", "uint8", "int16"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("prepared", [True, False])
@pytest.mark.parametrize("right", RIGHT)
def test_sizes_around_those_of_tiles(target: str, prepared: bool, right: str) -> None:
    for rows, steps, columns in (
        *((rows, 16, 32) for rows in (1, 2, 6, 7, 13)),
        *((15, steps, 33) for steps in (1, 2, 3, 6, 22, 23)),
        *((14, 12, columns) for columns in (1, 8, 15, 16, 31, 33, 64, 97)),
        (70, 2000, 130),
    ):
        x, w = some((rows, steps), "int16"), some((steps, columns), right, 1)
        got = product(x, w, prepared, target=target)
        np.testing.assert_array_equal(got, wide(x, w), err_msg=f"{rows} x {steps} x {columns}")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("prepared", [True, False])
def test_sums_wrap_around(target: str, prepared: bool) -> None:
    for value in (-(1 << 15), (1 << 15) - 1):
        x, w = np.full((9, 64), value, "int16"), np.full((64, 40), value, "int16")
        np.testing.assert_array_equal(product(x, w, prepared, target=target), wide(x, w))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("right", RIGHT)
def test_rows_and_steps_that_a_run_says(target: str, right: str) -> None:
    w = some((64, 50), right)
    params = ['x: R.Tensor(("n", 64), "int16")', f'w: R.Tensor((64, 50), "{right}")']
    model = sunmao.compile(
        module_of(params, ["y = R.matmul(x, w, out_dtype='int32')"], inputs=1), weights={"w": w}, target=target
    )
    for rows in (0, 1, 5, 7, 40):
        x = some((rows, 64), "int16", 1)
        np.testing.assert_array_equal(np.asarray(model(x)), wide(x, w))
    params = ['x: R.Tensor(("n", "k"), "int16")', f'w: R.Tensor(("k", 50), "{right}")']
    model = sunmao.compile(module_of(params, ["y = R.matmul(x, w, out_dtype='int32')"], inputs=2), target=target)
    for steps in (0, 1, 7, 64):
        x, w = some((7, steps), "int16", 1), some((steps, 50), right)
        np.testing.assert_array_equal(np.asarray(model(x, w)), wide(x, w))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("right", RIGHT)
@pytest.mark.parametrize(
    ("into", "out", "kernel", "groups"), [(32, 40, 1, 1), (16, 33, 3, 1), (3, 20, 3, 1), (8, 32, 3, 2)]
)
def test_convolutions(target: str, right: str, into: int, out: int, kernel: int, groups: int) -> None:
    for options in (f"padding={kernel // 2}", f"strides=2, padding={kernel // 2}"):
        x, w = some((2, into, 9, 11), "int16"), some((out, into // groups, kernel, kernel), right, 1)
        call = f"R.nn.conv2d(x, w, {options}, groups={groups}, out_dtype='int32')"
        params = [f'x: R.Tensor({x.shape}, "int16")', f'w: R.Tensor({w.shape}, "{right}")']
        want = np.asarray(sunmao.evaluate(module_of(params, [f"y = {call}"]), x, w))
        for prepared in (True, False):
            np.testing.assert_array_equal(product(x, w, prepared, call, target=target), want)


def test_pairs_are_multiplied_together(tmp_path: Path) -> None:
    params = ['x: R.Tensor((30, 24), "int16")', 'w: R.Tensor((24, 64), "int8")']
    module = module_of(params, ["y = R.matmul(x, w, out_dtype='int32')"], inputs=1)
    (tmp_path / "m.py").write_text(module.script())
    done = run("opt", tmp_path / "m.py", "--stop-after", "schedule", "--target", TARGETS[0])
    assert "T.dp2a" in done.stdout, done.stderr
