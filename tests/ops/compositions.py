"""Evaluates and compiles compositions of ops that front ends rely on."""

from collections.abc import Callable
from typing import Any

import numpy as np
import sunmao
from sunmao import compat as tvm
from sunmao.compat import relax
from sunmao.compat.script import relax as R


def scalar(value: float | bool, dtype: str = "float32") -> Any:
    return relax.const(value, dtype)


def computed(compose: Callable[..., Any], *arrays: np.ndarray) -> Any:
    """Returns the result of the composition for these arrays, by the evaluator; the compiled program must agree."""
    builder = relax.BlockBuilder()
    params = [relax.Var(f"x{i}", R.Tensor(a.shape, a.dtype.name)) for i, a in enumerate(arrays)]
    with builder.function("main", params):
        found = compose(*params)
        fields = found if isinstance(found, tuple) else (found,)
        results = [builder.emit(field) for field in fields]
        builder.emit_func_output(builder.emit(relax.Tuple(results)))
    module = builder.get()
    evaluated = sunmao.evaluate(module, *arrays)
    machine = relax.VirtualMachine(relax.build(module), tvm.cpu())
    for want, got in zip(evaluated, machine["main"](*arrays), strict=True):
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-5, atol=1e-6)
    return evaluated if isinstance(found, tuple) else evaluated[0]


ZERO, ONE = scalar(0.0), scalar(1.0)


def floats(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype("float32")


def close(got: np.ndarray, want: Any) -> None:
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def batch_norm(x: Any, gamma: Any, beta: Any, mean: Any, var: Any) -> Any:
    """`_native_batch_norm_legit` with momentum 0.25 and eps 1e-3, for 32 elements per channel."""
    normal = R.nn.batch_norm(x, gamma, beta, mean, var, axis=1, epsilon=1e-3, momentum=0.25, training=True)
    biased = R.variance(x, [0, 2, 3])
    kept = R.add(R.multiply(var, scalar(0.75)), R.multiply(biased, scalar(0.25 * 32 / 31)))
    return normal[0], normal[1], kept, R.mean(x, [0, 2, 3]), R.rsqrt(R.add(biased, scalar(1e-3)))


REDUCTIONS = {"sum": "add", "prod": "mul", "mean": "mean", "amax": "max", "amin": "min"}
NEUTRAL = {"sum": 0.0, "prod": 1.0, "mean": 0.0, "amax": -np.inf, "amin": np.inf}


def scatter_reduce(kind: str, with_self: bool) -> Any:
    def compose(x: Any, index: Any, src: Any) -> Any:
        if with_self:
            return R.scatter_elements(x, index, src, axis=0, reduction=REDUCTIONS[kind])
        start = R.scatter_elements(x, index, R.full_like(src, scalar(NEUTRAL[kind])), axis=0)
        if kind != "mean":
            return R.scatter_elements(start, index, src, axis=0, reduction=REDUCTIONS[kind])
        count = R.scatter_elements(R.zeros_like(x), index, R.ones_like(src), axis=0, reduction="add")
        return R.divide(R.scatter_elements(start, index, src, axis=0, reduction="add"), R.maximum(count, ONE))

    return compose
