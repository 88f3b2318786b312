"""Every op with every dtype: inference rejects it with a code, or both engines give what NumPy gives."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sunmao
from op_samples import compare, compiled, evaluated, in_float64, sample, true_result
from sunmao import _sunmao

DTYPES = ("bool", "int4", "uint8", "int64", "float16", "bfloat16", "float64", "float8_e4m3fn", "float8_e5m2")

# Ops and dtypes whose sum wraps before it is divided, which NumPy does not do in the wider dtype that it uses: compiled
# code is compared with the evaluator.
WRAPPED_SUMS = {
    ("nn.adaptive_avg_pool1d", "int4"),
    ("nn.adaptive_avg_pool3d", "int4"),
    ("nn.avg_pool3d", "int4"),
    ("nn.cross_entropy_with_logits", "uint8"),
    ("scatter_elements", "int4"),
}


def in_dtypes(value: Any, type_: Any) -> Any:
    """Converts the arrays that NumPy computes in a wider dtype: of integers the low bits are kept."""
    if isinstance(value, tuple):
        return tuple(in_dtypes(v, field) for v, field in zip(value, type_.fields, strict=True))
    if isinstance(value, int | list):
        return value
    name = str(type_.dtype)
    return np.asarray(value).astype(np.float64 if "float" in name else getattr(ml_dtypes, name, name))


def expected(s: Any, dtype: str) -> Any:
    """Returns NumPy's result. Bools are numbers where NumPy has no arithmetic of bools."""
    try:
        result = true_result(s)
    except TypeError:
        assert dtype == "bool"
        s.inputs = [x.astype(np.int64) if x.dtype == bool else x for x in s.inputs]
        result = true_result(s)
    return in_dtypes(result, s.call.type)


def as_expected(value: Any) -> Any:
    """Converts the evaluator's result to the form that `compare` takes."""
    if isinstance(value, tuple):
        return tuple(map(as_expected, value))
    return in_float64(value) if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("op", _sunmao.sampled_ops())
def test_dtypes_are_refused_by_inference_or_computed(op: str) -> None:
    for dtype in DTYPES:
        try:
            s = sample(op, 0, dtype, every_kind=True)
        except sunmao.Error as error:
            assert str(error).startswith(("error[E02", "error[E03"))
            continue
        got, compiled_got, engine = evaluated(s), compiled(s, 0), "evaluated"
        try:
            if (op, dtype) in WRAPPED_SUMS:
                true = as_expected(got)
            else:
                true = expected(s, dtype)
                compare(s, got, true)
            engine = "compiled"
            compare(s, compiled_got, true)
        except AssertionError as error:
            raise AssertionError(f"{s} of {dtype}, {engine}: {error}") from error
