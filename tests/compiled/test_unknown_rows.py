"""Sizes that a run says: few rows, those around tiles and groups of tiles, and images of any height and width."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from one_function import module_of
from sunmao import _sunmao
from sunmao_binary import sunmao as run

ROWS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 23, 25, 49, 97, 200]
SIZES = [(1, 1, 1), (2, 1, 3), (1, 2, 2), (1, 3, 4), (1, 4, 3), (2, 5, 5), (1, 7, 7), (3, 8, 11), (1, 19, 23)]


def numbers(shape: tuple[int, ...], seed: int, dtype: str = "float32") -> Any:
    random = np.random.default_rng(seed)
    if dtype == "float32":
        return random.standard_normal(shape).astype(dtype)
    return random.integers(np.iinfo(dtype).min, np.iinfo(dtype).max + 1, shape).astype(dtype)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("steps", "columns"), [(40, 24), (96, 200), (384, 1000), (1024, 70), (3072, 64), (5000, 33)], ids=str
)
def test_rows_of_a_product(target: str, threads: int, steps: int, columns: int) -> None:
    w, b = numbers((steps, columns), 1), numbers((columns,), 2)
    params = [f'x: R.Tensor(("n", {steps}), "float32")', f'w: R.Tensor(({steps}, {columns}), "float32")']
    params.append(f'b: R.Tensor(({columns},), "float32")')
    module = module_of(params, ["p = R.matmul(x, w)", "q = R.add(p, b)", "y = R.nn.relu(q)"], inputs=1)
    compiled = sunmao.compile(module, weights={"w": w, "b": b}, target=target, threads=threads)
    for rows in ROWS:
        x = numbers((rows, steps), rows)
        want = np.maximum(x.astype("float64") @ w + b, 0)
        np.testing.assert_allclose(np.asarray(compiled(x)), want, rtol=1e-4, atol=1e-3, err_msg=f"{rows} rows")


def convolved(x: Any, w: Any, stride: int, padding: int, groups: int) -> Any:
    """Returns a convolution of channels first in float64."""
    x = np.pad(x.astype("float64"), ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    images, channels, kernel = len(x), w.shape[1], w.shape[2]
    height, width = ((size - kernel) // stride + 1 for size in x.shape[2:])
    out = np.zeros((images, len(w), height, width))
    each = len(w) // groups
    for i in range(kernel):
        for j in range(kernel):
            part = x[:, :, i : i + stride * height : stride, j : j + stride * width : stride]
            for g in range(groups):
                tap = w[g * each : (g + 1) * each, :, i, j]
                mine = part[:, g * channels : (g + 1) * channels]
                out[:, g * each : (g + 1) * each] += np.einsum("nchw,oc->nohw", mine, tap)
    return out


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("channels", "filters", "kernel", "stride", "groups"),
    [
        *((64, 48, 1, 1, 1), (64, 48, 1, 2, 1), (64, 40, 3, 1, 1), (16, 24, 3, 2, 1), (3, 32, 7, 2, 1)),
        *((24, 24, 3, 1, 24), (24, 24, 3, 2, 24), (20, 20, 5, 1, 20), (20, 20, 5, 2, 20), (32, 64, 3, 1, 4)),
        (128, 200, 3, 1, 1),
    ],
    ids=str,
)
def test_images(target: str, channels: int, filters: int, kernel: int, stride: int, groups: int) -> None:
    padding = kernel // 2
    shape = (filters, channels // groups, kernel, kernel)
    w = numbers(shape, 3)
    params = [f'x: R.Tensor(("n", {channels}, "h", "v"), "float32")', f'w: R.Tensor({shape}, "float32")']
    call = f"R.nn.conv2d(x, w, strides={stride}, padding={padding}, groups={groups})"
    module = module_of(params, [f"y = {call}"], inputs=1)
    for threads in (1, 2):
        compiled = sunmao.compile(module, weights={"w": w}, target=target, threads=threads)
        for images, height, width in SIZES:
            x = numbers((images, channels, height, width), height)
            want = convolved(x, w, stride, padding, groups)
            got = np.asarray(compiled(x))
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-3, err_msg=f"{images} x {height} x {width}")


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_fewer_pixels_than_a_tile_has_rows(target: str, tmp_path: Path) -> None:
    """The evaluator refuses indices that are outside: rows that are copied begin at 0 where a tile has more of them."""
    w = numbers((1, 1, 512, 64), 1)
    params = ['x: R.Tensor(("n", "h", "v", 512), "float32")', 'w: R.Tensor((1, 1, 512, 64), "float32")']
    text = module_of(params, ['y = R.nn.conv2d(x, w, data_layout="NHWC", kernel_layout="HWIO")']).script()
    (tmp_path / "model.py").write_text(text)
    done = run("compile", tmp_path / "model.py", "--no-bind-weights", "--stop-after", "lift-temporaries")
    assert done.returncode == 0, done.stderr
    scheduled = _sunmao.run_pass(sunmao.parse_module(done.stdout), "schedule", target=target)
    assert ("rows[" in scheduled.script()) == (target == "x86-64-v4")  # a copy of more rows than a cache set has lines
    for height, width in ((1, 1), (1, 2), (2, 2), (2, 3), (3, 5)):
        x = numbers((1, height, width, 512), height)
        got = np.asarray(sunmao.evaluate(scheduled, x, w))
        np.testing.assert_allclose(got, x.astype("float64") @ w[0, 0], rtol=1e-4, atol=1e-3)
