"""Samples of ops: calls with inputs, true results computed by NumPy in float64, and comparison of results with
these."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import sunmao
from op_bounds import check_close, scale_of
from op_dtypes import is_extended, wide_dtype
from op_tables import meaning
from sunmao import _sunmao
from sunmao.arrays import to_numpy

# Ops on bit patterns or random bits, whose results depend on the dtype itself: there is no reference result in float64.
OF_BITS = ("inspect.", "memory.view", "nextafter", "random.")


@dataclass
class Sample:
    op: str
    call: _sunmao.Call
    module: _sunmao.Module
    inputs: list[Any]

    def __str__(self) -> str:
        return f"{self.call}\non {self.inputs}"


def sample(op: str, seed: int, dtype: str | None = None, every_kind: bool = False) -> Sample:
    drawn = _sunmao.sample_op(op, seed, _sunmao.DType(dtype) if dtype else None, every_kind=every_kind)
    call, module, tensors = drawn
    return Sample(op, call, module, [to_numpy(t) for t in tensors])


def in_float64(value: Any) -> Any:
    """Converts an array or dtype for a reference: floats to float64, small integers to native NumPy integers."""
    if isinstance(value, _sunmao.DType):
        name = str(value)
        return _sunmao.DType("float64" if "float" in name else wide_dtype(name).name if is_extended(name) else name)
    if isinstance(value, list):
        return [in_float64(v) for v in value]
    if not isinstance(value, np.ndarray | np.generic):
        return value
    name = value.dtype.name
    return value.astype(np.float64 if "float" in name else wide_dtype(name) if is_extended(name) else value.dtype)


def _sizes_of(values: dict[_sunmao.Expr, Any]) -> dict[str, int]:
    """Returns the value of each symbol, from the shapes of the inputs."""
    sizes = {}
    for var, value in values.items():
        sizes.update(zip(map(str, var.type.shape.values), value.shape, strict=True))  # type: ignore[attr-defined]
    return sizes


def _argument(expr: _sunmao.Expr, values: dict[_sunmao.Expr, Any]) -> Any:
    if isinstance(expr, _sunmao.Var):
        return values[expr]
    if isinstance(expr, _sunmao.Tuple):
        return [_argument(field, values) for field in expr.fields]
    if isinstance(expr, _sunmao.Constant):
        return to_numpy(expr.data)
    if isinstance(expr, _sunmao.ShapeExpr):
        return [int(d) if isinstance(d, _sunmao.IntImm) else _sizes_of(values)[str(d)] for d in expr.values]
    value = expr.value  # type: ignore[attr-defined]
    return value.value if isinstance(value, _sunmao.Scalar) else value


def true_result(s: Sample) -> Any:
    """Returns the result computed by NumPy, with floats in float64."""
    values = dict(zip(s.module.find("main").params, s.inputs, strict=True))
    args, attrs = [_argument(a, values) for a in s.call.args], dict(s.call.attrs.items())
    if not s.op.startswith(OF_BITS):
        args, attrs = [in_float64(a) for a in args], {name: in_float64(v) for name, v in attrs.items()}
    with np.errstate(all="ignore"):
        return meaning(s.op, args, attrs)


def _arrays(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [a for field in value for a in _arrays(field)]
    return [np.asarray(value)]


def scale(s: Sample, true: Any) -> float:
    """Returns the largest magnitude among inputs, float attributes and results."""
    numbers = [np.array(v) for v in s.call.attrs.values() if isinstance(v, float)]
    return scale_of([*s.inputs, *numbers, *_arrays(true)])


def compare(s: Sample, got: Any, true: Any) -> None:
    """Compares an engine's result, an array or a tuple of arrays, with that of `true_result`."""
    _compare(s, got, true, s.call.type, scale(s, true))


def _compare(s: Sample, got: Any, true: Any, type_: Any, largest: float) -> None:
    if isinstance(true, tuple):
        assert len(got) == len(true)
        for one, other, field in zip(got, true, type_.fields, strict=True):
            _compare(s, one, other, field, largest)
        return
    if isinstance(true, int | list):
        assert got == true
        return
    true = np.asarray(true)
    dtype = str(type_.dtype)
    assert (got.dtype.name, got.shape) == (dtype, true.shape)
    if "float" in dtype:
        assert "float" in true.dtype.name
        check_close(s.op, got, true.astype(np.float64), largest)
        return
    assert true.dtype in (got.dtype, wide_dtype(dtype)) if is_extended(got.dtype) else true.dtype == got.dtype
    np.testing.assert_array_equal(got, true.astype(got.dtype))


def evaluated(s: Sample) -> Any:
    return sunmao.evaluate(s.module, *s.inputs)


def compiled(s: Sample, opt_level: int) -> Any:
    got = sunmao.compile(s.module, opt_level=opt_level)(*s.inputs)
    if isinstance(s.call.type, _sunmao.ShapeType):
        return [int(size) for size in got]
    if isinstance(s.call.type, _sunmao.PrimType):
        return int(got)
    return tuple(got) if isinstance(got, list) else got
