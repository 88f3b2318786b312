"""Every op with every dtype: inference rejects it with a code, or the evaluator and compiled code agree."""

from typing import Any

import numpy as np
import pytest
import sunmao
from op_samples import compare, compiled, evaluated, in_float64, sample, true_result
from sunmao import _sunmao

DTYPES = ("bool", "int4", "uint8", "int64", "float16", "bfloat16", "float64", "float8_e4m3fn", "float8_e5m2")


def as_true(value: Any) -> Any:
    """Converts the evaluator's result to the form that `compare` takes."""
    if isinstance(value, tuple):
        return tuple(map(as_true, value))
    return in_float64(value) if isinstance(value, np.ndarray) else value


def has_meaning(op: str, dtype: str) -> bool:
    """Returns whether NumPy defines the op for all inputs of the dtype. Many ops are not meant for integers."""
    return "float" in dtype and not op.startswith(("logical_", "inspect."))


@pytest.mark.parametrize("op", _sunmao.sampled_ops())
def test_dtypes_are_refused_by_inference_or_computed(op: str) -> None:
    for dtype in DTYPES:
        try:
            s = sample(op, 0, dtype, every_kind=True)
        except sunmao.Error as error:
            assert str(error).startswith(("error[E02", "error[E03"))
            continue
        got, engine = evaluated(s), "evaluated"
        try:
            true = true_result(s) if has_meaning(op, dtype) else as_true(got)
            compare(s, got, true)
            engine = "compiled"
            compare(s, compiled(s, 0), true)
        except AssertionError as error:
            raise AssertionError(f"{s} of {dtype}, {engine}: {error}") from error
