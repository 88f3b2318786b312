"""Building modules and functions by calls."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.script.ir_builder import base, ir, relax
from sunmao.compat.script.ir_builder.base import IRBuilder, IRBuilderFrame

__all__ = ["IRBuilder", "IRBuilderFrame", "base", "ir", "relax"]

__getattr__ = attribute_of(__name__)
