"""Samples of every op, evaluated and compiled, against NumPy, within the op's bound."""

import inspect
import re

import pytest
from op_dtypes import FLOATS, INTEGERS, is_extended
from op_samples import Sample, compare, compiled, evaluated, sample, true_result
from op_tables import MEANINGS, WORDS
from sunmao import _sunmao

# The number of samples of each op that are compiled with full optimisation, which is slow; the others are compiled
# without optimisation.
OPTIMISED = 2


def test_every_sampled_op_has_a_meaning() -> None:
    assert set(_sunmao.sampled_ops()) == set(MEANINGS)


def test_every_word_is_used() -> None:
    used = set(re.findall(r"\w+", " ".join(MEANINGS.values())))
    words = {word for word, meant in WORDS.items() if inspect.isfunction(meant)}
    assert words - used == {"lowest", "words_of"}  # used by another word, and by test_random_numbers.py


def asks_for_dtype(s: Sample) -> bool:
    """Returns whether the result depends on the dtype: it is part of the result, or an integer sum wraps before a
    division."""
    return s.op.startswith("inspect.tensor_dtype") or s.call.attrs.get("reduction", None) == "mean"


def check_sample(op: str, seed: int, dtype: str | None, opt_level: int) -> None:
    s = sample(op, seed, dtype)
    if asks_for_dtype(s) and any(is_extended(x.dtype) for x in s.inputs):
        return
    true, engine = true_result(s), "evaluated"
    try:
        compare(s, evaluated(s), true)
        engine = "compiled"
        compare(s, compiled(s, opt_level), true)
    except AssertionError as error:
        raise AssertionError(f"{s} of seed {seed}, {dtype}, {engine}: {error}") from error


@pytest.mark.parametrize("op", sorted(MEANINGS))
def test_values(op: str, pytestconfig: pytest.Config) -> None:
    first = pytestconfig.getoption("first_sample")
    for seed in range(first, pytestconfig.getoption("samples")):
        check_sample(op, seed, None, 3 if seed < OPTIMISED else 0)
    for dtype in (*FLOATS, *INTEGERS) if first == 0 else ():
        check_sample(op, 0, dtype, 0)
