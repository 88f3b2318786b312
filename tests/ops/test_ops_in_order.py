"""Ops with sequential loops (sorting, suppression, sampling, gradients of pools), compiled, against NumPy."""

from collections.abc import Callable

import numpy as np
import pytest
import sunmao
from sunmao.compat.topi.testing import non_max_suppression_python

RNG = np.random.default_rng(7)


def compiled(types: list[str], expression: str) -> Callable[..., list[np.ndarray]]:
    """Compiles a function of `expression` with parameters a, b, … of these types."""
    names = "abcdefgh"[: len(types)]
    parameters = ", ".join(f"{n}: R.Tensor({t})" for n, t in zip(names, types, strict=True))
    text = f"""
@I.ir_module
class Module:
    @R.function
    def main({parameters}):
        R.func_attr({{"num_input": {len(types)}}})
        with R.dataflow():
            y = {expression}
            R.output(y)
        return y
"""
    model = sunmao.compile(sunmao.parse_module(text))

    def call(*args: np.ndarray) -> list[np.ndarray]:
        out = model(*args)
        return [np.asarray(o) for o in (out if isinstance(out, (tuple, list)) else [out])]

    return call


def order(x: np.ndarray, axis: int, *, descending: bool) -> np.ndarray:
    """Stable argsort; NaN is the largest value."""

    def key(v: float, i: int) -> tuple[float, float, int]:
        nan = float(np.isnan(v))
        sign = -1.0 if descending else 1.0
        return (sign * nan, 0.0 if nan else sign * float(v), i)

    def places(row: np.ndarray) -> np.ndarray:
        return np.array(sorted(range(len(row)), key=lambda i: key(row[i], i)), dtype="int64")

    return np.apply_along_axis(places, axis, x)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(("shape", "axis"), [((1,), 0), ((33,), 0), ((3, 17), -1), ((8, 2, 5), 0), ((2, 100, 1), 1)])
def test_sort_and_argsort_are_stable_with_nan_as_the_largest(
    shape: tuple[int, ...], axis: int, *, descending: bool
) -> None:
    x = RNG.integers(-4, 4, shape).astype("float32")
    x.reshape(-1)[::7] = np.nan
    places = order(x, axis, descending=descending)
    tensor = f'{shape}, "float32"'
    (values,) = compiled([tensor], f"R.sort(a, axis={axis}, descending={descending})")(x)
    (found,) = compiled([tensor], f'R.argsort(a, axis={axis}, descending={descending}, dtype="int64")')(x)
    np.testing.assert_array_equal(found, places)
    np.testing.assert_array_equal(values, np.take_along_axis(x, places, axis))


def test_sort_of_integers_and_of_nothing() -> None:
    x = np.array([[3, -128, 127, 0, 3]], dtype="int8")
    np.testing.assert_array_equal(compiled(['(1, 5), "int8"'], "R.sort(a)")(x)[0], np.sort(x))
    assert compiled(['(2, 0), "float32"'], "R.sort(a)")(np.zeros((2, 0), "float32"))[0].shape == (2, 0)


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("count", [1, 5, 30, 33, 60])
def test_topk(count: int, *, largest: bool) -> None:
    x = RNG.integers(0, 6, (5, 60)).astype("float32")
    x[3:] = np.sort(x[3:], 1)
    x[4] = x[4, ::-1]
    x[2, ::7] = np.nan
    values, places = compiled(['(5, 60), "float32"'], f"R.topk(a, k={count}, axis=1, largest={largest})")(x)
    expected = order(x, 1, descending=largest)[:, :count]
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(x, expected, 1))


def test_sorting_a_long_row() -> None:
    x = RNG.standard_normal(20000).astype("float32")
    np.testing.assert_array_equal(compiled(['(20000,), "float32"'], "R.sort(a)")(x)[0], np.sort(x))


def test_median_is_the_lower_of_two_and_keeps_nan() -> None:
    x = np.array([[4, 1, 3, 2], [1, np.nan, 5, np.nan], [7, 7, 7, 0]], dtype="float32")
    values, places = compiled(['(3, 4), "float32"'], "R.median(a, axis=[1])")(x)
    np.testing.assert_array_equal(values, np.array([2, np.nan, 7], "float32"))
    np.testing.assert_array_equal(places, [3, 1, 0])
    (all_of_them,) = compiled(['(2, 3), "float32"'], "R.median(a)")(np.array([[5, 1, 4], [2, 6, 3]], "float32"))
    assert all_of_them == 3


def windows(size: int, kernel: int, stride: int, pad: int) -> list[list[int]]:
    count = (size + 2 * pad - kernel) // stride + 1
    return [[i * stride - pad + k for k in range(kernel)] for i in range(count)]


@pytest.mark.parametrize(("kernel", "stride", "pad"), [(2, 2, 0), (3, 1, 1), (3, 2, 1)])
@pytest.mark.parametrize("kind", ["max", "avg", "avg_with_padding"])
def test_gradients_of_pools(kernel: int, stride: int, pad: int, kind: str) -> None:
    x = RNG.integers(0, 5, (2, 3, 6, 5)).astype("float32")
    rows, columns = windows(6, kernel, stride, pad), windows(5, kernel, stride, pad)
    g = RNG.standard_normal((2, 3, len(rows), len(columns))).astype("float32")
    expected = np.zeros_like(x)
    for n, c, i, j in np.ndindex(*g.shape):
        inside = [(h, w) for h in rows[i] for w in columns[j] if 0 <= h < 6 and 0 <= w < 5]
        if kind == "max":
            h, w = max(inside, key=lambda at: (x[n, c, at[0], at[1]], -at[0], -at[1]))
            expected[n, c, h, w] += g[n, c, i, j]
            continue
        for h, w in inside:
            expected[n, c, h, w] += g[n, c, i, j] / (kernel**2 if kind == "avg_with_padding" else len(inside))
    op = "max" if kind == "max" else "avg"
    (found,) = compiled(
        [f'{g.shape}, "float32"', f'{x.shape}, "float32"'],
        f"R.grad.{op}_pool2d_backward(a, b, pool_size={kernel}, strides={stride}, padding={pad}, "
        f"count_include_pad={kind == 'avg_with_padding'})",
    )(g, x)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def bilinear(image: np.ndarray, y: float, x: float) -> np.ndarray:
    """Interpolates at a position inside of the image (channels, height, width)."""
    h, w = image.shape[1:]
    top, left = int(np.floor(y)), int(np.floor(x))
    bottom, right, dy, dx = min(top + 1, h - 1), min(left + 1, w - 1), y - top, x - left
    upper = image[:, top, left] * (1 - dx) + image[:, top, right] * dx
    lower = image[:, bottom, left] * (1 - dx) + image[:, bottom, right] * dx
    return upper * (1 - dy) + lower * dy


@pytest.mark.parametrize("ratio", [2, -1])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("aligned", [False, True])
def test_roi_align(ratio: int, layout: str, *, aligned: bool) -> None:
    x = RNG.standard_normal((2, 3, 8, 9)).astype("float32")
    rois = np.array([[0, 1, 1, 6, 5], [1, 0, 0.5, 15, 12], [0, 3, 3, 3.2, 3.1]], dtype="float32")
    expected = np.zeros((3, 3, 2, 4), dtype="float64")
    for r, (batch, *corners) in enumerate(rois):
        x1, y1, x2, y2 = (float(v) * 0.5 for v in corners)
        size = [y2 - y1, x2 - x1] if aligned else [max(y2 - y1, 1), max(x2 - x1, 1)]
        bins = [size[0] / 2, size[1] / 4]
        samples = [ratio if ratio > 0 else int(np.ceil(b)) for b in bins]
        for i, j in np.ndindex(2, 4):
            for p, q in np.ndindex(*samples):
                y, xx = (
                    y1 + i * bins[0] + (p + 0.5) * bins[0] / samples[0],
                    x1 + j * bins[1] + (q + 0.5) * bins[1] / samples[1],
                )
                if -1 <= y <= 8 and -1 <= xx <= 9:
                    value = bilinear(x[int(batch)], min(max(y, 0), 7), min(max(xx, 0), 8))
                    expected[r, :, i, j] += value / (samples[0] * samples[1])
    data = x if layout == "NCHW" else x.transpose(0, 2, 3, 1).copy()
    (found,) = compiled(
        [f'{data.shape}, "float32"', '(3, 5), "float32"'],
        f"R.vision.roi_align(a, b, pooled_size=(2, 4), spatial_scale=0.5, sample_ratio={ratio}, aligned={aligned}, "
        f'layout="{layout}")',
    )(data, rois)
    found = found if layout == "NCHW" else found.transpose(0, 3, 1, 2)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_roi_pool_takes_the_largest_of_each_bin_and_0_of_none() -> None:
    x = np.arange(2 * 16, dtype="float32").reshape(1, 2, 4, 4)
    rois = np.array([[0, 0, 0, 3, 3], [0, 9, 9, 12, 12]], dtype="float32")
    (found,) = compiled(
        ['(1, 2, 4, 4), "float32"', '(2, 5), "float32"'],
        "R.vision.roi_pool(a, b, pooled_size=(2, 2), spatial_scale=1.0)",
    )(x, rois)
    np.testing.assert_array_equal(found[0], [[[5, 7], [13, 15]], [[21, 23], [29, 31]]])
    np.testing.assert_array_equal(found[1], np.zeros((2, 2, 2)))


BOXES = np.array(
    [
        [0, 0.95, 0, 0, 1, 1],
        [0, 0.90, 0.05, 0.05, 1.05, 1.05],
        [1, 0.85, 0, 0, 1, 1],
        [0, 0.60, 2, 2, 3, 3],
        [-1, 0.99, 8, 8, 9, 9],
        [0, 0.01, 5, 5, 6, 6],
    ],
    dtype="float32",
)[None]


def test_valid_counts_move_boxes_to_the_front() -> None:
    counts, boxes, places = compiled(['(1, 6, 6), "float32"'], "R.vision.get_valid_counts(a, score_threshold=0.1)")(
        BOXES
    )
    np.testing.assert_array_equal(counts, [4])
    np.testing.assert_array_equal(places, [[0, 1, 2, 3, -1, -1]])
    np.testing.assert_array_equal(boxes[0, :4], BOXES[0, :4])
    np.testing.assert_array_equal(boxes[0, 4:], np.full((2, 6), -1))


NMS_TYPES = ['(1, 6, 6), "float32"', '(1,), "int32"', '(1, 6), "int32"']


def suppressed(arguments: str) -> list[np.ndarray]:
    shuffled = BOXES[:, [3, 1, 0, 2, 4, 5]]
    indices = np.array([[10, 11, 12, 13, 14, 15]], dtype="int32")
    return compiled(NMS_TYPES, f"R.vision.non_max_suppression(a, b, c, {arguments})")(
        shuffled, np.array([4], "int32"), indices
    )


def test_suppression_gives_boxes_or_their_indices() -> None:
    places, counts = suppressed("iou_threshold=0.5")
    np.testing.assert_array_equal(places, [[12, 13, 10, -1, -1, -1]])
    np.testing.assert_array_equal(counts, [[3]])
    places, counts = suppressed("iou_threshold=0.5, force_suppress=True")
    np.testing.assert_array_equal(places, [[12, 10, -1, -1, -1, -1]])
    places, _ = suppressed("iou_threshold=0.5, max_output_size=1")
    np.testing.assert_array_equal(places, [[12, -1, -1, -1, -1, -1]])
    places, _ = suppressed("iou_threshold=0.5, top_k=2")
    np.testing.assert_array_equal(places, [[12, -1, -1, -1, -1, -1]])
    (boxes,) = suppressed("iou_threshold=0.5, return_indices=False")
    np.testing.assert_array_equal(boxes[0, [0, 2, 3]], BOXES[0, [0, 2, 3]])
    np.testing.assert_array_equal(boxes[0, [1, 4, 5]], np.full((3, 6), -1))
    (boxes,) = suppressed("iou_threshold=0.5, return_indices=False, invalid_to_bottom=True")
    np.testing.assert_array_equal(boxes[0, :3], BOXES[0, [0, 2, 3]])


def test_soft_suppression_lets_scores_decay() -> None:
    boxes, places, counts = suppressed("iou_threshold=1.0, soft_nms_sigma=0.5, score_threshold=0.3")
    iou = 0.95**2 / (2 - 0.95**2)
    np.testing.assert_array_equal(counts, [[4 if 0.9 * np.exp(-(iou**2)) > 0.3 else 3]])
    kept = {int(i): float(s) for i, s in zip(places[0], boxes[0, :, 1], strict=True) if i >= 0}
    np.testing.assert_allclose(kept[11], 0.9 * np.exp(-(iou**2)), rtol=1e-4)
    np.testing.assert_allclose([kept[12], kept[13], kept[10]], [0.95, 0.85, 0.60], rtol=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"force_suppress": True, "top_k": 12},
        {"id_index": -1, "max_output_size": 4},
        {"return_indices": False, "iou_threshold": 0.2},
        {"return_indices": False, "invalid_to_bottom": True},
        {"soft_nms_sigma": 0.3, "score_threshold": 0.25, "iou_threshold": 0.9},
        {"soft_nms_sigma": 0.5, "return_indices": False},
    ],
)
def test_suppression_of_many_boxes(options: dict[str, float]) -> None:
    corners = RNG.uniform(0, 3, (3, 20, 2))
    boxes = np.concatenate(
        [RNG.integers(0, 3, (3, 20, 1)), RNG.permuted(np.tile(np.linspace(0.1, 0.9, 20), (3, 1)), axis=1)[..., None],
         corners, corners + RNG.uniform(0.5, 2, (3, 20, 2))], -1
    ).astype("float32")  # fmt: skip
    valid, indices = np.array([20, 7, 0], "int32"), RNG.integers(0, 99, (3, 20)).astype("int32")
    arguments = ", ".join(f"{k}={v}" for k, v in options.items())
    types = ['(3, 20, 6), "float32"', '(3,), "int32"', '(3, 20), "int32"']
    found = compiled(types, f"R.vision.non_max_suppression(a, b, c, {arguments})")(boxes, valid, indices)
    expected = non_max_suppression_python(boxes, valid, indices, **options)
    for one, other in zip(found, expected if isinstance(expected, list) else [expected], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_suppression_in_each_class() -> None:
    boxes = BOXES[:, :4, 2:].copy()
    scores = np.array([[[0.9, 0.8, 0.1, 0.7], [0.2, 0.9, 0.3, 0.0]]], dtype="float32")
    chosen, count = compiled(
        ['(1, 4, 4), "float32"', '(1, 2, 4), "float32"', '(1,), "int64"'],
        'R.vision.all_class_non_max_suppression(a, b, c, R.const(0.5, "float32"), R.const(0.15, "float32"))',
    )(boxes, scores, np.array([2]))
    np.testing.assert_array_equal(count, [3])
    np.testing.assert_array_equal(chosen[:3], [[0, 0, 0], [0, 0, 3], [0, 1, 1]])
    np.testing.assert_array_equal(chosen[3:], np.full((5, 3), -1))


def test_boxes_from_anchors() -> None:
    scores, offsets = RNG.standard_normal((1, 3, 2)).astype("float32"), RNG.standard_normal((1, 8)).astype("float32")
    anchors = np.array([[[0.1, 0.2, 0.5, 0.8], [0.3, 0.3, 0.6, 0.4]]], dtype="float32")
    boxes, kept = compiled(
        ['(1, 3, 2), "float32"', '(1, 8), "float32"', '(1, 2, 4), "float32"'],
        "R.vision.multibox_transform_loc(a, b, c, clip=True, threshold=0.2, variances=(0.1, 0.1, 0.2, 0.2), "
        "keep_background=False)",
    )(scores, offsets, anchors)
    low, high = anchors[..., :2], anchors[..., 2:]
    off = offsets.reshape(1, 2, 4)
    middle = off[..., :2] * 0.1 * (high - low) + (low + high) / 2
    half = np.exp(off[..., 2:] * 0.2) * (high - low) / 2
    expected = np.concatenate([(middle - half)[..., ::-1], (middle + half)[..., ::-1]], -1).clip(0, 1)
    np.testing.assert_allclose(boxes, expected, rtol=1e-5, atol=1e-6)
    softmax = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    softmax = np.where(softmax >= 0.2, softmax, 0)
    softmax[:, 0] = 0
    np.testing.assert_allclose(kept, softmax, rtol=1e-5)


def grid_value(image: np.ndarray, y: float, x: float, padding: str) -> np.ndarray:
    h, w = image.shape[1:]
    if padding == "border":
        y, x = min(max(y, 0), h - 1), min(max(x, 0), w - 1)
    total = np.zeros(image.shape[0])
    for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
        row, column = int(np.floor(y)) + i, int(np.floor(x)) + j
        weight = (1 - abs(y - row)) * (1 - abs(x - column))
        if 0 <= row < h and 0 <= column < w:
            total += weight * image[:, row, column]
    return total


@pytest.mark.parametrize("padding", ["zeros", "border"])
@pytest.mark.parametrize("corners", [False, True])
def test_grid_sample(padding: str, *, corners: bool) -> None:
    x = RNG.standard_normal((2, 3, 5, 6)).astype("float32")
    grid = RNG.uniform(-1.4, 1.4, (2, 2, 4, 3)).astype("float32")
    expected = np.zeros((2, 3, 4, 3))
    for n, i, j in np.ndindex(2, 4, 3):
        gx, gy = (float(v) for v in grid[n, :, i, j])
        px, py = ((g + 1) * (s - 1) / 2 if corners else ((g + 1) * s - 1) / 2 for g, s in ((gx, 6), (gy, 5)))
        expected[n, :, i, j] = grid_value(x[n], py, px, padding)
    (found,) = compiled(
        ['(2, 3, 5, 6), "float32"', '(2, 2, 4, 3), "float32"'],
        f'R.image.grid_sample(a, b, padding_mode="{padding}", align_corners={corners})',
    )(x, grid)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


# Recorded results of PyTorch for the image and coordinates below.
RECORDED: list[tuple[str, str, bool, list[float]]] = [
    ("bilinear", "reflection", False, [2.25, 2.9, 0.425]),
    ("bilinear", "reflection", True, [1.34, 1.88, 0.0]),
    ("nearest", "reflection", False, [0.0, 2.0, -1.0]),
    ("bicubic", "zeros", True, [1.43719, 0.89311, -0.3293]),
    ("bicubic", "border", False, [2.34896, 4.00178, -0.03388]),
    ("bicubic", "reflection", False, [2.47389, 3.07225, -0.03388]),
]


@pytest.mark.parametrize(("method", "padding", "corners", "expected"), RECORDED)
def test_grid_sample_as_recorded(method: str, padding: str, expected: list[float], *, corners: bool) -> None:
    image = np.array([[[[1, 2, 4], [0, -1, 3], [5, 2, 1]]]], dtype="float32")
    places = np.array([[-0.9, 0.3], [1.7, -1.3], [0.2, 0.1]], dtype="float32")
    (found,) = compiled(
        ['(1, 1, 3, 3), "float32"', '(1, 2, 1, 3), "float32"'],
        f'R.image.grid_sample(a, b, method="{method}", padding_mode="{padding}", align_corners={corners})',
    )(image, places.T.reshape(1, 2, 1, 3).copy())
    np.testing.assert_allclose(found.reshape(-1), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("mask", ["None", '"TopLeft"', '"BottomRight"'])
def test_attention_within_sequences(mask: str) -> None:
    starts_q, starts_k = np.array([0, 2, 5], "int32"), np.array([0, 3, 7], "int32")
    q, k, v = (RNG.standard_normal((1, n, 2, 4)).astype("float32") for n in (5, 7, 7))
    expected = np.zeros((1, 5, 2, 4))
    for s in range(2):
        rows, columns = slice(*starts_q[s : s + 2]), slice(*starts_k[s : s + 2])
        scores = np.einsum("qhd,khd->hqk", q[0, rows], k[0, columns]) / 2
        r, c = scores.shape[1:]
        place = np.arange(r)[:, None] + (c - r if "Bottom" in mask else 0)
        if mask != "None":
            scores = np.where(place >= np.arange(c), scores, -np.inf)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        expected[0, rows] = np.einsum("hqk,khd->qhd", weights, v[0, columns])
    (found,) = compiled(
        [f'{t.shape}, "float32"' for t in (q, k, v)] + ['(3,), "int32"', '(1,), "int32"'] * 2,
        f"R.nn.attention_var_len(a, b, c, d, e, f, g, causal_mask={mask})",
    )(q, k, v, starts_q, np.array([3], "int32"), starts_k, np.array([4], "int32"))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
