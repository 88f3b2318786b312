"""The loop level: scalars, statements, functions."""

from sunmao._sunmao import PrimFunc
from sunmao.compat.missing import attribute_of
from sunmao.compat.tirx import op, operators, scalar_classes
from sunmao.compat.tirx import scalar_classes as expr
from sunmao.compat.tirx.index_map import IndexMap
from sunmao.compat.tirx.scalar_classes import (
    Broadcast,
    Cast,
    FloatImm,
    IntImm,
    Let,
    Not,
    PrimExpr,
    Ramp,
    Select,
    SizeVar,
    StringImm,
    Var,
)

globals().update(scalar_classes.BINARY_CLASSES)

__all__ = [
    "Broadcast",
    "Cast",
    "FloatImm",
    "IndexMap",
    "IntImm",
    "Let",
    "Not",
    "PrimExpr",
    "PrimFunc",
    "Ramp",
    "Select",
    "SizeVar",
    "StringImm",
    "Var",
    "expr",
    "op",
    "operators",
    *scalar_classes.BINARY_CLASSES,
]

__getattr__ = attribute_of(__name__, op.find)
