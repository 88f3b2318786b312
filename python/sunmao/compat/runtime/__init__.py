"""Devices and tensors."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.runtime.containers import ShapeTuple, convert
from sunmao.compat.runtime.device import (
    Device,
    cpu,
    cuda,
    device,
    device_from_target,
    hexagon,
    metal,
    opencl,
    rocm,
    vulkan,
    webgpu,
)
from sunmao.compat.runtime.tensors import DataType, NDArray, Tensor, array, empty, from_dlpack, tensor

__getattr__ = attribute_of(__name__)
