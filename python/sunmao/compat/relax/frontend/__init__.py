"""Front ends: models of other frameworks become modules."""

from sunmao.compat.missing import at_first_use, attribute_of
from sunmao.compat.relax.frontend import onnx, torch
from sunmao.compat.relax.frontend.parameters import detach_params

__all__ = ["detach_params", "onnx", "torch"]

# `nn` takes a third of the time of the front ends.
__getattr__ = attribute_of(__name__, at_first_use(__name__, "nn"))
