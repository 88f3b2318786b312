"""The loop level."""

from sunmao._sunmao import PrimFunc
from sunmao._sunmao import SymVar as Var
from sunmao.compat.missing import attribute_of

__all__ = ["PrimFunc", "Var"]

__getattr__ = attribute_of(__name__)
