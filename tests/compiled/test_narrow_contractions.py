"""Narrow groups of columns, few columns, and lanes at known distances equal the evaluator."""

from __future__ import annotations

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS, check, check_kernel
from one_function import module_of


@pytest.mark.part(4)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("groups", [2, 3, 7])
@pytest.mark.parametrize(
    ("into", "out"),
    [
        *((width, width) for width in (2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24)),
        *((1, 2), (1, 3), (1, 5), (1, 8), (1, 9)),  # depthwise with a multiplier
        *((2, 1), (3, 1), (4, 8), (8, 4), (16, 2), (3, 5)),
    ],
)
def test_groups_of_few_channels(target: str, groups: int, into: int, out: int) -> None:
    for size, options in ((5, "padding=1"), (15, "strides=2, padding=1"), (14, "dilation=2")):
        check(
            {"x": (1, into * groups, size, size + 1), "w": (out * groups, into, 3, 3), "b": (1, out * groups, 1, 1)},
            f"R.nn.relu(R.add(R.nn.conv2d(x, w, {options}, groups={groups}), b))",
            target=target,
        )


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("into", "out", "groups"), [(8, 8, 9), (4, 4, 16), (3, 3, 20), (1, 2, 40)])
def test_groups_on_threads(threads: int, into: int, out: int, groups: int) -> None:
    shapes = {"x": (2, into * groups, 40, 33), "w": (out * groups, into, 3, 3)}
    check(shapes, f"R.nn.conv2d(x, w, padding=1, groups={groups})", threads=threads)
    check(
        {"x": (2, into * groups, 90), "w": (out * groups, into, 1)},
        f"R.nn.conv1d(x, w, groups={groups})",
        threads=threads,
    )


@pytest.mark.parametrize("size", [1, 5, 14, 31])
@pytest.mark.parametrize(("into", "out", "groups"), [(8, 8, 5), (3, 3, 6), (1, 2, 12)])
def test_groups_in_images_of_sizes_that_a_run_says(size: int, into: int, out: int, groups: int) -> None:
    random = np.random.default_rng(size)
    w = random.standard_normal((out * groups, into, 3, 3)).astype("f4")
    params = [f'x: R.Tensor((1, {into * groups}, "h", "w"), "float32")', f'k: R.Tensor({w.shape}, "float32")']
    module = module_of(params, [f"y = R.nn.conv2d(x, k, padding=1, groups={groups})"], inputs=1)
    model = sunmao.compile(module, weights={"k": w})
    x = random.standard_normal((1, into * groups, size, size + 2)).astype("f4")
    np.testing.assert_allclose(model(x), np.asarray(sunmao.evaluate(module, x, w)), rtol=1e-4, atol=1e-4)


@pytest.mark.part(4)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("columns", [1, 2, 3, 4, 5, 6, 7, 8, 9])
@pytest.mark.parametrize("channels", [3, 15, 16, 17, 40])
def test_convolutions_to_few_channels(target: str, columns: int, channels: int) -> None:
    shapes = {"w": (columns, channels, 3, 3), "b": (1, columns, 1, 1)}
    for size in (4, 13, 30):
        x = {"x": (2, channels, size, size + 1)}
        check(x | shapes, "R.tanh(R.add(R.nn.conv2d(x, w, padding=1), b))", target=target)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("columns", [1, 3])
def test_convolutions_to_few_channels_on_threads(threads: int, columns: int) -> None:
    for batch, size, channels in ((1, 1, 70000), (1, 40, 64), (9, 17, 40)):
        check(
            {"x": (batch, channels, size, size), "w": (columns, channels, 1, 1)}, "R.nn.conv2d(x, w)", threads=threads
        )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("steps", [15, 16, 17, 100])
@pytest.mark.parametrize("rows", [1, 2, 7, 8, 30])
@pytest.mark.parametrize("columns", [1, 2, 5, 8, 9, 40])
def test_dot_products(target: str, rows: int, steps: int, columns: int) -> None:
    random = np.random.default_rng(rows)
    x, w = random.standard_normal((rows, steps)).astype("f4"), random.standard_normal((steps, columns)).astype("f4")
    params = [f'x: R.Tensor({x.shape}, "float32")', f'w: R.Tensor({w.T.shape}, "float32")']
    module = module_of(params, ["y = R.nn.relu(R.matmul(x, R.permute_dims(w)))"])
    got = sunmao.compile(module, target=target)(x, np.ascontiguousarray(w.T))
    np.testing.assert_allclose(got, np.maximum(x @ w, 0), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("columns", [1, 2, 8])
def test_few_columns_of_rows_that_a_run_says(columns: int) -> None:
    w = np.random.default_rng(0).standard_normal((40, columns)).astype("f4")
    params = ['x: R.Tensor(("n", 40), "float32")', f'w: R.Tensor((40, {columns}), "float32")']
    model = sunmao.compile(module_of(params, ["y = R.matmul(x, w)"], inputs=1), weights={"w": w})
    for rows in (0, 1, 5, 6, 7, 100):
        x = np.random.default_rng(rows).standard_normal((rows, 40)).astype("f4")
        np.testing.assert_allclose(model(x), x @ w, rtol=1e-4, atol=1e-4)


def test_columns_of_any_number() -> None:
    for columns in range(1, 71):
        check({"x": (15, 17), "w": (17, columns), "b": (columns,)}, "R.nn.relu(R.add(R.matmul(x, w), b))")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("columns", [6, 16, 30, 33, 48])
@pytest.mark.parametrize(
    "place", ["vj // 2", "vj // 3 * 3", "vj // 2 * 3 + 1", "2 * vj", "2 * vj + 1", "vj // 4 * 4 + 3 - vj % 4", "vj % 2"]
)
def test_lanes_at_known_distances(target: str, columns: int, place: str) -> None:
    last = max(eval(place, {"vj": j}) for j in range(columns))
    check_kernel(
        target,
        a=(5, last + 1),
        b=(3, columns),
        c=(5, columns),
        loops=f"i, j, k in T.grid(5, {columns}, 3)",
        remap='vi, vj, vk = T.axis.remap("SSR", [i, j, k])',
        at="vi, vj",
        value=f"A[vi, {place}] * B[vk, vj]",
    )


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("width", [2, 3, 4, 8])
@pytest.mark.parametrize("value", ["A[vi, {group} * {w} + vk] * B[vk, vj]", "B[vk, vj] * A[vi, {group} * {w} + vk]"])
def test_kernels_of_narrow_groups(target: str, width: int, value: str) -> None:
    columns = 5 * width
    check_kernel(
        target,
        a=(20, columns),
        b=(width, columns),
        c=(20, columns),
        loops=f"i, j, k in T.grid(20, {columns}, {width})",
        remap='vi, vj, vk = T.axis.remap("SSR", [i, j, k])',
        at="vi, vj",
        value=value.format(group=f"(vj // {width})", w=width),
    )


@pytest.mark.parametrize("groups", [2, 5])
def test_padding_under_a_weight_that_is_no_number(groups: int) -> None:
    random = np.random.default_rng(groups)
    x = random.standard_normal((1, 2 * groups, 6, 7)).astype("f4")
    w = random.standard_normal((2 * groups, 2, 3, 3)).astype("f4")
    w[0, 0, 0, 0] = np.nan
    w[2, 1, 2, 1] = np.inf
    params = [f'x: R.Tensor({x.shape}, "float32")', f'w: R.Tensor({w.shape}, "float32")']
    module = module_of(params, [f"y = R.nn.conv2d(x, w, padding=1, groups={groups})"], inputs=1)
    want = np.asarray(sunmao.evaluate(module, x, w))
    assert np.isnan(want).any()
    np.testing.assert_allclose(sunmao.compile(module, weights={"w": w})(x), want, rtol=1e-4, atol=1e-4)
