"""Products of integers, and what they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import sunmao
from one_function import module_of


def some(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    """Returns numbers of which many are the least and the greatest."""
    random, limits = np.random.default_rng(seed), np.iinfo(dtype)
    numbers = random.integers(limits.min, limits.max + 1, shape)
    return np.where(random.random(shape) < 0.3, random.choice([limits.min, limits.max], shape), numbers).astype(dtype)


def product(
    x: Any, w: Any, prepared: bool = True, call: str = "R.matmul(x, w, out_dtype='int32')", **options: Any
) -> Any:
    params = [f'x: R.Tensor({x.shape}, "{x.dtype}")', f'w: R.Tensor({w.shape}, "{w.dtype}")']
    module = module_of(params, [f"y = {call}"], inputs=1 if prepared else 2)
    if prepared:
        return np.asarray(sunmao.compile(module, weights={"w": w}, **options)(x))
    return np.asarray(sunmao.compile(module, **options)(x, w))


def wide(x: Any, w: Any) -> Any:
    return x.astype("int32") @ w.astype("int32")
