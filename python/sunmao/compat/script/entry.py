"""Upstream's names of the type constructors of scripts."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.script import types
from sunmao.compat.script.annotation import Annotation

TypeProxy = Annotation
TensorProxy, ShapeProxy, PrimProxy = types.Tensor, types.Shape, types.Prim
TupleProxy, CallableProxy, AnyProxy = types.Tuple, types.Callable, types.Any_

__all__ = ["AnyProxy", "CallableProxy", "PrimProxy", "ShapeProxy", "TensorProxy", "TupleProxy", "TypeProxy"]

__getattr__ = attribute_of(__name__)
