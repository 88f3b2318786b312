"""Tensor expressions: tensors defined by their elements, and loop-level functions made of them."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.te import operators
from sunmao.compat.te.prim_func import create_prim_func
from sunmao.compat.te.reduction import comm_reducer, max, min, sum
from sunmao.compat.te.symbols import size_var, var
from sunmao.compat.te.tensor import IterVar, Operation, Reduce, Tensor, compute, placeholder, reduce_axis
from sunmao.compat.tirx import op as _scalar_ops

__getattr__ = attribute_of(__name__, _scalar_ops.find)
