"""The part of `tvm_ffi` that upstream's tests and scripts import: containers, comparison, functions by name."""

from __future__ import annotations

from sunmao.compat.ffi import access_path as access_path
from sunmao.compat.ffi import container as container
from sunmao.compat.ffi import core as core
from sunmao.compat.ir.compare import structural_equal, structural_hash
from sunmao.compat.ir.container import Array, Map
from sunmao.compat.missing import attribute_of
from sunmao.compat.runtime import Device, ShapeTuple, Tensor, cpu, device, from_dlpack
from sunmao.compat.runtime.registry import get_global_func, register_global_func

Shape = ShapeTuple

__all__ = [
    "Array", "Device", "Map", "Shape", "Tensor", "cpu", "device", "from_dlpack",
    "get_global_func", "register_global_func", "structural_equal", "structural_hash",
]  # fmt: skip

__getattr__ = attribute_of(__name__)
