"""The mirror of upstream's API, for programs that import `tvm` (see sunmao.as_tvm). Modules have upstream's relative
names; sunmao.finder makes them importable under both names."""

from sunmao._sunmao import version
from sunmao.compat import contrib, error, ir, relax, runtime, script, support, target, te, testing, tirx, topi
from sunmao.compat.ir import IRModule, instrument, transform
from sunmao.compat.missing import at_first_use, attribute_of
from sunmao.compat.relax.vm_build import compile
from sunmao.compat.runtime import (
    DataType,
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
from sunmao.compat.runtime.registry import get_global_func, register_func, register_global_func

__version__ = version()

nd = runtime
tir = tirx

__all__ = [
    "DataType",
    "Device",
    "IRModule",
    "__version__",
    "compile",
    "contrib",
    "cpu",
    "cuda",
    "device",
    "device_from_target",
    "error",
    "get_global_func",
    "hexagon",
    "instrument",
    "ir",
    "metal",
    "nd",
    "opencl",
    "register_func",
    "register_global_func",
    "relax",
    "rocm",
    "runtime",
    "script",
    "support",
    "target",
    "te",
    "testing",
    "tir",
    "tirx",
    "topi",
    "transform",
    "vulkan",
    "webgpu",
]

# `arith` imports what is half loaded when it comes first.
__getattr__ = attribute_of(__name__, at_first_use(__name__, "arith"))
