"""Convolutions of images with few rows of pixels, whose tiles are written out, equal the evaluator."""

from __future__ import annotations

import pytest
from contraction_checks import TARGETS, check

NHWC = "data_layout='NHWC', kernel_layout='HWIO'"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("batch", "height", "width"), [(1, 7, 7), (1, 8, 8), (2, 4, 4), (3, 3, 5), (4, 2, 2), (1, 9, 5)]
)
def test_windows_with_all_that_follows(target: str, batch: int, height: int, width: int) -> None:
    shapes = {"x": (batch, height, width, 8), "w": (3, 3, 8, 40), "b": (40,), "r": (batch, height, width, 40)}
    check(shapes, f"R.nn.silu(R.add(R.add(R.nn.conv2d(x, w, padding=1, {NHWC}), b), r))", target=target)


@pytest.mark.parametrize("options", ["strides=2", "dilation=2, padding=2", "padding=[0, 1, 2, 1]", "strides=[1, 2]"])
@pytest.mark.parametrize("size", [5, 6, 9, 13])
def test_windows_at_distances(options: str, size: int) -> None:
    check({"x": (2, size, size + 1, 6), "w": (3, 3, 6, 24)}, f"R.nn.conv2d(x, w, {options}, {NHWC})")


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("size", [2, 3, 4])
def test_volumes(groups: int, size: int) -> None:
    shapes = {"x": (1, 2, size, size + 1, 4 * groups), "w": (3, 3, 3, 4, 36 * groups)}
    options = f"padding=1, groups={groups}, data_layout='NDHWC', kernel_layout='DHWIO'"
    check(shapes, f"R.nn.relu(R.nn.conv3d(x, w, {options}))")


@pytest.mark.parametrize("threads", [1, 2])
def test_tiles_on_threads(threads: int) -> None:
    check({"x": (1, 7, 7, 96), "w": (3, 3, 96, 64)}, f"R.nn.conv2d(x, w, padding=1, {NHWC})", threads=threads)


def test_bytes() -> None:
    shapes = {"x": (1, 5, 5, 8), "w": (3, 3, 8, 32)}
    check(shapes, f"R.nn.conv2d(x, w, padding=1, out_dtype='int32', {NHWC})", dtype="int8")
