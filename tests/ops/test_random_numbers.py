"""Random numbers: published values of the generator, and the guarantees of a seed."""

from typing import Any

import numpy as np
import sunmao
from op_references_signals import words_of

SCRIPT = """
@I.ir_module
class Module:
    @R.function
    def main(seed: R.Tensor((), "int64")):
        return {}
"""


def numbers(call: str, seed: int = 7) -> Any:
    return sunmao.evaluate(sunmao.parse_module(SCRIPT.format(call)), np.array(seed))


def test_published_words() -> None:
    assert [int(w[0]) for w in words_of(0, [1])] == [0x6B200159, 0x99BA4EFE]
    (first,) = numbers(f"R.random.integers(seed, R.shape([1]), 0, {2**63 - 1})", seed=0)
    assert first == 0x6B20015999BA4EFE


def test_the_seed_decides() -> None:
    call = "R.random.uniform(seed, R.shape([50]))"
    np.testing.assert_array_equal(numbers(call), numbers(call))
    assert (numbers(call) != numbers(call, seed=8)).mean() > 0.9


def test_a_longer_tensor_begins_like_a_shorter_one() -> None:
    short, long = (numbers(f"R.random.normal(seed, R.shape([{n}]))") for n in (5, 20))
    np.testing.assert_array_equal(short, long[:5])


def test_uniform_stays_below_its_end() -> None:
    got = numbers('R.random.uniform(seed, R.shape([4000]), 1.0, 1.0000001, "float32")')
    assert set(got.tolist()) == {1.0}
    wide = numbers("R.random.uniform(seed, R.shape([4000]), -2.0, 4.0)")
    assert -2 <= wide.min() < -1.9 and 3.9 < wide.max() < 4
    assert abs(wide.mean() - 1) < 0.1


def test_normal_has_its_mean_and_deviation() -> None:
    got = numbers('R.random.normal(seed, R.shape([4000]), 3.0, 2.0, "float64")')
    assert abs(got.mean() - 3) < 0.15 and abs(got.std() - 2) < 0.1


def test_integers_are_equally_likely() -> None:
    got = numbers("R.random.integers(seed, R.shape([5000]), -2, 3)")
    assert np.bincount(got + 2).min() > 900
