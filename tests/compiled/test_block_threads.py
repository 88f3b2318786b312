"""Kernels that no family takes give what the evaluator gives, on threads too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sunmao
from one_function import module_of

RANDOM = np.random.default_rng(3)


def check(arrays: dict[str, Any], call: str, threads: int) -> None:
    params = [f'{n}: R.Tensor({a.shape}, "{a.dtype}")' for n, a in arrays.items()]
    module = module_of(params, [f"y = {call}"])
    want = sunmao.evaluate(module, *arrays.values())
    got = sunmao.compile(module, threads=threads)(*arrays.values())
    pairs = zip(got, want, strict=True) if isinstance(want, (tuple, list)) else [(got, want)]
    for a, b in pairs:
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-4, atol=2e-4)


def floats(*shape: int) -> Any:
    return RANDOM.standard_normal(shape).astype("f4")


def places(size: int, *shape: int) -> Any:
    return RANDOM.integers(-size, size, shape)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "call", ["R.sort(x, axis=-1)", "R.sort(x, axis=0)", "R.topk(x, k=3, axis=1)", "R.cumsum(x, axis=1)", "R.argsort(x)"]
)
def test_rows_in_order(call: str, threads: int) -> None:
    check({"x": floats(70, 300)}, call, threads)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("reduction", ["update", "add", "mul", "mean", "min", "max"])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_scattered_elements(axis: int, reduction: str, threads: int) -> None:
    call = f'R.scatter_elements(x, i, u, axis={axis}, reduction="{reduction}")'
    for last in (1, 63, 64, 65, 130):
        shape = [9, 11, last]
        few = [5, 4, max(1, last - 3)]
        check({"x": floats(*shape), "i": places(shape[axis], *few), "u": floats(*few)}, call, threads)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("length", [1, 2, 3])
def test_scattered_rows(length: int, threads: int) -> None:
    for last in (1, 64, 200):
        x = floats(7, 6, last)
        i = np.stack([places(size, 900) for size in x.shape[:length]], axis=-1)
        u = floats(900, *x.shape[length:])
        check({"x": x, "i": i, "u": u}, 'R.scatter_nd(x, i, u, reduction="add")', threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_put_in_places(threads: int) -> None:
    x, i, j = floats(7, 6, 70), places(7, 50), places(6, 4, 1)
    check({"x": x, "i": i, "v": floats(50, 6, 70)}, "R.index_put(x, (i,), v, accumulate=True)", threads)
    check({"x": x, "i": i, "j": j, "v": floats(70)}, "R.index_put(x, (i, j), v)", threads)
