"""Attributes."""

from sunmao.compat.ir.attrs_class import Attrs, DictAttrs
from sunmao.compat.ir.kinds import make_node
from sunmao.compat.missing import attribute_of

__all__ = ["Attrs", "DictAttrs", "make_node"]

__getattr__ = attribute_of(__name__)
