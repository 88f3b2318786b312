"""Windows of one channel on planes whose pixels lie side by side: depthwise convolutions with channels first, of known
and of unknown sizes, at edges, and where lines or pixels fill no tile."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS, WITH_HALVES
from one_function import module_of
from sunmao.transform import PassContext


def numbers(shape: tuple[int, ...], seed: int, dtype: str) -> Any:
    random = np.random.default_rng(seed)
    if dtype == "int32":
        return random.integers(-50, 50, shape).astype(dtype)
    return random.standard_normal(shape).astype(dtype)


def windows(x: Any, w: Any, stride: int, padding: tuple[int, ...], dilation: int) -> Any:
    """Returns a depthwise convolution of any number of dimensions, in float64."""
    spatial = x.ndim - 2
    pairs = [(padding[d], padding[d + spatial]) for d in range(spatial)]
    x = np.pad(x.astype("float64"), [(0, 0), (0, 0), *pairs])
    taps = w.shape[2:]
    sizes = [(x.shape[2 + d] - (taps[d] - 1) * dilation - 1) // stride + 1 for d in range(spatial)]
    out = np.zeros((*x.shape[:2], *sizes))
    for tap in np.ndindex(*taps):
        slices = tuple(
            slice(tap[d] * dilation, tap[d] * dilation + stride * (sizes[d] - 1) + 1, stride) for d in range(spatial)
        )
        shape = (1, -1, *([1] * spatial))
        out += x[(slice(None), slice(None), *slices)] * w[(slice(None), 0, *tap)].astype("float64").reshape(shape)
    return out


def compiled(
    channels: int,
    taps: tuple[int, ...],
    attrs: str,
    sizes: tuple[Any, ...],
    dtype: str,
    epilogue: list[str],
    **options: Any,
) -> tuple[Any, Any]:
    shape = (channels, 1, *taps)
    w = numbers(shape, 1, dtype)
    dims = ", ".join(f'"{s}"' if isinstance(s, str) else str(s) for s in ("n", channels, *sizes))
    params = [f'x: R.Tensor(({dims}), "{dtype}")', f'w: R.Tensor({shape}, "{dtype}")']
    call = f"R.nn.conv{len(taps)}d(x, w, groups={channels}, {attrs})"
    module = module_of(params, [f"c = {call}", *epilogue], inputs=1)
    with PassContext(disabled_pass=["channels-last"]):
        return sunmao.compile(module, weights={"w": w}, **options), w


CASES: list[tuple[tuple[int, ...], int, tuple[int, ...], int]] = [
    *(((3, 3), 1, (1, 1, 1, 1), 1), ((3, 3), 2, (1, 1, 1, 1), 1), ((3, 3), 1, (0, 0, 0, 0), 1)),
    *(((5, 5), 1, (2, 2, 2, 2), 1), ((3, 3), 1, (2, 2, 2, 2), 2), ((3, 3), 2, (0, 1, 2, 1), 1)),
    *(((3, 1), 1, (1, 0, 1, 0), 1), ((1, 7), 1, (0, 3, 0, 3), 1), ((7, 7), 2, (3, 3, 3, 3), 1)),
    *(((4, 2), 1, (9, 0, 1, 12), 1), ((2, 3), 1, (0, 1, 1, 0), 3)),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("taps", "stride", "padding", "dilation"), CASES, ids=str)
def test_any_images(target: str, taps: tuple[int, ...], stride: int, padding: tuple[int, ...], dilation: int) -> None:
    attrs = f"strides={stride}, padding={list(padding)}, dilation={dilation}"
    for threads in (1, 2):
        model, w = compiled(5, taps, attrs, ("h", "v"), "float32", ["y = R.nn.relu(c)"], target=target, threads=threads)
        for n, height, width in [(1, 7, 5), (2, 9, 8), (1, 10, 17), (1, 13, 31), (1, 40, 70), (0, 9, 9), (1, 37, 530)]:
            x = numbers((n, 5, height, width), n + height, "float32")
            want = np.maximum(windows(x, w, stride, padding, dilation), 0)
            np.testing.assert_allclose(
                np.asarray(model(x)), want, rtol=1e-4, atol=1e-4, err_msg=f"{n} of {height} x {width}"
            )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("taps", "stride", "padding", "dilation"), CASES[:6], ids=str)
@pytest.mark.parametrize("size", [(7, 5), (14, 14), (9, 33), (40, 600)], ids=str)
def test_known_images(
    target: str, taps: tuple[int, ...], stride: int, padding: tuple[int, ...], dilation: int, size: tuple[int, int]
) -> None:
    attrs = f"strides={stride}, padding={list(padding)}, dilation={dilation}"
    model, w = compiled(3, taps, attrs, size, "float32", ["g = R.nn.gelu(c)", "y = R.add(g, c)"], target=target)
    x = numbers((2, 3, *size), 2, "float32")
    c = windows(x, w, stride, padding, dilation)
    want = c + 0.5 * c * (1 + np.vectorize(math.erf)(c / math.sqrt(2)))
    np.testing.assert_allclose(np.asarray(model(x)), want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("taps", "stride", "padding", "dilation"), [(31, 1, 15, 1), (9, 1, 4, 1), (3, 1, 4, 4), (5, 2, 2, 1)], ids=str
)
def test_lines(target: str, taps: int, stride: int, padding: int, dilation: int) -> None:
    attrs = f"strides={stride}, padding={padding}, dilation={dilation}"
    model, w = compiled(6, (taps,), attrs, ("t",), "float32", ["y = R.nn.silu(c)"], target=target)
    for length in (1, 2, 7, 8, 9, 31, 32, 33, 50, 511, 512, 513, 1100):
        x = numbers((1, 6, length), length, "float32")
        c = windows(x, w, stride, (padding, padding), dilation)
        np.testing.assert_allclose(
            np.asarray(model(x)), c / (1 + np.exp(-c)), rtol=1e-4, atol=1e-4, err_msg=f"{length} steps"
        )


@pytest.mark.parametrize(
    ("target", "dtype"),
    [*((t, dtype) for t in TARGETS for dtype in ("float64", "int32")), *((t, "float16") for t in WITH_HALVES)],
)
@pytest.mark.parametrize("stride", [1, 2])
def test_types(target: str, dtype: str, stride: int) -> None:
    attrs = f"strides={stride}, padding=1"
    model, w = compiled(4, (3, 3), attrs, ("h", "v"), dtype, ["y = R.add(c, c)"], target=target)
    for height, width in [(3, 3), (9, 40), (30, 17)]:
        x = numbers((1, 4, height, width), height, dtype)
        want = 2 * windows(x, w, stride, (1, 1, 1, 1), 1)
        tolerance = {"float16": 1e-2, "float64": 1e-12, "int32": 0}[dtype]
        np.testing.assert_allclose(np.asarray(model(x)).astype("float64"), want, rtol=tolerance, atol=tolerance)
