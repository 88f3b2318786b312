"""Functions of the loop level."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.tirx.index_map import IndexMap
from sunmao.compat.tirx.prim_func import PrimFunc

__all__ = ["IndexMap", "PrimFunc"]

__getattr__ = attribute_of(__name__)
