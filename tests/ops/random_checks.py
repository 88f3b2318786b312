"""Checks of random numbers. Each returns how far the draw is from what is expected, in standard deviations or as a
chi-square that is brought to that scale: of good numbers hardly ever more than 5."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.int64]
LIMIT = 5.0


def bits_of(words: Words, bits: int) -> Any:
    return (words[:, None] >> np.arange(bits)) & 1


def share_of_ones(words: Words, bits: int) -> float:
    """The worst bit: each is one in half of the words."""
    return float(np.abs(2 * bits_of(words, bits).mean(axis=0) - 1).max()) * math.sqrt(len(words))


def agreement_of_bits(words: Words, bits: int) -> float:
    """The worst pair of bits of one word: they agree in half of the words."""
    signs = 2.0 * bits_of(words, bits) - 1
    products = signs.T @ signs / len(words)
    np.fill_diagonal(products, 0)
    return float(np.abs(products).max()) * math.sqrt(len(words))


def chi_square(cells: NDArray[Any], count: int) -> float:
    """Numbers of cells, each as likely as any other."""
    seen = np.bincount(np.asarray(cells).ravel(), minlength=count)
    expected = np.asarray(cells).size / count
    statistic = float(((seen - expected) ** 2 / expected).sum())
    return abs(statistic - (count - 1)) / math.sqrt(2 * (count - 1))


def bytes_of_words(words: Words, bits: int) -> float:
    """The worst byte: its 256 values are equally likely."""
    return max(chi_square((words >> shift) & 255, 256) for shift in range(0, bits - 7, 8))


def pairs(shares: NDArray[Any], lag: int) -> float:
    """A share in [0, 1) and the one `lag` places on: all squares of a 16 x 16 grid are equally likely."""
    cells = np.minimum((np.asarray(shares, np.float64) * 16).astype(np.int64), 15)
    return chi_square(cells[:-lag] * 16 + cells[lag:], 256)


def correlation(a: NDArray[Any], b: NDArray[Any]) -> float:
    return abs(float(np.corrcoef(a, b)[0, 1])) * math.sqrt(len(a))


def distance_of_distributions(values: NDArray[Any], share_below: Any) -> float:
    """Kolmogorov and Smirnov's statistic, where 1.36 is exceeded once in 20 draws, 1.95 once in 1,000."""
    at = np.vectorize(share_below)(np.sort(np.asarray(values, np.float64)))
    steps = np.arange(len(at) + 1) / len(at)
    return float(max(np.max(steps[1:] - at), np.max(at - steps[:-1]))) * math.sqrt(len(at))


def normal_share_below(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


def moments_of_normal(values: NDArray[Any]) -> float:
    """The worst of the first four moments of a standard normal distribution."""
    x = np.asarray(values, np.float64)
    expected = [(x, 0, 1), (x**2, 1, 2), (x**3, 0, 15), (x**4, 3, 96)]  # powers, their means and variances
    return max(abs(p.mean() - mean) / math.sqrt(variance / len(x)) for p, mean, variance in expected)


def moments_of_uniform(values: NDArray[Any]) -> float:
    x = np.asarray(values, np.float64)
    return max(
        abs((x**k).mean() - 1 / (k + 1)) / math.sqrt((1 / (2 * k + 1) - 1 / (k + 1) ** 2) / len(x)) for k in (1, 2, 3)
    )
