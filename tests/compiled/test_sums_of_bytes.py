"""Sums over the lanes of a vector of products and differences of bytes: instruction selection has forms of its own for
these."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sunmao
from contraction_checks import TARGETS
from one_function import module_of

RANDOM = np.random.default_rng(13)
SIZES = [8, 12, 16, 32, 64, 100]
WIDENED = ['c = R.astype(a, "int32")', 'd = R.astype(b, "int32")']


def check(last: str, dtypes: tuple[str, str], wanted: Callable[[Any, Any], Any], target: str) -> None:
    for n in SIZES:
        limits = [np.iinfo(t) for t in dtypes]
        a, b = (RANDOM.integers(i.min, i.max + 1, (3, n)).astype(t) for i, t in zip(limits, dtypes, strict=True))
        params = [f'{name}: R.Tensor((3, {n}), "{t}")' for name, t in zip("ab", dtypes, strict=True)]
        model = sunmao.compile(module_of(params, [*WIDENED, last], inputs=2), target=target)
        np.testing.assert_array_equal(np.asarray(model(a, b)), wanted(a.astype("int32"), b.astype("int32")))


@pytest.mark.parametrize("target", [*TARGETS, "host"])  # which may have dot products of bytes
@pytest.mark.parametrize("dtypes", [("uint8", "int8"), ("int8", "uint8"), ("uint8", "uint8"), ("int8", "int8")])
def test_sums_of_products(dtypes: tuple[str, str], target: str) -> None:
    check("y = R.sum(R.multiply(c, d), axis=[1])", dtypes, lambda a, b: (a * b).sum(1), target)


@pytest.mark.parametrize("target", [*TARGETS, "host"])
@pytest.mark.parametrize("dtypes", [("uint8", "uint8"), ("int8", "int8")])
def test_sums_of_distances(dtypes: tuple[str, str], target: str) -> None:
    check("y = R.sum(R.abs(R.subtract(c, d)), axis=[1])", dtypes, lambda a, b: np.abs(a - b).sum(1), target)


@pytest.mark.parametrize("target", [*TARGETS, "host"])
def test_one_column(target: str) -> None:
    for n in SIZES:
        a, b = RANDOM.integers(0, 256, (1, n)).astype("uint8"), RANDOM.integers(-128, 128, (n, 1)).astype("int8")
        params = [f'a: R.Tensor((1, {n}), "uint8")', f'b: R.Tensor(({n}, 1), "int8")']
        module = module_of(params, ['y = R.matmul(a, b, out_dtype="int32")'], inputs=2)
        got = np.asarray(sunmao.compile(module, target=target)(a, b))
        np.testing.assert_array_equal(got, a.astype("int32") @ b.astype("int32"))
