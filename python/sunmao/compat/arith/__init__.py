"""Arithmetic on scalar expressions: canonical forms, ranges and proofs."""

from sunmao.compat.arith.analyzer import Analyzer, ConstIntBound
from sunmao.compat.missing import attribute_of

__all__ = ["Analyzer", "ConstIntBound"]

__getattr__ = attribute_of(__name__)
