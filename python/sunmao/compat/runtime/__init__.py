"""Devices, tensors, and libraries of compiled functions."""

import importlib
from typing import Any

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

# The relax package imports this one.
_LATER = {
    "BenchmarkResult": "benchmark", "Executable": "executable", "Module": "module", "load_module": "loading",
}  # fmt: skip


def _find(name: str) -> Any:
    where = _LATER.get(name)
    return getattr(importlib.import_module(f"{__name__}.{where}"), name) if where else None


__getattr__ = attribute_of(__name__, _find)
