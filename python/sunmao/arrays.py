"""Arrays of other libraries, in and out: NumPy, PyTorch and whatever speaks DLPack or the buffer protocol."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from sunmao import _sunmao
from sunmao.errors import fail

NumPyArray = npt.NDArray[Any]

# Dtypes that NumPy lacks unless ml_dtypes is installed. Their data is exchanged as unsigned integers of the same width.
_EXTENDED = {
    "bfloat16",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float4_e2m1fn",
    "int4",
    "uint4",
    "int2",
    "uint2",
}


def to_tensor(value: Any, what: str = "the value", *, writable: bool = False) -> _sunmao.Tensor:
    """Returns the array as a tensor of the extension. Memory is shared; numbers and lists are converted by NumPy's
    rules. With `writable` the tensor's memory may be written, so the array must be writable. NumPy's elements of less
    than a byte, which have a byte each, are packed into memory of the tensor's own."""
    if isinstance(value, _sunmao.Tensor):
        return value
    given = value
    if (torch := sys.modules.get("torch")) is not None and type(value) in (torch.Tensor, torch.nn.Parameter):
        value = _capsule(value)
    is_plain = type(value) is np.ndarray and value.dtype.isbuiltin == 1  # told first: a call takes microseconds
    if not is_plain and value is given:
        if getattr(value, "requires_grad", False):
            value = value.detach()
        if not hasattr(value, "__dlpack__") or isinstance(value, np.generic):
            value = np.asarray(value)
        if isinstance(value, np.ndarray) and not value.dtype.isnative:
            value = value.astype(value.dtype.newbyteorder("="))
    try:
        if not is_plain and isinstance(value, np.ndarray) and value.dtype.name in _EXTENDED:
            array = np.asarray(value, order="C") if _is_packed(value.dtype.name) else value
            bits = array.view(np.uint8 if value.dtype.itemsize == 1 else np.uint16)
            return _sunmao.Tensor.from_array(bits, value.dtype.name, writable)
        return _sunmao.Tensor.from_array(value, None, writable)
    except TypeError as error:
        parts = _complex_parts(given)
        if parts is not None:
            return to_tensor(parts, what, writable=writable)
        dtype = getattr(given, "dtype", type(given).__name__)
        raise fail("E0034", f"{what} is no array of numbers: its dtype is `{dtype}`") from error


def _capsule(tensor: Any) -> Any:
    """Returns a torch tensor's memory as a capsule of DLPack, in a tenth of the time of `__dlpack__`; the tensor
    itself where it has no such memory."""
    torch: Any = sys.modules["torch"]
    if not tensor.is_cpu or tensor.layout is not torch.strided or tensor.is_quantized:
        return tensor
    return torch.to_dlpack(tensor.resolve_neg() if tensor.is_neg() else tensor)


def _complex_parts(value: Any) -> Any:
    """Returns complex numbers as models take them, with their parts in a further, last dimension; None for others."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "c":
            return None
        whole = np.ascontiguousarray(value).reshape(value.shape)
        return whole.view(whole.real.dtype).reshape((*value.shape, 2)) if whole.ndim else _complex_parts(whole[None])[0]
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor) or not value.is_complex():
        return None
    return torch.view_as_real(value.resolve_conj())


def of_parts(value: Any) -> Any:
    """Returns the complex numbers whose parts are the last dimension of an array or torch tensor, in the same memory.
    NumPy has none of float16, and gets their parts."""
    if not isinstance(value, np.ndarray):
        return sys.modules["torch"].view_as_complex(value)
    if value.dtype not in (np.float32, np.float64):
        return value
    return value.view(np.result_type(value.dtype, np.complex64))[..., 0]


def to_numpy(tensor: _sunmao.Tensor) -> NumPyArray:
    """Returns a NumPy array that shares the tensor's memory; a copy where elements have less than a byte. Dtypes such
    as bfloat16 need the package ml_dtypes."""
    array: NumPyArray = tensor.numpy()
    return array.view(numpy_dtype(tensor.dtype)) if tensor.dtype in _EXTENDED else array


def to_torch(tensor: _sunmao.Tensor) -> Any:
    """Returns a torch tensor that shares the tensor's memory; a NumPy array for elements of less than a byte."""
    torch: Any = sys.modules["torch"]
    if tensor.dtype not in _EXTENDED:
        return torch.from_numpy(tensor.numpy())  # quicker than DLPack
    return to_numpy(tensor) if _is_packed(tensor.dtype) else torch.from_dlpack(tensor)


def result_type(values: Iterable[Any]) -> Callable[[_sunmao.Tensor], Any]:
    """Returns what makes results of a call on these values: torch tensors where a value is one, else arrays."""
    torch = sys.modules.get("torch")
    if torch is not None:
        for value in values:
            if isinstance(value, torch.Tensor):
                return to_torch
    return to_numpy


def write_back(tensor: _sunmao.Tensor, array: NumPyArray) -> None:
    """Gives a writable tensor the values of the array that `to_numpy` returned for it, where that is a copy."""
    if _is_packed(tensor.dtype):
        tensor.assign(array.view(np.uint8))


def _is_packed(name: str) -> bool:
    return _sunmao.DType(name).bits < 8


def numpy_dtype(name: str) -> np.dtype[Any]:
    """Returns NumPy's dtype of this name. Dtypes such as bfloat16 come from ml_dtypes."""
    if name not in _EXTENDED:
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise fail("E0034", f"NumPy has no `{name}`", "install the package `ml_dtypes`") from None
    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return found
