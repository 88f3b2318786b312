"""Paths from a node to a part of it."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.paths import AccessPath

__all__ = ["AccessPath"]

__getattr__ = attribute_of(__name__)
