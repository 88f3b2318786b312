"""References for operators, in NumPy."""

from __future__ import annotations

from sunmao.compat.missing import attribute_of

__getattr__ = attribute_of(__name__)
