"""Dtypes that only ml_dtypes adds to NumPy, and the wider ones in which references compute them."""

from typing import Any

import ml_dtypes
import numpy as np
from sunmao import _sunmao

FLOATS = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
INTEGERS = ("int64", "int32", "int16", "int8", "int4", "uint64", "uint32", "uint16", "uint8", "uint4")


def is_extended(dtype: Any) -> bool:
    return hasattr(ml_dtypes, str(dtype))


def wide_dtype(name: str) -> Any:
    """Returns a native NumPy dtype that represents all its numbers."""
    return np.dtype("uint8" if name.startswith("uint") else "int8" if name.startswith("int") else "float32")


def widened(value: Any) -> Any:
    """Converts an array or dtype to the wider form that a reference takes."""
    if isinstance(value, _sunmao.DType):
        return _sunmao.DType(wide_dtype(str(value)).name) if is_extended(value) else value
    is_array = isinstance(value, np.ndarray | np.generic)
    return value.astype(wide_dtype(value.dtype.name)) if is_array and is_extended(value.dtype) else value


def rounded(expected: Any, dtype: Any) -> Any:
    """Rounds to the dtype; float8_e4m3fn saturates at its largest number, as in PyTorch."""
    if dtype.name == "float8_e4m3fn":
        expected = np.clip(expected.astype(np.float32), -448, 448)
    with np.errstate(all="ignore"):
        return expected.astype(dtype)
