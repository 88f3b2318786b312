"""Upstream's names and habits: what a program gets that says `import tvm` (see sunmao.as_tvm).

Modules here stand in the places that upstream gives them; sunmao.compat.finder serves them under both names.
"""

from sunmao import __version__
from sunmao.compat import contrib, error, ir, relax, runtime, script, target, te, testing, tirx, topi
from sunmao.compat.ir import IRModule, transform
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.vm import compile
from sunmao.compat.runtime import DataType, Device, cpu, device

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
    "error",
    "ir",
    "nd",
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
