"""Circular functions of numbers of all magnitudes: compiled code agrees with the evaluator, and with exact values."""

import numpy as np
import pytest
import sunmao
from one_function import module_of

# The number of float64 that lies nearest to a multiple of a quarter turn, for which the evaluator's library is 14
# spacings off, and its sine, cosine and tangent.
NEAREST, EXACT = 6381956970095103.0 * 2.0**797, (1.0, -4.6871659242546276e-19, -2.1334853857537038e18)
# That of float32, and others far out.
HARD = [16367173.0 * 2.0**72, 1e17, 1e22, 1e300, 2.0**17, 131071.5, 2.0**53, 1e308]


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3", "host"])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_large_angles(dtype: str, target: str) -> None:
    highest = 1023 if dtype == "float64" else 127
    random = np.random.default_rng(5)
    exponents = random.uniform(-20, highest, 4000)
    with np.errstate(over="ignore"):
        x = np.concatenate([HARD, np.exp2(exponents) * (1 + random.random(4000)), [0, np.inf, np.nan]])
        x = np.concatenate([x, -x]).astype(dtype)
    module = module_of([f'x: R.Tensor(({len(x)},), "{dtype}")'], ["y = (R.sin(x), R.cos(x), R.tan(x))"])
    model = sunmao.compile(module, target=target, threads=1)
    for got, want in zip(model(x), sunmao.evaluate(module, x), strict=True):
        finite = np.isfinite(want)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
        assert (np.abs(got - want)[finite] <= 8 * np.spacing(np.abs(want[finite]))).all()


@pytest.mark.parametrize("target", ["x86-64-v2", "host"])
def test_the_hardest_angle(target: str) -> None:
    module = module_of(['x: R.Tensor((9,), "float64")'], ["y = (R.sin(x), R.cos(x), R.tan(x))"])
    model = sunmao.compile(module, target=target, threads=1)
    for got, want in zip(model(np.full(9, NEAREST)), EXACT, strict=True):
        assert (np.abs(got - want) <= 2 * np.spacing(abs(want))).all()
