"""Comparison of results, one array with another: dtype, shape, and values relative to the scale of what is expected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# One unit in the last place, relative.
UNIT = {"float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
# The least tolerance that makes sense for a result of each type: two units in the last place.
_LEAST = {"float16": 2e-3, "bfloat16": 1.6e-2, "float8_e4m3fn": 0.13, "float8_e5m2": 0.26}


def is_float(array: Array) -> bool:
    return array.dtype.kind in "fc" or str(array.dtype) in _LEAST


def wide(array: Array) -> Array:
    """Returns the values in a type in which differences are exact enough."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def scale_of(values: Array) -> float:
    """Returns the greatest finite magnitude, or 1 for a result of zeros, infinities and NaNs only."""
    finite = np.abs(values[np.isfinite(values)])
    greatest = float(finite.max()) if finite.size else 0.0
    return greatest if greatest > 0 else 1.0


def error_of(got: Array, want: Array) -> float:
    """Returns max|got - want| / max|want|; infinity where NaNs or infinities are not at the same places."""
    a, b = wide(got), wide(want)
    if a.shape != b.shape:
        return float("inf")
    finite = np.isfinite(b)
    special_a, special_b = a[~finite], b[~finite]
    if not np.array_equal(np.isfinite(a), finite) or not np.array_equal(special_a, special_b, equal_nan=True):
        return float("inf")
    difference = np.abs(a[finite] - b[finite])
    return float(difference.max()) / scale_of(b) if difference.size else 0.0


def error_beyond(got: Array, reference: Array, precise: Array) -> str:
    """Returns what is wrong with `got`, or nothing: against float64 it may err twice as much as `reference` does, or by
    one unit in the last place where that is exact."""
    error, allowed = error_of(got, precise), max(2 * error_of(reference, precise), UNIT[str(reference.dtype)])
    return "" if error <= allowed else f"error {error:.3g} against float64, allowed {allowed:.3g}"


def difference(got: Array, want: Array, tolerance: float, name: str = "output") -> str:
    """Returns what is wrong with `got`, or nothing. Integers and booleans must be equal."""
    if got.dtype != want.dtype:
        return f"{name}: dtype is {got.dtype}, expected {want.dtype}"
    if got.shape != want.shape:
        return f"{name}: shape is {got.shape}, expected {want.shape}"
    if not is_float(want):
        unequal = int(np.count_nonzero(got != want))
        return f"{name}: {unequal} of {want.size} values differ{_first(got, want)}" if unequal else ""
    allowed = max(tolerance, _LEAST.get(str(want.dtype), 0.0))
    error = error_of(got, want)
    if error <= allowed:
        return ""
    return (
        f"{name}: error {error:.3g} of the scale {scale_of(wide(want)):.3g}, allowed {allowed:.3g}{_first(got, want)}"
    )


def _first(got: Array, want: Array) -> str:
    """Returns the place where the two differ most, in words."""
    if not want.size:
        return ""
    a, b = wide(got) if is_float(got) else got, wide(want) if is_float(want) else want
    with np.errstate(invalid="ignore"):
        apart = np.abs(a - b) if is_float(want) else (got != want)
    flat = int(np.argmax(np.where(np.isnan(apart), np.inf, apart) if is_float(want) else apart))
    place = tuple(int(i) for i in np.unravel_index(flat, want.shape))
    return f"; at {place}: {got[place]}, expected {want[place]}"


def differences(got: Sequence[Array], want: Sequence[Array], tolerance: float) -> list[str]:
    """Compares lists of outputs."""
    if len(got) != len(want):
        return [f"{len(got)} outputs, expected {len(want)}"]
    found = [difference(g, w, tolerance, f"output {i}") for i, (g, w) in enumerate(zip(got, want, strict=True))]
    return [text for text in found if text]


def outputs_of(result: Any) -> list[Array]:
    """Returns what a call of a compiled model gave as a list of arrays."""
    return [np.asarray(r) for r in (result if isinstance(result, tuple) else (result,))]


def bfloat16() -> np.dtype[Any]:
    return np.dtype(ml_dtypes.bfloat16)
