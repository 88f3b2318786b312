"""Error-prone compositions of ops compute what PyTorch and ONNX specify."""

from typing import Any

import numpy as np
import pytest
import sunmao
from compositions import ONE, REDUCTIONS, ZERO, batch_norm, close, computed, floats, scalar, scatter_reduce
from sunmao import compat as tvm
from sunmao.compat import relax
from sunmao.compat.script import relax as R


def test_batch_norm_keeps_the_unbiased_variance_and_saves_the_inverse_of_the_biased_one() -> None:
    x, (gamma, beta, mean) = floats(2, 3, 4, 4), floats(3, 3, seed=1)
    var = np.abs(floats(3, seed=2)) + 1
    got = computed(batch_norm, x, gamma, beta, mean, var)
    axes = (0, 2, 3)
    invstd = 1 / np.sqrt(x.var(axes) + 1e-3)
    spread = (1, 3, 1, 1)
    normal = (x - x.mean(axes, keepdims=True)) * (invstd * gamma).reshape(spread) + beta.reshape(spread)
    want = [normal, 0.75 * mean + 0.25 * x.mean(axes), 0.75 * var + 0.25 * x.var(axes, ddof=1), x.mean(axes), invstd]
    for a, b in zip(got, want, strict=True):
        close(a, b)


@pytest.mark.parametrize("with_self", [True, False])
@pytest.mark.parametrize("kind", REDUCTIONS)
def test_scatter_reduce_leaves_untouched_places_alone(kind: str, with_self: bool) -> None:
    x, src = floats(3, 2), floats(4, 2, seed=1)
    index = np.array([[0, 2], [0, 2], [1, 2], [0, 2]])
    found = {"sum": np.sum, "prod": np.prod, "mean": np.mean, "amax": np.max, "amin": np.min}[kind]
    want = x.copy()
    for place in np.ndindex(x.shape):
        parts = [src[i, place[1]] for i in range(4) if index[i, place[1]] == place[0]]
        if parts:
            want[place] = found([x[place], *parts] if with_self else parts)
    got = computed(scatter_reduce(kind, with_self), x, index, src)
    close(got, want)


@pytest.mark.parametrize(("p", "axis"), [(1, -1), (2, -1), (1, 0), (2, 1)])
def test_a_normalised_vector_of_zeros_is_one_of_zeros(p: int, axis: int) -> None:
    def compose(x: Any) -> Any:
        size = R.sum(R.abs(x), axis, True) if p == 1 else R.sqrt(R.sum(R.square(x), axis, True))
        return R.divide(x, R.where(R.equal(size, ZERO), ONE, size))

    x = floats(3, 3)
    x[1], x[:, 2] = 0, 0
    size = np.linalg.norm(x, p, axis, keepdims=True)
    close(computed(compose, x), np.divide(x, size, out=np.zeros_like(x), where=size != 0))


def suppressed(is_centred: bool) -> Any:
    def compose(boxes: Any, scores: Any, most: Any, overlap: Any, least: Any) -> Any:
        if is_centred:
            x, y, width, height = (R.split(boxes, 4, axis=2)[i] for i in range(4))
            w, h = R.multiply(width, scalar(0.5)), R.multiply(height, scalar(0.5))
            boxes = R.concat([R.subtract(y, h), R.subtract(x, w), R.add(y, h), R.add(x, w)], axis=2)
        found = R.vision.all_class_non_max_suppression(boxes, scores, most, overlap, least, output_format="onnx")
        end = R.concat([R.astype(found[1], "int64"), relax.const(np.array([3]))], axis=0)
        begin, strides = relax.const(np.array([0, 0])), relax.const(np.array([1, 1]))
        return R.dynamic_strided_slice(found[0], begin, end, strides)

    return compose


def kept_boxes(boxes: np.ndarray, scores: np.ndarray, most: int, overlap: float, least: float) -> list[list[int]]:
    """As the ONNX standard specifies: by batch, class and descending score, without boxes that overlap a kept one by
    more."""
    low, high = np.minimum(boxes[..., :2], boxes[..., 2:]), np.maximum(boxes[..., :2], boxes[..., 2:])
    rows = []
    for n, c in np.ndindex(scores.shape[:2]):
        kept: list[int] = []
        for i in sorted(range(scores.shape[2]), key=lambda k: (-scores[n, c, k], k)):
            sides = [np.maximum(np.minimum(high[n, i], high[n, k]) - np.maximum(low[n, i], low[n, k]), 0) for k in kept]
            areas = [np.prod(high[n, i] - low[n, i]) + np.prod(high[n, k] - low[n, k]) for k in kept]
            is_free = all(np.prod(s) <= overlap * (a - np.prod(s)) for s, a in zip(sides, areas, strict=True))
            if len(kept) < most and scores[n, c, i] > least and is_free:
                kept.append(i)
        rows += [[n, c, i] for i in kept]
    return rows


@pytest.mark.parametrize("is_centred", [False, True])
@pytest.mark.parametrize(
    ("most", "overlap", "least"),
    [(3, 0.4, 0.0), (8, 0.5, 0.5), (0, 0.5, -np.inf), (100, 0.0, -0.5), (8, 1.0, -np.inf), (2, 0.25, 2.0)],
)
def test_boxes_that_stay_are_told_in_the_standards_order(
    is_centred: bool, most: int, overlap: float, least: float
) -> None:
    draw = np.random.default_rng(5)
    low = draw.integers(0, 3, (2, 8, 2))
    boxes = np.concatenate([low, low + draw.integers(1, 3, (2, 8, 2))], 2).astype("float32")
    scores = (draw.integers(-2, 3, (2, 3, 8)) / 2).astype("float32")
    limits = [np.array([most]), np.array([overlap], "float32"), np.array([least], "float32")]
    want = np.array(kept_boxes(boxes, scores, most, overlap, least)).reshape(-1, 3)
    given = boxes.copy()
    given[0, ::2] = boxes[0, ::2][:, [2, 3, 0, 1]]  # corners in either order
    given[1, ::3] = boxes[1, ::3][:, [2, 1, 0, 3]]
    if is_centred:
        middle, side = (boxes[..., 2:] + boxes[..., :2]) / 2, boxes[..., 2:] - boxes[..., :2]
        given = np.concatenate([middle[..., ::-1], side[..., ::-1]], 2)
    got = computed(suppressed(is_centred), given, scores, *limits)
    assert (got.dtype, got.tolist()) == (np.int64, want.tolist())


def test_the_sign_of_what_is_no_number_is_0() -> None:
    x = np.array([np.nan, -2, 0, np.inf], "float32")
    close(computed(lambda x: R.where(R.isnan(x), ZERO, R.sign(x)), x), [0, -1, 0, 1])


def test_a_sum_that_counts_nothing_does_not_read_it() -> None:
    a, b = floats(2, 3), floats(3, 2, seed=1)
    close(computed(lambda a, b: R.multiply(R.matmul(a, b), scalar(2.0)), a, b), 2 * a @ b)
    nothing = np.full((2, 2), np.nan, "float32")
    both = computed(lambda x, a, b: R.add(R.multiply(x, ZERO), R.matmul(a, b)), nothing, a, b)
    assert np.isnan(both).all()  # the composition for non-zero beta reads it


def test_masked_places_are_filled_in_their_order() -> None:
    def compose(x: Any, mask: Any, source: Any) -> Any:
        places = R.subtract(R.cumsum(R.astype(mask, "int64")), scalar(1, "int64"))
        return R.where(mask, R.take(R.reshape(source, [-1]), R.reshape(places, x.ty.shape), axis=0), x)

    x, source, mask = floats(3, 4), floats(2, 6, seed=1), np.random.default_rng(2).random((3, 4)) < 0.5
    want = x.copy()
    want[mask] = source.reshape(-1)[: mask.sum()]
    close(computed(compose, x, mask, source), want)


def test_the_gradient_of_an_embedding_adds_up() -> None:
    def compose(grad: Any, indices: Any) -> Any:
        is_padding = R.expand_dims(R.equal(indices, scalar(4, "int64")), [1])
        given = R.where(is_padding, ZERO, grad)
        return R.scatter_nd(R.zeros([5, 3], "float32"), R.expand_dims(indices, [1]), given, reduction="add")

    grad, indices = floats(4, 3), np.array([1, 0, 1, 4])
    want = np.zeros((5, 3), "float32")
    np.add.at(want, indices[:3], grad[:3])
    close(computed(compose, grad, indices), want)


def test_the_nearest_pixel_is_that_of_the_left_corner() -> None:
    def compose(x: Any) -> Any:
        how = {"coordinate_transformation_mode": "asymmetric", "rounding_method": "floor"}
        return R.image.resize2d(x, (6, 10), method="nearest_neighbor", **how)

    x = floats(1, 2, 3, 4)
    rows, columns = np.arange(6) * 3 // 6, np.arange(10) * 4 // 10
    close(computed(compose, x), x[:, :, rows][:, :, :, columns])


def test_corners_stay_where_they_are_aligned() -> None:
    def compose(x: Any) -> Any:
        return R.image.resize2d(x, (5, 7), method="linear", coordinate_transformation_mode="align_corners")

    x = floats(1, 1, 3, 4)
    got = computed(compose, x)
    close(got[..., ::2, ::2], x)
    close(got[..., 1::2, ::2], (x[:, :, 1:] + x[:, :, :-1]) / 2)


def test_statistics_of_a_normalisation_count_the_epsilon() -> None:
    x = floats(3, 4)
    found = computed(lambda x: R.rsqrt(R.add(R.variance(x, [-1], True), scalar(0.1))), x)
    close(found, 1 / np.sqrt(x.var(-1, keepdims=True) + 0.1))


@pytest.mark.parametrize("order", [0.0, np.inf])
def test_distances_of_the_outermost_orders(order: float) -> None:
    def compose(a: Any, b: Any) -> Any:
        x, y = R.expand_dims(a, [1]), R.expand_dims(b, [0])
        if order == 0:
            return R.sum(R.astype(R.not_equal(x, y), "float32"), -1)
        return R.max(R.abs(R.subtract(x, y)), -1)

    a, b = np.round(floats(3, 4)), np.round(floats(2, 4, seed=1))
    apart = np.abs(a[:, None] - b[None])
    close(computed(compose, a, b), apart.max(-1) if order else (apart != 0).sum(-1))


def test_the_logarithm_of_a_sum_of_nothing_is_infinite() -> None:
    def compose(x: Any) -> Any:
        greatest = R.max(x, [1], True)
        top = R.where(R.isfinite(greatest), greatest, ZERO)
        return R.add(R.log(R.sum(R.exp(R.subtract(x, top)), [1], True)), top)

    x = np.array([[-np.inf, -np.inf], [np.inf, 1], [1, 2], [1000, 1000]], "float32")
    close(computed(compose, x)[:, 0], [-np.inf, np.inf, np.log(np.exp(1) + np.exp(2)), 1000 + np.log(2)])


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_the_last_of_equals(name: str) -> None:
    find = {"argmax": R.argmax, "argmin": R.argmin}[name]
    x = np.array([[1, 3, 3, 1], [2, 2, 1, 2]], "float32")
    got = computed(lambda x: R.subtract(scalar(3, "int64"), find(R.flip(x, 1), 1)), x)
    assert got.tolist() == ([2, 3] if name == "argmax" else [3, 2])


@pytest.mark.parametrize("size", [2, 3])
def test_a_local_response_counts_alpha(size: int) -> None:
    def compose(x: Any) -> Any:
        squares = R.reshape(R.square(x), [2, 1, 4, 9])
        before, after = (size - 1) // 2, size // 2
        pool = {"pool_size": (size, 1), "padding": (before, 0, after, 0), "count_include_pad": True}
        mean = R.reshape(R.nn.avg_pool2d(squares, **pool), [2, 4, 3, 3])
        return R.divide(x, R.power(R.add(scalar(2.0), R.multiply(scalar(0.5), mean)), scalar(0.75)))

    x = floats(2, 4, 3, 3)
    total = np.zeros_like(x)
    for c in range(4):
        total[:, c] = (x[:, max(0, c - (size - 1) // 2) : c + size // 2 + 1] ** 2).sum(1)
    close(computed(compose, x), x / (2 + 0.5 / size * total) ** 0.75)


def test_equal_numbers_are_normalised_to_0() -> None:
    def compose(x: Any) -> Any:
        spread = R.add(R.std(x, [0], True), scalar(1e-9))
        return R.divide(R.subtract(x, R.mean(x, [0], True)), spread)

    close(computed(compose, np.ones((4, 2), "float32")), np.zeros((4, 2)))


def test_a_running_average_of_onnx_has_the_other_momentum() -> None:
    def compose(x: Any, mean: Any, var: Any) -> Any:
        ones = relax.const(np.ones(3, "float32"))
        found = R.nn.batch_norm(x, ones, ones, mean, var, axis=1, momentum=1 - 0.9, training=True)
        return found[1], found[2]

    x, mean, var = floats(4, 3), floats(3, seed=1), np.abs(floats(3, seed=2))
    got = computed(compose, x, mean, var)
    close(got[0], 0.9 * mean + 0.1 * x.mean(0))
    close(got[1], 0.9 * var + 0.1 * x.var(0))


def test_the_range_of_a_dynamic_quantisation_has_0_in_it() -> None:
    def compose(x: Any) -> Any:
        low, high = R.minimum(R.min(x), ZERO), R.maximum(R.max(x), ZERO)
        step = R.divide(R.subtract(high, low), scalar(255.0))
        zero = R.astype(R.clip(R.round(R.divide(R.negative(low), step)), 0, 255), "uint8")
        return R.quantize(x, step, zero, axis=-1, out_dtype="uint8"), step, zero

    x = np.array([1, 2, 3], "float32")
    got = computed(compose, x)
    close(got[1], 3 / 255)
    assert (got[2].item(), got[0].tolist()) == (0, [85, 170, 255])


def test_what_a_condition_chooses_has_a_name_for_its_number() -> None:
    text = """
@R.function
def main(x: R.Tensor((3, 2), "float32"), condition: R.Tensor((3,), "bool")):
    k = T.int64()
    found = R.nonzero(condition)
    named = R.match_cast(found, R.Tensor((1, k), "int64"))
    places = R.reshape(named, R.shape([k]))
    y = R.take(x, places, axis=0)
    return y
"""
    x, condition = floats(3, 2), np.array([True, False, True])
    module = sunmao.parse_module(text)
    close(sunmao.evaluate(module, x, condition), x[condition])
    machine = relax.VirtualMachine(relax.build(tvm.IRModule(module)), tvm.cpu())
    close(machine["main"](x, condition).numpy(), x[condition])
