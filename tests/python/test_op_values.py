"""Samples of every op, evaluated: the values that NumPy gives."""

from typing import Any

import numpy as np
import pytest
import sunmao
from op_references import REFERENCES
from op_tolerances import tolerance
from sunmao import _sunmao
from sunmao.arrays import to_numpy

SAMPLES = 40
COMPILED_SAMPLES = 2


def argument(expr: _sunmao.Expr, values: dict[_sunmao.Expr, Any]) -> Any:
    if isinstance(expr, _sunmao.Var):
        return values[expr]
    if isinstance(expr, _sunmao.Tuple):
        return [argument(field, values) for field in expr.fields]
    if isinstance(expr, _sunmao.Constant):
        return to_numpy(expr.data)
    if isinstance(expr, _sunmao.ShapeExpr):
        return [int(d) for d in expr.values]
    value = expr.value  # type: ignore[attr-defined]
    return value.value if hasattr(value, "value") else value


def compare(op: str, got: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            compare(op, one, other)
        return
    expected = np.asarray(expected)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind != "f":
        np.testing.assert_array_equal(got, expected)
        return
    allowed = tolerance(op, expected.dtype.name)
    np.testing.assert_allclose(got, expected, rtol=allowed, atol=allowed, equal_nan=True)


def test_every_sampled_op_has_a_reference() -> None:
    assert set(_sunmao.sampled_ops()) == set(REFERENCES)


@pytest.mark.parametrize("op", sorted(REFERENCES))
def test_values(op: str) -> None:
    for seed in range(SAMPLES):
        call, module, tensors = _sunmao.sample_op(op, seed)
        inputs = [to_numpy(t) for t in tensors]
        values = dict(zip(module.find("main").params, inputs, strict=True))
        args = [argument(a, values) for a in call.args]
        with np.errstate(all="ignore"):
            expected = REFERENCES[op](*args, **dict(call.attrs))
        try:
            compare(op, sunmao.evaluate(module, *inputs), expected)
        except AssertionError as error:
            raise AssertionError(f"{call} of seed {seed}: {error}\non {inputs}") from error


@pytest.mark.parametrize("op", sorted(REFERENCES))
def test_compiled_values(op: str) -> None:
    for seed in range(COMPILED_SAMPLES):
        call, module, tensors = _sunmao.sample_op(op, seed)
        inputs = [to_numpy(t) for t in tensors]
        got = sunmao.compile(module)(*inputs)
        try:
            compare(op, tuple(got) if isinstance(got, list) else got, sunmao.evaluate(module, *inputs))
        except AssertionError as error:
            raise AssertionError(f"{call} of seed {seed}: {error}\non {inputs}") from error
