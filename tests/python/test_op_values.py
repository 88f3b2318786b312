"""Samples of every op, evaluated: the values that NumPy gives."""

import inspect
import re
from typing import Any

import numpy as np
import pytest
import sunmao
from op_dtypes import FLOATS, INTEGERS, is_extended, rounded, wide_dtype, widened
from op_tables import MEANINGS, WORDS, meaning
from op_tolerances import tolerance
from sunmao import _sunmao
from sunmao.arrays import to_numpy
from sunmao.errors import CodegenError

SAMPLES = 40
COMPILED_SAMPLES = 2

# What the virtual machine does not run: results as large as the data says, values that are no tensors, and devices.
NOT_RUN = {"dynamic_strided_slice", "hint_on_device", "nonzero", "shape_of", "tensor_to_shape", "to_vdevice", "unique"}


def runs(op: str, call: _sunmao.Call) -> bool:
    begins_inside = op == "memory.view" and len(call.args) > 3
    return op not in NOT_RUN and not op.startswith("inspect.") and not begins_inside


def has_symbolic_order(op: str, call: _sunmao.Call) -> bool:
    """Whether it orders as many elements as a symbol says: that memory is nobody's to plan (E1003)."""
    if op != "median":
        return False
    dims, axes = call.args[0].type.shape.values, call.attrs["axis"]  # type: ignore[attr-defined]
    return any(not isinstance(dims[i], _sunmao.IntImm) for i in (range(len(dims)) if axes is None else axes))


def sizes_of(values: dict[_sunmao.Expr, Any]) -> dict[str, int]:
    """How large each symbol is, by the inputs whose dimensions they are."""
    sizes = {}
    for var, value in values.items():
        sizes.update(zip(map(str, var.type.shape.values), value.shape, strict=True))  # type: ignore[attr-defined]
    return sizes


def argument(expr: _sunmao.Expr, values: dict[_sunmao.Expr, Any]) -> Any:
    if isinstance(expr, _sunmao.Var):
        return values[expr]
    if isinstance(expr, _sunmao.Tuple):
        return [argument(field, values) for field in expr.fields]
    if isinstance(expr, _sunmao.Constant):
        return to_numpy(expr.data)
    if isinstance(expr, _sunmao.ShapeExpr):
        return [int(d) if isinstance(d, _sunmao.IntImm) else sizes_of(values)[str(d)] for d in expr.values]
    value = expr.value  # type: ignore[attr-defined]
    return value.value if isinstance(value, _sunmao.Scalar) else value


def compare(op: str, got: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            compare(op, one, other)
        return
    if isinstance(expected, int | list):
        assert got == expected
        return
    expected = np.asarray(expected)
    if is_extended(got.dtype):
        assert expected.dtype in (got.dtype, wide_dtype(got.dtype.name))
        expected = rounded(expected, got.dtype)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
    if "float" not in expected.dtype.name:
        np.testing.assert_array_equal(got, expected)
        return
    allowed = tolerance(op, expected.dtype.name)
    got, expected = widened(got), widened(expected)
    np.testing.assert_allclose(got, expected, rtol=allowed, atol=allowed, equal_nan=True)


def test_every_sampled_op_has_a_meaning() -> None:
    assert set(_sunmao.sampled_ops()) == set(MEANINGS)


def test_every_word_is_used() -> None:
    used = set(re.findall(r"\w+", " ".join(MEANINGS.values())))
    words = {word for word, meant in WORDS.items() if inspect.isfunction(meant)}
    assert words - used == {"words_of"}  # which test_random_numbers.py reads


def asks_for_dtype(op: str, call: _sunmao.Call) -> bool:
    """Whether a wider dtype has another result: it is named, or a sum of integers wraps around before it is divided."""
    return op.startswith("inspect.tensor_dtype") or call.attrs.get("reduction", None) == "mean"


def check_sample(op: str, seed: int, dtype: str | None) -> None:
    call, module, tensors = _sunmao.sample_op(op, seed, _sunmao.DType(dtype) if dtype else None)
    inputs = [to_numpy(t) for t in tensors]
    if asks_for_dtype(op, call) and any(is_extended(x.dtype) for x in inputs):
        return
    values = dict(zip(module.find("main").params, map(widened, inputs), strict=True))
    args = [argument(a, values) for a in call.args]
    with np.errstate(all="ignore"):
        expected = meaning(op, args, {name: widened(value) for name, value in call.attrs.items()})
    try:
        compare(op, sunmao.evaluate(module, *inputs), expected)
    except AssertionError as error:
        raise AssertionError(f"{call} of seed {seed}, {dtype}: {error}\non {inputs}") from error


@pytest.mark.parametrize("op", sorted(MEANINGS))
def test_values(op: str) -> None:
    for seed in range(SAMPLES):
        check_sample(op, seed, None)
    for dtype in (*FLOATS, *INTEGERS):
        check_sample(op, 0, dtype)


@pytest.mark.parametrize("op", sorted(MEANINGS))
def test_compiled_values(op: str) -> None:
    for seed in range(COMPILED_SAMPLES):
        call, module, tensors = _sunmao.sample_op(op, seed)
        inputs = [to_numpy(t) for t in tensors]
        if not runs(op, call) or has_symbolic_order(op, call):
            with pytest.raises(CodegenError, match="E1020|E1003"):
                sunmao.compile(module)
            continue
        got = sunmao.compile(module)(*inputs)
        try:
            compare(op, tuple(got) if isinstance(got, list) else got, sunmao.evaluate(module, *inputs))
        except AssertionError as error:
            raise AssertionError(f"{call} of seed {seed}: {error}\non {inputs}") from error
