"""Softmax, norms and attention at the edges of rows, blocks and panels equal NumPy and the evaluator."""

from __future__ import annotations

import numpy as np
import pytest
import sunmao
from one_function import module_of

HOST = sunmao.compile(module_of(['x: R.Tensor((1,), "float32")'], ["y = R.negative(x)"])).isa
TARGETS = [t for t in ("x86-64-v2", "x86-64-v3", "x86-64-v4") if t <= HOST]


def draw(*shapes: tuple[int, ...], dtype: str = "float32") -> list[np.ndarray]:
    random = np.random.default_rng(sum(sum(s) for s in shapes))
    return [random.standard_normal(s).astype(dtype) for s in shapes]


def tensor(name: str, shape: tuple[int, ...] | str, dtype: str = "float32") -> str:
    return f'{name}: R.Tensor({shape}, "{dtype}")'


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    e = np.exp(x - x.max(axis, keepdims=True))
    return np.asarray(e / e.sum(axis, keepdims=True))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("length", [1, 2, 7, 15, 16, 17, 31, 33, 63, 64, 65, 100, 1500])
def test_softmax_along_the_last_axis(target: str, length: int) -> None:
    (x,) = draw((3, 5, length))
    module = module_of([tensor("x", x.shape)], ["y = R.nn.softmax(x, axis=-1)"])
    got = sunmao.compile(module, target=target)(x)
    np.testing.assert_allclose(got, softmax(x.astype("f8"), -1), rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("length", [1, 5, 16, 49, 64, 65, 300, 1024])
def test_softmax_of_rows_with_special_numbers(target: str, length: int) -> None:
    (x,) = draw((12, length))
    for row, special in enumerate([np.nan, np.inf, -np.inf, 3e38, -3e38, 1e-40]):
        x[2 * row, length - 1] = special  # the last element of some rows, all elements of others
        x[2 * row + 1] = special
    module = module_of([tensor("x", x.shape)], ["y = R.nn.softmax(x, axis=-1)"])
    got = sunmao.compile(module, target=target)(x)
    np.testing.assert_allclose(got, sunmao.evaluate(module, x), rtol=2e-6, atol=1e-7)
    assert np.isnan(got[[0, 1, 2, 3, 5]]).all(1).all()


@pytest.mark.part(2)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("length", [2, 15, 17, 31, 32, 33, 48, 49, 50, 64, 127, 128, 129])
@pytest.mark.parametrize("rows", [1, 3, 4, 7, 2000])
def test_short_rows(rows: int, length: int, target: str) -> None:
    x, mask = draw((2, rows, length), (rows, length))
    x[-1, -1, -1], x[0, rows // 2, :] = np.nan, -np.inf
    body = [
        "t = R.nn.softmax(R.add(x, m), axis=-1)",
        "y = (t, R.nn.rms_norm(x, R.ones((LENGTH,), 'float32'), axes=[-1]))",
    ]
    module = module_of(
        [tensor("x", x.shape), tensor("m", mask.shape)], [line.replace("LENGTH", str(length)) for line in body]
    )
    got, want = sunmao.compile(module, target=target, threads=2)(x, mask), sunmao.evaluate(module, x, mask)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=2e-5, atol=1e-7)


def test_short_rows_of_a_number_that_a_run_says() -> None:
    model = sunmao.compile(module_of([tensor("x", '("n", "m", 49)')], ["y = R.nn.softmax(x, axis=-1)"]))
    for shape in [(0, 3, 49), (1, 1, 49), (2, 3, 49), (5, 1, 49), (30, 100, 49)]:
        (x,) = draw(shape)
        np.testing.assert_allclose(model(x), softmax(x.astype("f8"), -1), rtol=2e-6, atol=1e-7)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("length", [3, 16, 65, 300])
def test_a_maximum_finds_nan_wherever_it_stands(target: str, length: int) -> None:
    (x,) = draw((length, length))
    np.fill_diagonal(x, np.nan)
    body = ["t = R.multiply(x, R.max(x, axis=[-1], keepdims=True))", "y = R.min(t, axis=[-1])"]
    got = sunmao.compile(module_of([tensor("x", x.shape)], body), target=target)(x)
    assert np.isnan(got).all()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("shape", [(4, 3, 5), (6, 70, 255), (2, 5, 256), (3, 9, 257), (2, 130, 1030), (70000, 1, 3)])
@pytest.mark.parametrize("op", ["softmax", "log_softmax"])
def test_softmax_along_each_axis(op: str, shape: tuple[int, ...], axis: int, threads: int) -> None:
    (x,) = draw(shape)
    want = softmax(x.astype("f8"), axis)
    got = sunmao.compile(module_of([tensor("x", shape)], [f"y = R.nn.{op}(x, axis={axis})"]), threads=threads)(x)
    np.testing.assert_allclose(got, np.log(want) if op == "log_softmax" else want, rtol=1e-5, atol=2e-6)


def test_rows_of_a_size_that_a_run_says() -> None:
    model = sunmao.compile(module_of([tensor("x", '("n", "m")')], ["y = R.nn.softmax(x, axis=-1)"]))
    across = sunmao.compile(module_of([tensor("x", '("n", "m")')], ["y = R.nn.softmax(x, axis=0)"]))
    for shape in [(1, 1), (3, 17), (200, 300), (5, 5000), (1, 40000)]:
        (x,) = draw(shape)
        np.testing.assert_allclose(model(x), softmax(x.astype("f8"), -1), rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(across(x), softmax(x.astype("f8"), 0), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    "op",
    ["R.nn.softmax(R.multiply(x, s))", "R.sum(R.multiply(x, s), axis=[0])", "R.sum(R.multiply(s, x), axis=[1])"],
)
def test_rows_times_a_number_of_a_run(op: str) -> None:
    x, s = draw((64, 4096), ())
    module = module_of([tensor("x", x.shape), tensor("s", ())], [f"y = {op}"])
    np.testing.assert_allclose(sunmao.compile(module)(x, s), sunmao.evaluate(module, x, s), rtol=1e-4, atol=1e-4)


def test_a_row_that_is_read_and_used_twice() -> None:
    (x,) = draw((40, 33))
    body = ["s = R.nn.softmax(x, axis=-1)", "t = R.multiply(s, x)", "y = R.add(t, R.sum(t, axis=[-1], keepdims=True))"]
    want = softmax(x.astype("f8"), -1) * x
    got = sunmao.compile(module_of([tensor("x", x.shape)], body))(x)
    np.testing.assert_allclose(got, want + want.sum(-1, keepdims=True), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(2, 3, 1), (5, 6, 31), (1, 3, 768), (300, 2, 65), (2, 1, 20000)])
@pytest.mark.parametrize("axes", [[-1], [1, 2]])
@pytest.mark.parametrize("op", ["layer_norm", "rms_norm"])
def test_norms_along_the_last_axes(op: str, axes: list[int], shape: tuple[int, ...], target: str) -> None:
    x, gamma, beta = draw(shape, shape[axes[0] :], shape[axes[0] :])
    wide, along = x.astype("f8"), tuple(axes)
    params, args = [tensor("x", shape), tensor("g", gamma.shape)], [x, gamma]
    if op == "layer_norm":
        params, args = [*params, tensor("b", beta.shape)], [*args, beta]
        off = wide - wide.mean(along, keepdims=True)
    else:
        off, beta = wide, np.zeros_like(beta)
    call = f"R.nn.{op}(x, g, b, axes={axes})" if op == "layer_norm" else f"R.nn.{op}(x, g, axes={axes})"
    want = off / np.sqrt((off**2).mean(along, keepdims=True) + 1e-5) * gamma + beta
    got = sunmao.compile(module_of(params, [f"y = {call}"]), target=target)(*args)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("groups", [1, 2, 5, 10])
@pytest.mark.parametrize("size", [(1, 1), (3, 5), (16, 16), (7, 33)])
@pytest.mark.parametrize("is_last", [False, True])
def test_group_norms(is_last: bool, size: tuple[int, int], groups: int, target: str) -> None:
    x, gamma, beta = draw((2, 10, *size), (10,), (10,))
    grouped = x.astype("f8").reshape(2, groups, -1)
    off = grouped - grouped.mean(-1, keepdims=True)
    want = (off / np.sqrt((off**2).mean(-1, keepdims=True) + 1e-5)).reshape(x.shape)
    want = want * gamma[:, None, None] + beta[:, None, None]
    given = np.ascontiguousarray(x.transpose(0, 2, 3, 1)) if is_last else x
    where = "channel_axis=3, axes=[1, 2]" if is_last else "channel_axis=1, axes=[2, 3]"
    params = [tensor("x", given.shape), tensor("g", (10,)), tensor("b", (10,))]
    body = [f"y = R.nn.group_norm(x, g, b, num_groups={groups}, {where})"]
    got = sunmao.compile(module_of(params, body), target=target)(given, gamma, beta)
    np.testing.assert_allclose(got, want.transpose(0, 2, 3, 1) if is_last else want, rtol=1e-4, atol=1e-5)


def attention(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, bias: np.ndarray | None, seen: np.ndarray | None
) -> np.ndarray:
    scores = np.einsum("bqhd,bkhd->bhqk", q.astype("f8"), k.astype("f8")) / np.sqrt(q.shape[3])
    if bias is not None:
        scores = scores + bias
    if seen is not None:
        scores = np.where(seen, scores, -np.inf)
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(top), 0, top))
    total = weights.sum(-1, keepdims=True)
    weights = np.where(total == 0, 0, weights / np.where(total == 0, 1, total))
    return np.asarray(np.einsum("bhqk,bkhc->bqhc", weights, v.astype("f8")))


@pytest.mark.part(3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("queries", [1, 2, 8, 9, 15, 16, 17, 32, 33, 47, 64, 100, 197])
@pytest.mark.parametrize("keys", [1, 7, 8, 31, 127, 128, 129, 256, 257, 300])
def test_attention_at_the_edges_of_blocks(target: str, queries: int, keys: int) -> None:
    q, k, v = draw((1, queries, 2, 16), (1, keys, 2, 16), (1, keys, 2, 19))
    params = [tensor("q", q.shape), tensor("k", k.shape), tensor("v", v.shape)]
    got = sunmao.compile(module_of(params, ["y = R.nn.attention(q, k, v)"]), target=target)(q, k, v)
    np.testing.assert_allclose(got, attention(q, k, v, None, None), rtol=1e-4, atol=1e-5)


@pytest.mark.part(3)
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize(("width", "values"), [(1, 1), (3, 5), (64, 64), (72, 96), (128, 128), (256, 40), (300, 20)])
def test_attention_of_widths_and_types(width: int, values: int, dtype: str, threads: int) -> None:
    operands = draw((2, 50, 3, width), (2, 140, 3, width), (2, 140, 3, values))
    params = [tensor(n, x.shape) for n, x in zip("qkv", operands, strict=True)]
    casts = [f'{n}1 = R.astype({n}, "{dtype}")' for n in "qkv"]
    body = [*casts, "a = R.nn.attention(q1, k1, v1)", 'y = R.astype(a, "float64")']
    module = module_of(params, body)
    got, want = sunmao.compile(module, threads=threads)(*operands), sunmao.evaluate(module, *operands)
    rtol = {"float32": 1e-4, "float16": 2e-3, "bfloat16": 2e-2, "float64": 1e-9}[dtype]
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol / 10)


@pytest.mark.parametrize("mask", ["TopLeft", "BottomRight"])
@pytest.mark.parametrize("window", [None, 1, 30])
@pytest.mark.parametrize(("queries", "keys"), [(20, 20), (40, 300), (300, 40), (290, 290)])
@pytest.mark.parametrize("target", TARGETS)
def test_attention_of_what_a_query_sees(target: str, queries: int, keys: int, window: int | None, mask: str) -> None:
    q, k, v = draw((1, queries, 2, 8), (1, keys, 2, 8), (1, keys, 2, 8))
    place = np.arange(queries)[:, None] + (keys - queries if mask == "BottomRight" else 0)
    seen = place >= np.arange(keys)
    if window is not None:
        seen &= place - np.arange(keys) < window
    params = [tensor("q", q.shape), tensor("k", k.shape), tensor("v", v.shape)]
    body = [f'y = R.nn.attention(q, k, v, causal_mask="{mask}", window_size={window})']
    got = sunmao.compile(module_of(params, body), target=target)(q, k, v)
    np.testing.assert_allclose(got, attention(q, k, v, None, seen), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("bias", [(2, 3, 49, 150), (1, 3, 49, 150), (1, 1, 49, 150), (2, 1, 1, 150)])
@pytest.mark.parametrize("target", TARGETS)
def test_attention_with_a_bias(target: str, bias: tuple[int, ...]) -> None:
    q, k, v, b = draw((2, 49, 3, 8), (2, 150, 3, 8), (2, 150, 3, 8), bias)
    b[..., -20:] = -np.inf  # keys that no query sees, and in the first head of all no query sees the first half
    b[0, 0, :, :75] = -np.inf
    params = [tensor(n, x.shape) for n, x in zip("qkvb", (q, k, v, b), strict=True)]
    got = sunmao.compile(module_of(params, ["y = R.nn.attention(q, k, v, b)"]), target=target)(q, k, v, b)
    np.testing.assert_allclose(got, attention(q, k, v, b, None), rtol=1e-4, atol=1e-5)


def test_attention_where_nothing_is_seen_is_zero() -> None:
    q, k, v = draw((1, 40, 2, 8), (1, 300, 2, 8), (1, 300, 2, 8))
    b = np.full((1, 1, 40, 300), -np.inf, "float32")
    params = [tensor(n, x.shape) for n, x in zip("qkvb", (q, k, v, b), strict=True)]
    got = sunmao.compile(module_of(params, ["y = R.nn.attention(q, k, v, b)"]))(q, k, v, b)
    np.testing.assert_array_equal(got, np.zeros_like(q))


@pytest.fixture(scope="module")
def any_length() -> sunmao.Model:
    params = [tensor("q", '(1, "n", 2, 16)'), tensor("k", '(1, "m", 2, 16)'), tensor("v", '(1, "m", 2, 16)')]
    model: sunmao.Model = sunmao.compile(module_of(params, ["y = R.nn.attention(q, k, v)"]))
    return model


@pytest.mark.parametrize("queries", [1, 5, 32, 33, 300])
@pytest.mark.parametrize("keys", [1, 8, 9, 128, 130, 700])
def test_attention_of_lengths_that_a_run_says(any_length: sunmao.Model, queries: int, keys: int) -> None:
    q, k, v = draw((1, queries, 2, 16), (1, keys, 2, 16), (1, keys, 2, 16))
    np.testing.assert_allclose(any_length(q, k, v), attention(q, k, v, None, None), rtol=1e-4, atol=1e-5)
