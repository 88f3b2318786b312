"""Random numbers of compiled code: those of the evaluator, on any number of threads; and how random they are."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import random_checks as checks
import sunmao
from one_function import module_of

COUNT = 1 << 15
BITS = 62
CALLS = {
    "words": f"R.random.integers(s, R.shape([{COUNT}]), 0, {1 << BITS})",
    "shares": f'R.random.uniform(s, R.shape([{COUNT}]), dtype="float64")',
    "normal": f'R.random.normal(s, R.shape([{COUNT}]), dtype="float64")',
}
SEEDS = [0, 1, 2, 3, 12345, -1, 1 << 32, -(1 << 63)]


def program(call: str) -> sunmao.Module:
    return module_of(['s: R.Tensor((), "int64")'], [f"y = {call}"])


@functools.cache
def model(kind: str) -> Any:
    return sunmao.compile(program(CALLS[kind]), threads=1)


@functools.cache
def drawn(kind: str, seed: int) -> Any:
    return model(kind)(np.array(seed))


def of_call(call: str, seed: int, **options: Any) -> Any:
    return sunmao.compile(program(call), **options)(np.array(seed))


SHAPE = "R.shape([7, 301, 5])"
EXACT = [
    *(f'R.random.uniform(s, {SHAPE}, dtype="{d}")' for d in ("float32", "float64", "float16", "bfloat16")),
    *(f'R.random.integers(s, {SHAPE}, -7, {end}, "{d}")' for end, d in ((100, "int8"), (1 << 40, "int64"))),
]
ROUNDED = [
    f'R.random.{op}(s, {SHAPE}, -2.0, 3.0, "{d}")' for op in ("uniform", "normal") for d in ("float32", "float64")
]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("call", EXACT)
def test_equal_bit_by_bit_to_the_evaluator(call: str, opt_level: int, threads: int) -> None:
    want = sunmao.evaluate(program(call), np.array(-5))
    got = of_call(call, -5, opt_level=opt_level, threads=threads)
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("call", ROUNDED)
def test_equal_to_the_evaluator_but_for_rounding(call: str, opt_level: int) -> None:
    want = sunmao.evaluate(program(call), np.array(77))
    one, two = (of_call(call, 77, opt_level=opt_level, threads=threads) for threads in (1, 2))
    np.testing.assert_array_equal(one, two)
    unit = 2**-20 if "float32" in call else 2**-48
    np.testing.assert_allclose(one, want, rtol=unit, atol=4 * unit)


@pytest.mark.parametrize("seed", SEEDS)
def test_bits(seed: int) -> None:
    words = drawn("words", seed)
    assert len(np.unique(words)) == COUNT
    assert checks.share_of_ones(words, BITS) < checks.LIMIT
    assert checks.agreement_of_bits(words, BITS) < checks.LIMIT
    assert checks.bytes_of_words(words, BITS) < checks.LIMIT


@pytest.mark.parametrize("seed", SEEDS)
def test_neighbouring_places(seed: int) -> None:
    words, shares = drawn("words", seed), drawn("shares", seed)
    assert checks.share_of_ones(words[1:] ^ words[:-1], BITS) < checks.LIMIT
    for lag in (1, 2, 7, 64):
        assert checks.pairs(shares, lag) < checks.LIMIT
        assert checks.correlation(shares[:-lag], shares[lag:]) < checks.LIMIT


@pytest.mark.parametrize("seed", SEEDS)
def test_neighbouring_seeds(seed: int) -> None:
    other = seed + 1
    words, others = drawn("words", seed), drawn("words", other)
    assert checks.share_of_ones(words ^ others, BITS) < checks.LIMIT
    assert not np.intersect1d(words, others).size
    for kind in ("shares", "normal"):
        for lag in (0, 1):
            a, b = drawn(kind, seed), drawn(kind, other)
            assert checks.correlation(a[lag:], b[: COUNT - lag]) < checks.LIMIT


def test_one_place_of_many_seeds() -> None:
    """The first words of seeds in a row are as good as the words of one seed."""
    one = sunmao.compile(program(f"R.random.integers(s, R.shape([2]), 0, {1 << BITS})"), threads=1)
    for first in (0, 1 << 40):
        words = np.array([one(np.array(first + i))[1] for i in range(4096)])
        assert checks.share_of_ones(words, BITS) < checks.LIMIT
        assert checks.bytes_of_words(words, BITS) < checks.LIMIT
        assert checks.pairs(words / 2.0**BITS, 1) < checks.LIMIT


@pytest.mark.parametrize("seed", SEEDS)
def test_distributions(seed: int) -> None:
    shares, normal = drawn("shares", seed), drawn("normal", seed)
    assert checks.distance_of_distributions(shares, lambda x: x) < 1.95
    assert checks.distance_of_distributions(normal, checks.normal_share_below) < 1.95
    assert checks.moments_of_uniform(shares) < checks.LIMIT
    assert checks.moments_of_normal(normal) < checks.LIMIT


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_shares_of_short_floats_fill_all_steps(dtype: str) -> None:
    got = of_call(f'R.random.uniform(s, R.shape([{COUNT}]), dtype="{dtype}")', 3).astype("float64")
    assert got.min() >= 0 and got.max() < 1
    assert checks.chi_square((got * 128).astype(np.int64), 128) < checks.LIMIT
    assert abs(got.mean() - 0.5) < 0.01


@pytest.mark.parametrize("end", [3, 7, 1000])
def test_integers_of_ranges_that_are_no_power_of_two(end: int) -> None:
    got = of_call(f"R.random.integers(s, R.shape([{COUNT}]), 0, {end})", 3)
    assert checks.chi_square(got, end) < checks.LIMIT


WEAK = {
    "a counter": np.arange(COUNT, dtype=np.int64) * ((1 << BITS) // COUNT),
    "equal steps": (np.arange(COUNT, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(2)).astype(np.int64),
    "a short period": np.tile(np.random.default_rng(1).integers(0, 1 << BITS, 256), COUNT // 256),
    "a bit that is always zero": np.random.default_rng(2).integers(0, 1 << BITS, COUNT) & ~(1 << 20),
    "two equal bits": (lambda w: w & ~(1 << 9) | (w >> 30 & 1) << 9)(
        np.random.default_rng(3).integers(0, 1 << BITS, COUNT)
    ),
}


@pytest.mark.parametrize("kind", WEAK)
def test_the_checks_find_weak_generators(kind: str) -> None:
    words = WEAK[kind]
    found = [
        checks.share_of_ones(words, BITS),
        checks.agreement_of_bits(words, BITS),
        checks.bytes_of_words(words, BITS),
        checks.share_of_ones(words[1:] ^ words[:-1], BITS),
        *(checks.pairs(words / 2.0**BITS, lag) for lag in (1, 2, 7, 64)),
    ]
    assert max(found) > 2 * checks.LIMIT
