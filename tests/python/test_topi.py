"""Operators of `topi` compute what upstream documents."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat import relax, te, tirx, topi

RANDOM = np.random.default_rng(0)
A, B = (RANDOM.uniform(-1, 1, shape).astype("float32") for shape in ((2, 3, 4), (2, 5, 4)))
COLUMN = A[0, :, :1]
IMAGE, FILTER = (RANDOM.uniform(-1, 1, shape).astype("float32") for shape in ((1, 3, 6, 6), (4, 3, 3, 3)))


def run(function: Callable[..., Any], *inputs: np.ndarray) -> np.ndarray:
    """Evaluates a function on tensor expressions."""
    builder = relax.BlockBuilder()
    params = [relax.Var(f"a{i}", relax.TensorType(v.shape, str(v.dtype))) for i, v in enumerate(inputs)]
    with builder.function("main", params):
        builder.emit_func_output(builder.emit_te(function, *params))
    return np.asarray(sunmao.evaluate(builder.get().__sunmao_module__(), *inputs))


def windows(image: np.ndarray, size: int, stride: int) -> np.ndarray:
    """The windows of the last two axes, as two more axes."""
    found = np.lib.stride_tricks.sliding_window_view(image, (size, size), axis=(-2, -1))
    return found[..., ::stride, ::stride, :, :]


def padded(image: np.ndarray) -> np.ndarray:
    return np.pad(image, [(0, 0), (0, 0), (1, 1), (1, 1)])


def nearest(image: np.ndarray) -> np.ndarray:
    return image.repeat(2, axis=2).repeat(2, axis=3)


WIDTHS = ((0, 1), (2, 0), (3, 2))
BEFORE, AFTER = [0, 2, 3], [1, 0, 2]

CASES: dict[str, tuple[Callable[..., Any], tuple[np.ndarray, ...], np.ndarray]] = {
    "concatenate": (lambda a, b: topi.concatenate((a, b, a), axis=-2), (A, B), np.concatenate((A, B, A), axis=1)),
    "split": (lambda a: topi.split(a, [1], axis=1)[1], (A,), A[:, 1:]),
    "squeeze": (lambda a: topi.squeeze(a), (A[:1, :, :1],), A[0, :, 0]),
    "squeeze of an axis": (lambda a: topi.squeeze(a, axis=0), (A[:1, :, :1],), A[0, :, :1]),
    "broadcast_to": (
        lambda a: topi.broadcast_to(a, (2, 3, 4)),
        (A[0, :, :1],),
        np.broadcast_to(A[0, :, :1], (2, 3, 4)),
    ),
    "triu": (lambda a: topi.trilu(a, tirx.const(1, "int64"), upper=True), (A,), np.triu(A, 1)),
    "tril": (lambda a: topi.trilu(a, tirx.const(-1, "int64"), upper=False), (A,), np.tril(A, -1)),
    "left_shift": (lambda a: topi.left_shift(a, 2), (np.arange(4, dtype="int32"),), np.arange(4, dtype="int32") * 4),
    "sort": (lambda a: topi.sort(a, axis=1, is_ascend=False), (A,), -np.sort(-A, axis=1)),
    "argsort": (lambda a: topi.argsort(a), (A,), A.argsort(-1)),
    "topk": (lambda a: topi.topk(a, k=2, ret_type="values"), (A,), -np.sort(-A)[..., :2]),
    "cumsum": (lambda a: topi.cumsum(a), (A,), A.cumsum()),
    "cumprod": (lambda a: topi.cumprod(a, 2, "float64"), (A,), A.astype("float64").cumprod(2)),
    "exclusive cumsum": (lambda a: topi.cumsum(a, 0, exclusive=True), (A,), np.stack([0 * A[0], A[0]])),
    "pad": (
        lambda a: topi.nn.pad(a, BEFORE, AFTER, 2.5),
        (A,),
        np.pad(A, WIDTHS, constant_values=2.5),
    ),
    "pad as much behind": (lambda a: topi.nn.pad(a, [0, 1, 0]), (A,), np.pad(A, [(0, 0), (1, 1), (0, 0)])),
    "replicate_pad": (lambda a: topi.nn.replicate_pad(a, BEFORE, AFTER), (A,), np.pad(A, WIDTHS, "edge")),
    "mirror_pad": (lambda a: topi.nn.mirror_pad(a, BEFORE, AFTER), (A,), np.pad(A, WIDTHS, "symmetric")),
    "mirror_pad without ends": (
        lambda a: topi.nn.mirror_pad(a, BEFORE, AFTER, "REFLECT"),
        (A,),
        np.pad(A, WIDTHS, "reflect"),
    ),
    "dense": (lambda a, b: topi.nn.dense(a, b), (A[0], B[0]), A[0] @ B[0].T),
    "dense with a bias": (lambda a, b, c: topi.nn.dense(a, b, c), (A[0], B[0], B[0, :, 0]), A[0] @ B[0].T + B[0, :, 0]),
    "softmax": (lambda a: topi.nn.softmax(a, axis=1), (A,), np.exp(A) / np.exp(A).sum(1, keepdims=True)),
    "conv2d": (
        lambda a, w: topi.nn.conv2d(a, w, strides=2, padding=1, dilation=1),
        (IMAGE, FILTER),
        np.einsum("nchwij,ocij->nohw", windows(padded(IMAGE), 3, 2), FILTER),
    ),
    "pool2d of maxima": (
        lambda a: topi.nn.pool2d(a, (2, 2), (2, 2), (1, 1), (0, 0, 0, 0), "max"),
        (IMAGE,),
        windows(IMAGE, 2, 2).max((-2, -1)),
    ),
    "pool2d of averages": (
        lambda a: topi.nn.pool2d(a, (3, 3), (1, 1), (1, 1), (1, 1, 1, 1), "avg"),
        (IMAGE,),
        windows(padded(IMAGE), 3, 1).mean((-2, -1)),
    ),
    "upsampling": (lambda a: topi.nn.upsampling(a, 2.0, 2.0), (IMAGE,), nearest(IMAGE)),
}


@pytest.mark.parametrize("name", CASES)
def test_values(name: str) -> None:
    function, inputs, expected = CASES[name]
    np.testing.assert_allclose(run(function, *inputs), expected, rtol=1e-5, atol=1e-6)


REFUSED: dict[str, tuple[Callable[..., Any], str, str]] = {
    "concatenate": (lambda a, b: topi.concatenate((a, b)), "E0309", "sizes differ at dimension 1: 3 and 5"),
    "broadcast_to": (lambda a, _b: topi.broadcast_to(a, (2, 3, 5)), "E0303", "4 does not become 5"),
    "broadcast_to fewer axes": (lambda a, _b: topi.broadcast_to(a, (3, 4)), "E0307", "3 dimensions"),
    "dense": (lambda a, b: topi.nn.dense(a, b), "E0307", "must have 2 dimensions, got 3"),
    "pool2d": (lambda a, _b: topi.nn.pool2d(a, 2, 2, 1, 0, "sum"), "E0034", "`pool_type` is `max` or `avg`, got `sum`"),
    "upsampling": (lambda a, _b: topi.nn.upsampling(a, 2, 2, "NHW", "cubic"), "E0034", "got `cubic`"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_misuse(name: str) -> None:
    function, code, words = REFUSED[name]
    x, y = te.placeholder(A.shape), te.placeholder(B.shape)
    with pytest.raises(sunmao.Error, match=code) as caught:
        function(x, y)
    assert words in str(caught.value)


def test_images_of_symbolic_size_are_not_enlarged() -> None:
    image = te.placeholder((1, 3, tirx.Var("h", "int64"), 6), name="image")
    with pytest.raises(sunmao.Error, match="E0032.*`image` has a symbolic H"):
        topi.nn.upsampling(image, 2, 2)


def test_functions_are_named_after_the_operators() -> None:
    assert [f.__name__ for f in (topi.add, topi.exp, topi.sum, topi.squeeze)] == ["add", "exp", "sum", "squeeze"]
