"""relax.frontend.nn.op: what the ops compute, against NumPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao.compat import te, tirx
from sunmao.compat.relax.frontend import nn
from sunmao.compat.relax.frontend.nn import op, spec
from sunmao.compat.script import tirx as T

Array = np.ndarray[Any, Any]
RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 2, (2, 3, 4)).astype("float32")
Y = RNG.uniform(0.5, 2, (2, 3, 4)).astype("float32")
M = RNG.standard_normal((4, 5)).astype("float32")
ROWS = np.array([1, 0, 3], "int32")


def run(function: Callable[..., Any], *inputs: Array) -> Any:
    """Compiles a function on tensors of `nn`, and returns what it computes."""

    class Model(nn.Module):
        forward = staticmethod(function)

    names = list(function.__code__.co_varnames[: function.__code__.co_argcount])
    args = {name: spec.Tensor(list(x.shape), x.dtype.name) for name, x in zip(names, inputs, strict=True)}
    module, _ = Model().export_tvm({"forward": args})
    return sunmao.compile(module)["forward"](*inputs)


PADDED, FLIPPED = ((0, 0), (1, 0), (0, 2)), [2, 3, 0, 1, 4]
ROUNDED = [0, 1, 1, 2, 2, 3, 3, 3]


def erf(x: Array) -> Array:
    from math import erf as scalar

    return np.vectorize(scalar)(x)


UNARY: list[tuple[Any, Any]] = [
    (lambda x: x + 1 - 2, lambda x: x + 1 - 2),
    (lambda x: 3 - x * 2, lambda x: 3 - x * 2),
    (lambda x: 1 / x / 2, lambda x: 1 / x / 2),
    (lambda x: np.float32(3) - x * np.int64(2), lambda x: 3 - x * 2),
    (lambda x: tirx.IntImm("int64", 3) * x, lambda x: 3 * x),
    (lambda x: -x, lambda x: -x),
    (lambda x: op.exp(op.negative(x)), lambda x: np.exp(-x)),
    (lambda x: op.log(op.sqrt(op.square(x))), lambda x: np.log(x)),
    (lambda x: op.floor(x).maximum(1).minimum(x), lambda x: np.minimum(np.maximum(np.floor(x), 1), x)),
    (lambda x: op.where(x > 1, x, op.zeros([1])), lambda x: np.where(x > 1, x, 0)),
    (lambda x: (x <= 1).astype("float32"), lambda x: (x <= 1).astype("float32")),
    (lambda x: op.where(op.not_equal(op.equal(x, x), x < 1), x, -x), lambda x: np.where(x < 1, -x, x)),
    (lambda x: op.relu(x - 1), lambda x: np.maximum(x - 1, 0)),
    (lambda x: op.relu6(x * 5), lambda x: np.clip(x * 5, 0, 6)),
    (lambda x: op.silu(x), lambda x: x / (1 + np.exp(-x))),
    (lambda x: op.sigmoid(op.tanh(x)), lambda x: 1 / (1 + np.exp(-np.tanh(x)))),
    (lambda x: op.gelu(x), lambda x: x * (1 + erf(x / 2**0.5)) / 2),
    (lambda x: op.gelu(x, "tanh"), lambda x: x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))),
    (lambda x: op.softplus(x, beta=2.0), lambda x: np.log1p(np.exp(2 * x)) / 2),
    (lambda x: op.softmax(x, axis=1), lambda x: np.exp(x) / np.exp(x).sum(1, keepdims=True)),
    (lambda x: op.prelu(x - 1, op.full([3], 0.5)), lambda x: np.where(x < 1, (x - 1) / 2, x - 1)),
    (lambda x: op.sum(x, axis=[1, 2]), lambda x: x.sum((1, 2))),
    (lambda x: op.max(x, axis=0, keepdims=True), lambda x: x.max(0, keepdims=True)),
    (lambda x: op.min(x), lambda x: x.min()),
    (lambda x: op.cumsum(x, axis=1), lambda x: x.cumsum(1)),
    (lambda x: op.cumsum(x, axis=1, exclusive=True), lambda x: x.cumsum(1) - x),
    (lambda x: op.unsqueeze(op.squeeze(op.unsqueeze(x, 0), 0), 3), lambda x: x[..., None]),
    (lambda x: x.reshape(-1, 0, 2), lambda x: x.reshape(-1, 3, 2)),
    (lambda x: x.reshape([6, 4]).permute_dims(1, 0), lambda x: x.reshape(6, 4).T),
    (lambda x: op.permute(op.permute_dims(x), [1, 0, 2]), lambda x: x.T.transpose(1, 0, 2)),
    (lambda x: x.repeat(2, axis=1), lambda x: x.repeat(2, axis=1)),
    (lambda x: op.concat(op.split(x, [1, 3], axis=2)[::-1], dim=2), lambda x: x[:, :, [3, 1, 2, 0]]),
    (lambda x: op.chunk(x, 2, dim=2)[1], lambda x: x[:, :, 2:]),
    (lambda x: op.broadcast_to(op.sum(x, 0, True), [5, 3, 4]), lambda x: np.tile(x.sum(0), (5, 1, 1))),
    (lambda x: op.pad(x, [0, 0, 1, 0, 0, 2], value=3.0), lambda x: np.pad(x, PADDED, constant_values=3)),
    (lambda x: op.triu(x, 1), lambda x: np.triu(x, 1)),
    (lambda x: x + op.ones([4]) * op.arange(4), lambda x: x + np.arange(4)),
    (lambda x: op.sort(x, descending=True), lambda x: -np.sort(-x)),
    (lambda x: op.argsort(x, axis=1).astype("float32"), lambda x: x.argsort(1)),
    (lambda x: op.topk(x, 2)[0], lambda x: -np.sort(-x)[..., :2]),
    (lambda x: op.topk(x, 1, ret_type="indices", largest=False), lambda x: x.argmin(-1, keepdims=True)),
    (lambda x: op.layer_norm(x, [3, 4]), lambda x: normal(x, (1, 2))),
    (lambda x: op.rms_norm(x, op.full([4], 2), -1), lambda x: 2 * x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-5)),
    (lambda x: op.group_norm(x, 3, None, None), lambda x: normal(x, (2,))),
    (lambda x: op.interpolate(x.reshape(2, 3, 1, 4), scale_factor=[1, 2]), lambda x: x[:, :, None][..., ROUNDED]),
    (lambda x: op.scaled_dot_product_attention(*one_head(x), is_causal=True), lambda x: attention(x, 0.5)),
    (lambda x: op.scaled_dot_product_attention(*one_head(x), is_causal=True, scale=2.0), lambda x: attention(x, 2)),
    (lambda x: op.get_timestep_embedding(x.reshape(24), 5, max_period=100), lambda x: timesteps(x, 1, 100)),
    (lambda x: op.get_timestep_embedding(x.reshape(24), 5, True, 0, 3), lambda x: timesteps(3 * x, 2)[:, FLIPPED]),
]  # fmt: skip


def normal(x: Array, axes: tuple[int, ...]) -> Array:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + 1e-5)


def one_head(x: nn.Tensor) -> list[nn.Tensor]:
    return [x.reshape(2, 3, 1, 4)] * 3


def attention(x: Array, scale: float) -> Array:
    scores = np.where(np.tri(3) > 0, x @ x.transpose(0, 2, 1) * scale, -np.inf)
    shares = np.exp(scores - scores.max(-1, keepdims=True))
    return (shares / shares.sum(-1, keepdims=True) @ x)[:, :, None]


def timesteps(x: Array, divisor: int, period: int = 10000) -> Array:
    x = x.reshape(24, 1)
    angles = x * np.exp(-np.log(period) * np.arange(2) / divisor)
    return np.concatenate([np.sin(angles), np.cos(angles), np.zeros_like(x)], 1)


@pytest.mark.parametrize("i", range(len(UNARY)))
def test_ops_on_one_tensor(i: int) -> None:
    function, expected = UNARY[i]
    np.testing.assert_allclose(run(function, X), expected(X), rtol=1e-4, atol=1e-5)


SEVERAL: list[tuple[Any, Any, tuple[Array, ...]]] = [
    (lambda x, y: op.add(x, y) * op.subtract(x, y), lambda x, y: x**2 - y**2, (X, Y)),
    (lambda x, y: op.multiply(op.divide(x, y), y), lambda x, y: x, (X, Y)),
    (lambda x, y: op.maximum(x, y) - op.minimum(x, y), lambda x, y: abs(x - y), (X, Y)),
    (lambda x, y: op.where(op.greater_equal(x, y), x, y), lambda x, y: np.maximum(x, y), (X, Y)),
    (lambda x, y: op.where(op.less_equal(x, y), x, y), lambda x, y: np.minimum(x, y), (X, Y)),
    (lambda x, m: op.matmul(x, m), lambda x, m: x @ m, (X, M)),
    (lambda m, i: op.take(m, i, axis=0), lambda m, i: m[i], (M, ROWS)),
    (lambda m, i: op.take(m, i, axis=1), lambda m, i: m[:, i], (M, ROWS)),
]


@pytest.mark.parametrize("i", range(len(SEVERAL)))
def test_ops_on_several_tensors(i: int) -> None:
    function, expected, inputs = SEVERAL[i]
    np.testing.assert_allclose(run(function, *inputs), expected(*inputs), rtol=1e-4, atol=1e-5)


def test_products_of_another_dtype() -> None:
    got = run(lambda x, m: op.matmul(x, m, out_dtype="float32"), X[0].astype("float16"), M.astype("float16"))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, X[0].astype("float16").astype("float32") @ M.astype("float16"), rtol=1e-3)


def test_tensor_expressions() -> None:
    def shifted(t: te.Tensor, by: int, factors: dict[str, float]) -> list[te.Tensor]:
        a = te.compute(t.shape, lambda i, j: t[i, j] * factors["a"], name="a")
        return [a, te.compute(t.shape, lambda i, j: t[i, tirx.floormod(j + by, 5)], name="b")]

    def forward(m: nn.Tensor) -> nn.Tensor:
        a, b = op.tensor_expr_op(lambda t: shifted(t, 2, {"a": 3.0}), "shifted", [m])
        return op.concat([a, b], 0)

    np.testing.assert_allclose(run(forward, M), np.concatenate([M * 3, np.roll(M, -2, 1)]), rtol=1e-6)


@T.prim_func(private=True)
def scaled(var_x: T.handle, factor: T.int64, var_y: T.handle):
    n = T.int64()
    x = T.match_buffer(var_x, (n, 5), "float32")
    y = T.match_buffer(var_y, (n, 5), "float32")
    for i, j in T.grid(n, 5):
        with T.sblock("scaled"):
            vi, vj = T.axis.remap("SS", [i, j])
            y[vi, vj] = x[vi, vj] * T.Cast("float32", factor)


@T.prim_func(private=True)
def doubled_in_place(var_x: T.handle):
    n = T.int64()
    x = T.match_buffer(var_x, (n, 5), "float32")
    for i, j in T.grid(n, 5):
        with T.sblock("doubled"):
            vi, vj = T.axis.remap("SS", [i, j])
            x[vi, vj] = x[vi, vj] * T.float32(2)


def test_loop_level_functions() -> None:
    def forward(m: nn.Tensor) -> nn.Tensor:
        tripled = op.tensor_ir_op(
            scaled, "scaled", [m, tirx.IntImm("int64", 3)], nn.Tensor.placeholder([4, 5], "float32")
        )
        return op.tensor_ir_inplace_op(doubled_in_place, "doubled", tripled, 0, tripled)

    np.testing.assert_allclose(run(forward, M), M * 6, rtol=1e-6)
    with pytest.raises(sunmao.Error, match=r"E0034\]: a loop-level function takes tensors"):
        run(lambda m: op.tensor_ir_op(scaled, "scaled", [m, 3], m), M)


PROB = np.array([[0.5, 0.4, 0.1], [0.4, 0.3, 0.3]], "float32")
INDEX = np.array([[2, 1, 0], [2, 0, 1]], "int64")
TOP_P, TOP_K = np.array([[0.6], [0.9]], "float32"), np.array([[3], [2]], "int64")


def test_samples_by_probability() -> None:
    draw = np.array([[0.0], [0.45], [0.95]], "float32")
    rows = np.array([[0], [1], [0]], "int64")
    got = run(lambda p, u, i: op.multinomial_from_uniform(p, u, i), PROB, draw, rows)
    np.testing.assert_array_equal(got, [[0], [1], [2]])
    np.testing.assert_array_equal(run(lambda p, u: op.multinomial_from_uniform(p, u), PROB, draw[:2]), [[0], [1]])
    with pytest.raises(sunmao.Error, match=r"(?s)E0034\].*pass `sample_indices`"):
        run(lambda p, u: op.multinomial_from_uniform(p, u), PROB, draw)


def test_samples_among_the_largest() -> None:
    """Of row 0 two are kept (0.5 and 0.4 reach 0.6), of row 1 two as well (top_k)."""
    draw, rows = np.array([[0.5], [0.6], [0.7]], "float32"), np.array([[0], [1], [1]], "int64")
    function = lambda p, i, tp, tk, u, r: op.sample_top_p_top_k_from_sorted_prob(p, i, tp, tk, u, r)  # noqa: E731
    got = run(function, PROB, INDEX, TOP_P, TOP_K, draw, rows)
    np.testing.assert_array_equal(got, [[2], [0], [0]])
    all_kept = run(function, PROB, INDEX, np.full_like(TOP_P, 2), TOP_K * 9, draw * 0 + 0.999, rows)
    np.testing.assert_array_equal(all_kept, [[0], [1], [1]])
    first = run(function, PROB, INDEX, TOP_P * 0, TOP_K, draw * 0 + 0.999, rows)
    np.testing.assert_array_equal(first, [[2], [2], [2]])


def test_probabilities_of_the_largest() -> None:
    prob = np.array([[0.2, 0.3, 0.5], [0.3, 0.3, 0.4]], "float32")
    ordered = -np.sort(-prob)
    got = run(lambda p, s, tp, tk: op.renormalize_top_p_top_k_prob(p, s, tp, tk), prob, ordered, TOP_P, TOP_K)
    np.testing.assert_allclose(got, [[0, 0.375, 0.625], [0.3, 0.3, 0.4]], rtol=1e-5)
