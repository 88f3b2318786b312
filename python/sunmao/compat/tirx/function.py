"""Functions of the loop level."""

from sunmao._sunmao import PrimFunc
from sunmao.compat.missing import attribute_of
from sunmao.compat.tirx.index_map import IndexMap

__all__ = ["IndexMap", "PrimFunc"]

__getattr__ = attribute_of(__name__)
