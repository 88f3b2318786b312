"""Reference implementations of special functions: series with more terms than the kernels use, and recurrences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def _bernoulli() -> list[float]:
    """Returns B(2), B(4), …"""
    return [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6]


def _digamma(x: float) -> float:
    if math.isinf(x) or math.isnan(x):
        return x if x > 0 else math.nan
    if x <= 0:
        if x == 0:
            return -math.copysign(math.inf, x)
        return math.nan if x % 1 == 0 else _digamma(1 - x) - math.pi / math.tan(math.pi * (x - round(x)))
    steps, far = [1 / (x + k) for k in range(30)], x + 30
    series = [b / (2 * k * far ** (2 * k)) for k, b in enumerate(_bernoulli(), 1)]
    return math.fsum([math.log(far), -0.5 / far, *(-v for v in series), *(-v for v in steps)])


def digamma(x: Any) -> Any:
    return np.vectorize(_digamma, otypes=[np.float64])(x)


def _bessel_i(x: float, order: int, scaled: bool) -> float:
    """The power series, whose terms are all positive; far out the asymptotic one."""
    size = abs(x)
    if math.isnan(x) or math.isinf(x):
        return x if math.isnan(x) else 0.0 if scaled else math.copysign(math.inf, x) if order else math.inf
    if size <= 100:
        term = (size / 2) ** order
        terms = [term]
        for k in range(1, 200):
            term *= (size / 2) ** 2 / (k * (k + order))
            terms.append(term)
        value = math.fsum(terms) * (math.exp(-size) if scaled else 1.0)
    else:
        term, terms = 1.0, [1.0]
        for k in range(1, 12):
            term *= -(4 * order**2 - (2 * k - 1) ** 2) / (8 * size * k)
            terms.append(term)
        grown = 1.0 if scaled else math.exp(size) if size < 700 else math.inf
        value = math.fsum(terms) / math.sqrt(2 * math.pi * size) * grown
    return -value if order and x < 0 else value


def bessel_i(x: Any, order: int, scaled: bool) -> Any:
    return np.vectorize(lambda v: _bessel_i(v, order, scaled), otypes=[np.float64])(x)


def _erfcx(x: float) -> float:
    if x < 2:
        return math.exp(x * x) * math.erfc(x) if x > -26 else 2 * math.exp(x * x) if x > -26.6 else math.inf
    rest = 0.0
    for k in range(400, 0, -1):
        rest = (k / 2) / (x + rest)
    return 1 / (math.sqrt(math.pi) * (x + rest))


def erfcx(x: Any) -> Any:
    return np.vectorize(lambda v: v if math.isnan(v) else _erfcx(v), otypes=[np.float64])(x)


def _log_ndtr(x: float) -> float:
    z = -x / math.sqrt(2)
    if math.isinf(x) or math.isnan(x):
        return 0.0 if x > 0 else x
    return math.log(_erfcx(z) / 2) - z * z if z > 1 else math.log1p(-math.erfc(-z) / 2)


def log_ndtr(x: Any) -> Any:
    return np.vectorize(_log_ndtr, otypes=[np.float64])(x)


def _zeta(s: float, q: float) -> float:
    if math.isnan(s) or math.isnan(q) or s < 1:
        return math.nan
    if s == 1:
        return math.inf
    if math.isinf(q):
        return 0.0
    if math.isinf(s) or s > 1000:
        return 0.0 if q > 1 else math.inf if q < 1 else 1.0
    far = q + 40
    terms = [far ** (1 - s) / (s - 1), far**-s / 2]
    factor = s * far ** (-s - 1)
    for k, b in enumerate(_bernoulli(), 1):
        terms.append(b / math.factorial(2 * k) * factor)
        factor *= (s + 2 * k - 1) * (s + 2 * k) / far**2
    return math.fsum([float(np.float64(q + k) ** -s) for k in range(40)] + terms)


def zeta(x1: Any, x2: Any) -> Any:
    return np.vectorize(_zeta, otypes=[np.float64])(x1, x2)


def _igamma(a: float, x: float, upper: bool) -> float:
    if math.isnan(a) or math.isnan(x) or a < 0 or x < 0 or (a == 0 and x == 0):
        return math.nan
    if x == 0 or a == 0 or math.isinf(x):
        return float((x == 0) == upper)
    weight = a * math.log(x) - x - math.lgamma(a)
    if x > a + 1:
        rest = 0.0
        for k in range(5000, 0, -1):
            rest = k * (a - k) / (x + 2 * k + 1 - a + rest)
        share = math.exp(weight) / (x + 1 - a + rest)
        return share if upper else 1 - share
    terms, k = [1 / a], 0
    while terms[-1] > 1e-18 * terms[0]:
        k += 1
        terms.append(terms[-1] * x / (a + k))
    share = math.exp(weight) * math.fsum(terms)
    return 1 - share if upper else share


def igamma(x1: Any, x2: Any, upper: bool) -> Any:
    return np.vectorize(lambda a, x: _igamma(a, x, upper), otypes=[np.float64])(x1, x2)
