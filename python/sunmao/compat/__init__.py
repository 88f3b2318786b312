"""Upstream's names and habits: what a program gets that says `import tvm` (see sunmao.as_tvm).

Modules here stand in the places that upstream gives them; sunmao.compat.finder serves them under both names.
"""

from sunmao import __version__
from sunmao.compat import contrib, error, ir, relax, runtime, script, target, te, testing, tirx, topi
from sunmao.compat.ir import IRModule, instrument, transform
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.vm import compile
from sunmao.compat.runtime import DataType, Device, cpu, device, device_from_target
from sunmao.compat.runtime.registry import get_global_func, register_func, register_global_func

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
    "device",
    "device_from_target",
    "error",
    "get_global_func",
    "instrument",
    "ir",
    "nd",
    "register_func",
    "register_global_func",
    "relax",
    "runtime",
    "script",
    "target",
    "te",
    "testing",
    "tir",
    "tirx",
    "topi",
    "transform",
]

__getattr__ = attribute_of(__name__)
