"""Pools: windows whose largest elements are found along one axis after the other, and means whose divisor is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from one_function import module_of


def pooled(x: Any, size: Any, stride: Any, padding: Any, dilation: int, ceil: bool, largest: bool) -> Any:
    """Returns the largest elements, or the means over those inside, of windows on channels first."""
    spatial = x.ndim - 2
    counts = []
    for d in range(spatial):
        span = dilation * (size[d] - 1) + 1
        room = x.shape[2 + d] + padding[d] + padding[d + spatial] - span
        count = (-(-room // stride[d]) if ceil else room // stride[d]) + 1
        if ceil and (count - 1) * stride[d] >= x.shape[2 + d] + padding[d]:
            count -= 1
        counts.append(count)
    out = np.zeros((*x.shape[:2], *counts), x.dtype)
    for at in np.ndindex(*counts):
        starts = [at[d] * stride[d] - padding[d] for d in range(spatial)]
        taps = [[starts[d] + t * dilation for t in range(size[d])] for d in range(spatial)]
        inside = [[i for i in along if 0 <= i < x.shape[2 + d]] for d, along in enumerate(taps)]
        window = x[(slice(None), slice(None), *np.ix_(*inside))].reshape(*x.shape[:2], -1)
        out[(slice(None), slice(None), *at)] = window.max(axis=-1) if largest else window.mean(axis=-1)
    return out


CASES: list[tuple[Any, Any, Any, int, bool]] = [
    *(((5, 5), (1, 1), (2, 2, 2, 2), 1, False), ((7, 4), (1, 1), (3, 0, 1, 2), 1, False)),
    *(((9, 9), (2, 1), (4, 4, 4, 4), 1, False), ((5, 6), (1, 1), (2, 2, 2, 2), 2, False)),
    *(((6, 6), (1, 2), (1, 0, 2, 2), 1, True), ((13, 13), (1, 1), (6, 6, 6, 6), 1, False)),
    *(((3, 3), (1, 1), (0, 0, 0, 0), 1, False), ((2, 2), (2, 2), (0, 0, 0, 0), 1, False)),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("op", ["max_pool2d", "avg_pool2d"])
@pytest.mark.parametrize(("size", "stride", "padding", "dilation", "ceil"), CASES, ids=str)
def test_images(
    target: str, layout: str, op: str, size: Any, stride: Any, padding: Any, dilation: int, ceil: bool
) -> None:
    dims = '"n", 5, "h", "v"' if layout == "NCHW" else '"n", "h", "v", 5'
    attrs = f"pool_size={size}, strides={stride}, padding={padding}, dilation={dilation}, ceil_mode={ceil}"
    call = f'R.nn.{op}(x, {attrs}, layout="{layout}")'
    module = module_of([f'x: R.Tensor(({dims}), "float32")'], [f"y = {call}"])
    model = sunmao.compile(module, target=target)
    for n, height, width in [(1, 13, 13), (2, 17, 40), (1, 20, 9)]:
        x = np.random.default_rng(height).standard_normal((n, 5, height, width)).astype("float32")
        want = pooled(x, size, stride, padding, dilation, ceil, op == "max_pool2d")
        given = x if layout == "NCHW" else np.ascontiguousarray(x.transpose(0, 2, 3, 1))
        got = np.asarray(model(given))
        got = got if layout == "NCHW" else got.transpose(0, 3, 1, 2)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6, err_msg=f"{n} of {height} x {width}")


@pytest.mark.parametrize("dtype", ["int8", "uint8", "float16", "float64"])
def test_types(dtype: str) -> None:
    x = (np.random.default_rng(1).standard_normal((1, 3, 12, 20)) * 50).astype(dtype)
    call = "R.nn.max_pool2d(x, pool_size=(5, 5), padding=(2, 2, 2, 2))"
    model = sunmao.compile(module_of([f'x: R.Tensor((1, 3, 12, 20), "{dtype}")'], [f"y = {call}"]))
    np.testing.assert_array_equal(np.asarray(model(x)), pooled(x, (5, 5), (1, 1), (2,) * 4, 1, False, True))


def test_a_window_with_nan_has_nan() -> None:
    x = np.random.default_rng(2).standard_normal((1, 2, 12, 12)).astype("float32")
    x[0, 1, 4, 7] = np.nan
    call = "R.nn.max_pool2d(x, pool_size=(5, 5), padding=(2, 2, 2, 2))"
    model = sunmao.compile(module_of(['x: R.Tensor((1, 2, 12, 12), "float32")'], [f"y = {call}"]))
    np.testing.assert_array_equal(np.asarray(model(x)), pooled(x, (5, 5), (1, 1), (2,) * 4, 1, False, True))


def test_three_dimensions() -> None:
    x = np.random.default_rng(3).standard_normal((1, 3, 7, 9, 8)).astype("float32")
    call = "R.nn.max_pool3d(x, pool_size=(3, 3, 3), padding=(1, 1, 1, 1, 1, 1))"
    model = sunmao.compile(module_of(['x: R.Tensor((1, 3, 7, 9, 8), "float32")'], [f"y = {call}"]))
    np.testing.assert_array_equal(np.asarray(model(x)), pooled(x, (3,) * 3, (1,) * 3, (1,) * 6, 1, False, True))
