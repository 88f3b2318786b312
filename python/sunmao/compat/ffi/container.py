"""Containers."""

from sunmao.compat.ir.container import Array, Map
from sunmao.compat.missing import attribute_of

List = Array
Dict = Map

__all__ = ["Array", "Dict", "List", "Map"]

__getattr__ = attribute_of(__name__)
