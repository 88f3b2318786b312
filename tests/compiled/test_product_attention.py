"""Attention as products write it: compiled as one kernel, it equals NumPy and the evaluator."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
import sunmao
from contraction_checks import PAIR_TARGETS
from one_function import module_of
from test_rows import TARGETS, draw, tensor


def attention(
    q: np.ndarray,
    k: np.ndarray,
    v: np.ndarray,
    bias: np.ndarray | float = 0.0,
    mask: np.ndarray | bool = True,
    hidden: float = -np.inf,
) -> np.ndarray:
    scores = np.where(mask, q.astype("f8") @ k.astype("f8") + bias, hidden)
    with np.errstate(invalid="ignore"):
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return np.asarray(weights / weights.sum(-1, keepdims=True) @ v)


def op(arguments: str, **attrs: object) -> list[str]:
    return [f"y = R.nn.product_attention({arguments}{''.join(f', {k}={v}' for k, v in attrs.items())})"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("queries", [1, 8, 15, 16, 17, 33, 70])
@pytest.mark.parametrize("keys", [1, 7, 8, 31, 128, 130, 257, 300])
@pytest.mark.parametrize("width", [16, 21])
def test_at_the_edges_of_blocks(target: str, queries: int, keys: int, width: int) -> None:
    q, k, v = draw((2, queries, width), (2, width, keys), (2, keys, 19))
    params = [tensor(n, x.shape) for n, x in zip("qkv", (q, k, v), strict=True)]
    got = sunmao.compile(module_of(params, op("q, k, v")), target=target)(q, k, v)
    np.testing.assert_allclose(got, attention(q, k, v), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("shape", [(2, 3, 40, 150), (3, 1, 150), (40, 150), (1, 1)])
@pytest.mark.parametrize("hidden", [None, -1e9, 2.0])
def test_bias_and_mask(shape: tuple[int, ...], hidden: float | None, target: str) -> None:
    q, k, v, b = draw((2, 3, 40, 8), (2, 3, 8, 150), (2, 3, 150, 8), shape)
    mask = np.random.default_rng(1).random((2, 1, 40, 150)) < 0.7
    mask[1, 0, 3] = False
    params = [tensor(n, x.shape) for n, x in zip("qkvb", (q, k, v, b), strict=True)]
    params.append(tensor("m", mask.shape, "bool"))
    module = module_of(params, op("q, k, v, b, mask=m", hidden=hidden))
    want = attention(q, k, v, b, mask, -np.inf if hidden is None else hidden)
    assert np.isnan(want[1, :, 3]).all() == (hidden is None)
    got = sunmao.compile(module, target=target)(q, k, v, b, mask)
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("nan_as_zero", [False, True])
@pytest.mark.parametrize("value", [-np.inf, np.inf, np.nan])
@pytest.mark.parametrize("keys", [40, 300])
def test_rows_whose_weights_are_nan(value: float, nan_as_zero: bool, keys: int) -> None:
    q, k, v, b = draw((2, 20, 8), (2, 8, keys), (2, keys, 8), (20, keys))
    b[3], b[7, 5], b[19, keys - 1] = -np.inf, value, value
    params = [tensor(n, x.shape) for n, x in zip("qkvb", (q, k, v, b), strict=True)]
    module = module_of(params, op("q, k, v, b", nan_as_zero=nan_as_zero))
    want = attention(q, k, v, b)
    assert np.isnan(want[:, 3]).all()
    want = np.nan_to_num(want) if nan_as_zero else want
    np.testing.assert_allclose(sunmao.compile(module)(q, k, v, b), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(sunmao.evaluate(module, q, k, v, b), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_dtypes(dtype: str) -> None:
    operands = draw((3, 50, 24), (3, 24, 140), (3, 140, 24))
    casts = [f'{n}1 = R.astype({n}, "{dtype}")' for n in "qkv"]
    body = [*casts, op("q1, k1, v1")[0].replace("y =", "a ="), 'y = R.astype(a, "float64")']
    module = module_of([tensor(n, x.shape) for n, x in zip("qkv", operands, strict=True)], body)
    rtol = {"float16": 2e-3, "bfloat16": 2e-2, "float64": 1e-9}[dtype]
    got, want = sunmao.compile(module)(*operands), sunmao.evaluate(module, *operands)
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol / 10)


@pytest.mark.parametrize("target", PAIR_TARGETS)
@pytest.mark.parametrize(("queries", "keys"), [(8, 1), (15, 8), (33, 31), (70, 129), (16, 300), (40, 513)])
@pytest.mark.parametrize("width", [16, 21])
def test_pairs_of_bfloat16(target: str, queries: int, keys: int, width: int) -> None:
    """Keys by their elements and values by their keys, of which the last has no other beside it."""
    for call, shapes in (
        ("R.nn.product_attention(q1, k1, v1)", ((2, queries, width), (2, width, keys), (2, keys, 19))),
        ("R.nn.attention(q1, k1, v1)", ((2, queries, 3, width), (2, keys, 3, width), (2, keys, 3, 32))),
    ):
        for dtype in (np.dtype("float32"), np.dtype(ml_dtypes.bfloat16)):  # computed in the kernel, or loaded
            operands = [x.astype(dtype) for x in draw(*shapes)]
            casts = [f'{n}1 = R.astype({n}, "bfloat16")' for n in "qkv"]
            params = [tensor(n, x.shape, dtype.name) for n, x in zip("qkv", operands, strict=True)]
            module = module_of(params, [*casts, f"a = {call}", 'y = R.astype(a, "float32")'])
            got = sunmao.compile(module, target=target)(*operands)
            np.testing.assert_allclose(got, sunmao.evaluate(module, *operands), rtol=2e-2, atol=2e-3)


@pytest.mark.parametrize("target", PAIR_TARGETS)
@pytest.mark.parametrize(("queries", "keys"), [(9, 31), (40, 300)])
def test_precision_of_float32(target: str, queries: int, keys: int) -> None:
    """Bias, mask, softmax and result stay float32."""
    q, k, v, b = draw((2, queries, 24), (2, 24, keys), (2, keys, 16), (queries, keys))
    b[2], mask = np.finfo("float32").min, np.random.default_rng(1).random((2, queries, keys)) < 0.7
    params = [tensor(n, x.shape) for n, x in zip("qkvb", (q, k, v, b), strict=True)]
    params.append(tensor("m", mask.shape, "bool"))
    module = module_of(params, op("q, k, v, b, mask=m"))
    narrow = sunmao.run_pass(module, "compute-in-bfloat16")
    assert narrow.script().count("astype(") == 3
    got = np.asarray(sunmao.compile(module, target=target, precision="bfloat16")(q, k, v, b, mask))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, sunmao.evaluate(narrow, q, k, v, b, mask), rtol=2e-2, atol=2e-3)


@pytest.mark.parametrize("keys", [31, 300])
def test_pairs_with_values_that_are_infinite(keys: int) -> None:
    q, k, v = draw((2, 20, 8), (2, 8, keys), (2, keys, 16))
    v[0, keys - 1, 3], v[1, 5, 7] = np.inf, -np.inf
    casts = [f'{n}1 = R.astype({n}, "bfloat16")' for n in "qkv"]
    params = [tensor(n, x.shape) for n, x in zip("qkv", (q, k, v), strict=True)]
    module = module_of(params, [*casts, "a = R.nn.product_attention(q1, k1, v1)", 'y = R.astype(a, "float32")'])
    got = np.asarray(sunmao.compile(module)(q, k, v))
    assert (got[0, :, 3] == np.inf).all() and (got[1, :, 7] == -np.inf).all()
    np.testing.assert_allclose(got, sunmao.evaluate(module, q, k, v), rtol=2e-2, atol=2e-3)


def recognized(params: list[str], body: list[str]) -> sunmao.Module:
    """Returns a module whose products and softmax the compiler takes for attention."""
    module = module_of(params, body)
    normal = sunmao.run_pass(sunmao.run_pass(module, "normalize"), "recognize-attention")
    assert "product_attention" in normal.script()
    return module


def test_sizes_that_a_run_says() -> None:
    params = [tensor("q", '("b", "n", 16)'), tensor("k", '("b", "n", 16)'), tensor("v", '("b", "n", 16)')]
    body = ["s = R.matmul(q, R.permute_dims(k, axes=[0, 2, 1]))", "w = R.nn.softmax(s)", "y = R.matmul(w, v)"]
    model = sunmao.compile(recognized([*params, tensor("m", '("n", "n")')], body))
    for batch, length in [(1, 1), (3, 5), (2, 16), (1, 33), (2, 128), (1, 300), (2, 0)]:
        q, k, v = draw(*3 * [(batch, length, 16)])
        want = attention(q, k.transpose(0, 2, 1), v) if length else q
        np.testing.assert_allclose(model(q, k, v, np.zeros((length, length), "f4")), want, rtol=1e-4, atol=1e-5)


def test_keys_times_a_number_of_a_run() -> None:
    params = [tensor("q", '(2, "n", 16)'), tensor("k", '(2, 16, "n")'), tensor("v", '(2, "n", 16)'), tensor("s", ())]
    model = sunmao.compile(module_of(params, op("q, R.multiply(k, s), v")))
    for length in (1, 33, 300):
        q, k, v = draw((2, length, 16), (2, 16, length), (2, length, 16))
        want = attention(q, 0.5 * k, v)
        np.testing.assert_allclose(model(q, k, v, np.float32(0.5)), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("is_guarded", [False, True])
def test_a_model_with_a_mask_of_each_query(is_guarded: bool, threads: int) -> None:
    q, k, v = draw(*3 * [(1, 512, 6 * 32)])
    mask = np.where(np.tril(np.ones((512, 512), bool)), 0, -np.inf).astype("float32")[None, None]
    mask[..., 9, :] = -np.inf
    split = [f"{n}1 = R.permute_dims(R.reshape({n}, R.shape([1, 512, 6, 32])), axes=[0, 2, 1, 3])" for n in "qkv"]
    scores = ["s = R.matmul(q1, R.permute_dims(k1, axes=[0, 1, 3, 2]))", 's1 = R.divide(s, R.const(4.0, "float32"))']
    weights = ["s2 = R.add(s1, m)", "w = R.nn.softmax(s2)"]
    if is_guarded:
        weights += ["n = R.isnan(w)", 'g = R.where(n, R.const(0.0, "float32"), w)']
    out = [f"a = R.matmul({'g' if is_guarded else 'w'}, v1)", "t = R.permute_dims(a, axes=[0, 2, 1, 3])"]
    body = [*split, *scores, *weights, *out, "y = R.reshape(t, R.shape([1, 512, 192]))"]
    params = [tensor(n, x.shape) for n, x in zip("qkvm", (q, k, v, mask), strict=True)]
    got = sunmao.compile(recognized(params, body), threads=threads)(q, k, v, mask)
    heads = [x.reshape(1, 512, 6, 32).transpose(0, 2, 1, 3) for x in (q, k, v)]
    want = attention(heads[0] / 4, heads[1].transpose(0, 1, 3, 2), heads[2], mask)
    assert np.isnan(want[:, :, 9]).all()
    want = want.transpose(0, 2, 1, 3).reshape(1, 512, 192)
    np.testing.assert_allclose(got, np.nan_to_num(want) if is_guarded else want, rtol=1e-4, atol=1e-5)


def kernel_calls(module: sunmao.Module) -> int:
    """Returns the number of kernels that the function calls after fusion."""
    for name in ("normalize", "recognize-attention", "legalize-ops", "canonicalize-bindings", "fuse-kernels"):
        module = sunmao.run_pass(module, name)
    return module.script().count("call_tir")


def in_heads(name: str, length: int, heads: int, width: int) -> list[str]:
    shape = f"R.shape([2, {length}, {heads}, {width}])"
    return [f"{name}1 = R.reshape({name}, {shape})", f"{name}2 = R.permute_dims({name}1, axes=[0, 2, 1, 3])"]


OUT = ["w = R.nn.softmax(s)", "a = R.matmul(w, v2)", "t = R.permute_dims(a, axes=[0, 2, 1, 3])"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("is_through_views", [False, True])
def test_operands_are_read_before_they_are_moved(is_through_views: bool, target: str) -> None:
    q, k, v = draw((2, 300, 4 * 32), (2, 251, 4 * 32), (2, 251, 4 * 24))
    body = [*in_heads("q", 300, 4, 32), *in_heads("k", 251, 4, 32), *in_heads("v", 251, 4, 24)]
    if is_through_views:
        body += ["k3 = R.reshape(k2, R.shape([8, 251, 32]))", "k4 = R.permute_dims(k3, axes=[0, 2, 1])"]
        body += ["k5 = R.reshape(k4, R.shape([2, 4, 32, 251]))"]
    else:
        body += ["k5 = R.permute_dims(k2, axes=[0, 1, 3, 2])"]
    scores = ["s1 = R.matmul(q2, k5)", 's = R.multiply(s1, R.const(0.25, "float32"))']
    body += [*scores, *OUT, "y = R.reshape(t, R.shape([2, 300, 96]))"]
    params = [tensor(n, x.shape) for n, x in zip("qkv", (q, k, v), strict=True)]
    module = recognized(params, body)
    assert kernel_calls(module) == 1
    heads = [x.reshape(2, x.shape[1], 4, -1).transpose(0, 2, 1, 3) for x in (q, k, v)]
    want = attention(heads[0] / 4, heads[1].transpose(0, 1, 3, 2), heads[2])
    got = sunmao.compile(module, target=target)(q, k, v)
    np.testing.assert_allclose(got, want.transpose(0, 2, 1, 3).reshape(2, 300, 96), rtol=1e-4, atol=1e-5)


def test_operands_of_a_size_that_a_run_says_are_read_before_they_are_moved() -> None:
    body = []
    for n in "qkv":
        body += [f"{n}1 = R.reshape({n}, R.shape([1, n, 4, 32]))", f"{n}2 = R.permute_dims({n}1, axes=[0, 2, 1, 3])"]
    body += ["k3 = R.reshape(k2, R.shape([4, n, 32]))", "k4 = R.permute_dims(k3, axes=[0, 2, 1])"]
    body += ["k5 = R.reshape(k4, R.shape([1, 4, 32, n]))", "s = R.matmul(q2, k5)", *OUT]
    body += ["y = R.reshape(t, R.shape([1, n, 128]))"]
    module = module_of([tensor(n, '(1, "n", 128)') for n in "qkv"], body, symbols=["n"])
    assert kernel_calls(module) == 1
    model = sunmao.compile(module)
    for length in (1, 7, 40, 300):
        q, k, v = draw(*3 * [(1, length, 128)])
        heads = [x.reshape(1, length, 4, 32).transpose(0, 2, 1, 3) for x in (q, k, v)]
        want = attention(heads[0], heads[1].transpose(0, 1, 3, 2), heads[2]).transpose(0, 2, 1, 3)
        np.testing.assert_allclose(model(q, k, v), want.reshape(1, length, 128), rtol=1e-4, atol=1e-5)


def test_keys_of_a_head_for_several_heads_of_queries() -> None:
    q, k, v = draw((1, 6, 256, 16), (1, 2, 256, 16), (1, 2, 256, 16))
    body = []
    for n in "kv":
        wide = f"R.broadcast_to(R.expand_dims({n}, axis=[2]), R.shape([1, 2, 3, 256, 16]))"
        body += [f"{n}1 = {wide}", f"{n}2 = R.reshape({n}1, R.shape([1, 6, 256, 16]))"]
    body += ["t = R.permute_dims(k2, axes=[0, 1, 3, 2])", "s = R.matmul(q, t)", "w = R.nn.softmax(s)"]
    params = [tensor(n, x.shape) for n, x in zip("qkv", (q, k, v), strict=True)]
    module = recognized(params, [*body, "y = R.matmul(w, v2)"])
    assert kernel_calls(module) == 1
    want = attention(q, k.repeat(3, axis=1).transpose(0, 1, 3, 2), v.repeat(3, axis=1))
    np.testing.assert_allclose(sunmao.compile(module)(q, k, v), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("axes", [[0, 2, 3, 1], [3, 0, 1, 2]])
def test_values_that_do_not_lie_side_by_side_are_moved_before(axes: list[int]) -> None:
    shape = [0, 0, 0, 0]
    for place, axis in enumerate(axes):
        shape[axis] = (1, 6, 256, 16)[place]
    q, k, v = draw((1, 6, 256, 16), (1, 6, 16, 256), tuple(shape))
    body = [f"v2 = R.permute_dims(v, axes={axes})", "s = R.matmul(q, k)", "w = R.nn.softmax(s)", "y = R.matmul(w, v2)"]
    params = [tensor(n, x.shape) for n, x in zip("qkv", (q, k, v), strict=True)]
    module = recognized(params, body)
    assert kernel_calls(module) == (2 if axes[3] != 3 else 1)
    np.testing.assert_allclose(
        sunmao.compile(module)(q, k, v), attention(q, k, v.transpose(axes)), rtol=1e-4, atol=1e-5
    )


def test_operands_that_others_read_are_moved_before() -> None:
    q, k, v = draw(*3 * [(2, 300, 4 * 32)])
    body = [*in_heads("q", 300, 4, 32), *in_heads("k", 300, 4, 32), *in_heads("v", 300, 4, 32)]
    body += ["k5 = R.permute_dims(k2, axes=[0, 1, 3, 2])", "s = R.matmul(q2, k5)", *OUT, "y = (t, v2, k5)"]
    params = [tensor(n, x.shape) for n, x in zip("qkv", (q, k, v), strict=True)]
    module = recognized(params, body)
    assert kernel_calls(module) == 4
    heads = [x.reshape(2, 300, 4, 32).transpose(0, 2, 1, 3) for x in (q, k, v)]
    got = sunmao.compile(module)(q, k, v)
    want = attention(heads[0], heads[1].transpose(0, 1, 3, 2), heads[2])
    np.testing.assert_allclose(got[0], want.transpose(0, 2, 1, 3), rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(got[1], heads[2])
    np.testing.assert_array_equal(got[2], heads[1].transpose(0, 1, 3, 2))
