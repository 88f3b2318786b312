"""Front ends: models of other frameworks become modules."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend import nn, onnx, padding, torch
from sunmao.compat.relax.frontend.parameters import detach_params

__all__ = ["detach_params", "nn", "onnx", "torch"]

__getattr__ = attribute_of(__name__)
