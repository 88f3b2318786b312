"""References for operators, in NumPy."""

from __future__ import annotations

from sunmao.compat.missing import attribute_of
from sunmao.compat.topi.box_references import get_valid_counts_python as get_valid_counts_python
from sunmao.compat.topi.box_references import non_max_suppression_python as non_max_suppression_python

__getattr__ = attribute_of(__name__)
