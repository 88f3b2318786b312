"""Tensors of the runtime, and the names of their dtypes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao.arrays import NumPyArray, to_numpy, to_tensor, write_back
from sunmao.compat.checked import checked
from sunmao.compat.runtime.device import Device, need_cpu
from sunmao.errors import fail


class Tensor:
    """A tensor of the runtime, formerly called NDArray."""

    def __init__(self, native: _sunmao.Tensor) -> None:
        self.native = native

    @property
    def shape(self) -> tuple[int, ...]:
        return self.native.shape

    def same_as(self, other: object) -> bool:
        return self is other or (isinstance(other, Tensor) and self.native is other.native)

    @property
    def ndim(self) -> int:
        return len(self.native.shape)

    @property
    def dtype(self) -> str:
        return self.native.dtype

    @property
    def device(self) -> Device:
        return Device(*self.native.__dlpack_device__())

    def numpy(self) -> NumPyArray:
        """Returns a copy as a NumPy array."""
        return to_numpy(self.native).copy()

    asnumpy = numpy

    def _create_view(self, shape: Sequence[int], dtype: str | None = None, relative_byte_offset: int = 0) -> Tensor:
        """Returns a tensor in the same memory, from a byte of it on; it must lie within this one (E0034)."""
        return Tensor(self.native.view(list(shape), str(dtype or self.dtype), relative_byte_offset))

    def copyfrom(self, source: Any) -> Tensor:
        """Copies the values of an array of the same shape into the tensor."""
        array = to_numpy(self.native)
        np.copyto(array, np.asarray(source))
        write_back(self.native, array)
        return self

    @checked
    def copyto(self, target: Tensor | Device) -> Tensor:
        return tensor(self, target) if isinstance(target, Device) else target.copyfrom(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NumPyArray:
        array = to_numpy(self.native)
        return np.array(array, dtype=dtype, copy=copy if copy is not None else True)

    def __dlpack__(self, **options: Any) -> Any:
        return self.native.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.native.__dlpack_device__()

    def __getitem__(self, key: Any) -> NumPyArray:
        part: NumPyArray = self.numpy()[key]
        return part

    def __setitem__(self, key: Any, value: Any) -> None:
        array = to_numpy(self.native)
        array[key] = np.asarray(value)
        write_back(self.native, array)

    def __len__(self) -> int:
        return self.native.shape[0]

    def __repr__(self) -> str:
        return f"<tensor of {self.dtype} on {self.device}>\n{self.numpy()!r}"


NDArray = Tensor


def _need_global(mem_scope: str | None) -> None:
    """Fails (E0032) unless the memory is that of the CPU."""
    if mem_scope not in (None, "", "global"):
        raise fail("E0032", f"memory of the scope `{mem_scope}` is not supported here", "tensors lie in global memory")


@checked
def tensor(arr: Any, device: Device | None = None, mem_scope: str | None = None) -> Tensor:
    """Returns a tensor with the values of `arr`, anything that NumPy accepts."""
    need_cpu(device)
    _need_global(mem_scope)
    source = to_numpy(arr.native) if isinstance(arr, Tensor) else np.asarray(arr)
    return Tensor(to_tensor(np.array(source, order="C", copy=True), writable=True))


array = tensor


@checked
def empty(
    shape: Sequence[int], dtype: str = "float32", device: Device | None = None, mem_scope: str | None = None
) -> Tensor:
    need_cpu(device)
    _need_global(mem_scope)
    return Tensor(_sunmao.Tensor.empty(str(dtype), list(shape)))


@checked
def from_dlpack(ext_tensor: Any, *, require_alignment: int = 0, require_contiguous: bool = False) -> Tensor:
    """Returns a tensor that shares the memory of another library's, or of a capsule; fails (E0034) when its address is
    not a multiple of `require_alignment`, or when it is not contiguous where that is required."""
    found = _of_capsule(ext_tensor) if type(ext_tensor).__name__ == "PyCapsule" else Tensor(to_tensor(ext_tensor))
    if require_contiguous and not found.native.is_contiguous:
        raise fail("E0034", "from_dlpack: the tensor is not contiguous", "copy it first")
    if require_alignment and found.native.numpy().ctypes.data % require_alignment:
        raise fail("E0034", f"from_dlpack: the address is no multiple of {require_alignment}", "copy the tensor first")
    return found


def _of_capsule(capsule: Any) -> Tensor:
    try:
        return Tensor(_sunmao.Tensor.from_array(capsule))
    except TypeError as error:
        raise fail("E0034", "from_dlpack: the capsule holds no tensor", "a capsule is used once") from error


class DataType(str):
    """A dtype by name, with its properties."""

    @property
    def _native(self) -> _sunmao.DType:
        return _sunmao.DType(str(self))

    @property
    def type_code(self) -> int:
        """The code of the family of dtypes, as DLPack has it."""
        return self._native.code

    @property
    def bits(self) -> int:
        return self._native.bits

    @property
    def lanes(self) -> int:
        return self._native.lanes

    @property
    def itemsize(self) -> int:
        """The bytes of one element with all its lanes."""
        if "vscale" in str(self):
            raise fail("E0034", "the size of a vector of `vscale` lanes is the machine's")
        return (self.bits * self.lanes + 7) // 8
