"""Each op and each dtype: inference refuses it with a code, or the evaluator and compiled code compute the same."""

import numpy as np
import pytest
import sunmao
from sunmao import _sunmao
from sunmao.arrays import to_numpy
from test_op_values import compare, has_symbolic_order, runs

DTYPES = ("bool", "int4", "uint8", "int64", "float16", "bfloat16", "float64", "float8_e4m3fn", "float8_e5m2")


@pytest.mark.parametrize("op", _sunmao.sampled_ops())
def test_dtypes_are_refused_by_inference_or_computed(op: str) -> None:
    for dtype in DTYPES:
        try:
            call, module, tensors = _sunmao.sample_op(op, 0, _sunmao.DType(dtype), every_kind=True)
        except sunmao.Error as error:
            assert str(error).startswith(("error[E02", "error[E03"))
            continue
        inputs = [to_numpy(t) for t in tensors]
        expected = sunmao.evaluate(module, *inputs)
        if not runs(op, call) or has_symbolic_order(op, call):
            continue
        got = sunmao.compile(module)(*inputs)
        try:
            with np.errstate(all="ignore"):
                compare(op, tuple(got) if isinstance(got, list) else got, expected)
        except AssertionError as error:
            raise AssertionError(f"{call} of {dtype}: {error}\non {inputs}") from error
