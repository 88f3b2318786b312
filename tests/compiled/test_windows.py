"""Depthwise convolutions over small windows equal the evaluator at the edges of tiles."""

from __future__ import annotations

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS, check
from one_function import module_of

# Sizes around multiples of the tiles of all targets: up to seven lines, five pixels.
SIZES = [(1, 4), (2, 5), (7, 6), (8, 15), (15, 29)]
OPTIONS = [
    "padding=1",
    "strides=2, padding=1",
    "strides=3, padding=[0, 1, 2, 3]",
    "padding=[2, 0, 1, 2]",
    "padding=2, dilation=2",
    "strides=[1, 2], padding=2, dilation=[2, 1]",
]


def window(channels: int, height: int, width: int, kernel: tuple[int, int] = (3, 3)) -> dict[str, tuple[int, ...]]:
    return {"x": (2, height, width, channels), "w": (channels, 1, *kernel), "b": (channels,)}


def convolution(channels: int, options: str) -> str:
    return f"R.add(R.nn.conv2d(x, w, {options}, groups={channels}, data_layout='NHWC'), b)"


@pytest.mark.part(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("channels", [1, 15, 17, 33])
@pytest.mark.parametrize("options", OPTIONS)
def test_edges(target: str, channels: int, options: str) -> None:
    for height, width in SIZES:
        if height == 1 and options not in OPTIONS[:2]:
            continue  # the window is larger than the padded image
        check(window(channels, height, width), f"R.nn.relu({convolution(channels, options)})", target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kernel", [(1, 3), (3, 1), (2, 2), (2, 4), (3, 2), (1, 9), (9, 1), (4, 4)])
def test_kernels_of_other_sizes(target: str, kernel: tuple[int, int]) -> None:
    for options in ("padding=4", "strides=2, padding=4"):
        check(window(24, 9, 10, kernel), convolution(24, options), target=target)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("activation", ["gelu", "silu", "relu"])
@pytest.mark.parametrize("size", [7, 16])
def test_activations(target: str, activation: str, size: int) -> None:
    for stride in (1, 2):
        call = convolution(40, f"strides={stride}, padding=1")
        check(window(40, size, size), f"R.nn.{activation}({call})", target=target)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("channels", "size", "stride"), [(32, 56, 1), (40, 57, 2), (520, 14, 1), (600, 7, 1), (17, 90, 1)]
)
def test_on_threads(threads: int, channels: int, size: int, stride: int) -> None:
    """Groups of lines are tasks, and parts of the channels where there are few of these."""
    check(window(channels, size, size), convolution(channels, f"strides={stride}, padding=1"), threads=threads)


@pytest.mark.parametrize("batch", [0, 1, 3])
def test_batch_that_a_run_says(batch: int) -> None:
    random = np.random.default_rng(batch)
    w = random.standard_normal((20, 1, 3, 3)).astype("f4")
    params = ['x: R.Tensor(("n", 15, 14, 20), "float32")', 'w: R.Tensor((20, 1, 3, 3), "float32")']
    module = module_of(params, ["y = R.nn.conv2d(x, w, padding=1, groups=20, data_layout='NHWC')"], inputs=1)
    x = random.standard_normal((batch, 15, 14, 20)).astype("f4")
    got = sunmao.compile(module, weights={"w": w})(x)
    np.testing.assert_allclose(got, np.asarray(sunmao.evaluate(module, x, w)), rtol=1e-4, atol=1e-4)


def test_padding_under_an_infinite_weight_counts_as_nothing() -> None:
    w, x = np.zeros((16, 1, 3, 3), "f4"), np.ones((1, 14, 14, 16), "f4")
    w[:, 0, 0, 0] = np.inf  # a tap that is at an edge for the first line and the first pixel alone
    params = ['x: R.Tensor((1, 14, 14, 16), "float32")', 'w: R.Tensor((16, 1, 3, 3), "float32")']
    module = module_of(params, ["y = R.nn.conv2d(x, w, padding=1, groups=16, data_layout='NHWC')"], inputs=1)
    got = np.asarray(sunmao.compile(module, weights={"w": w})(x))
    assert (got[:, 1:, 1:] == np.inf).all()
    assert (got[:, 0] == 0).all()
    assert (got[:, :, 0] == 0).all()
