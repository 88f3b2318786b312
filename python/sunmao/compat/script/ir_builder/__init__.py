"""Construction of modules and functions by calls inside `with` statements."""

from sunmao.compat.missing import attribute_of
from sunmao.compat.script.ir_builder import base, ir, relax, tirx
from sunmao.compat.script.ir_builder.base import IRBuilder, IRBuilderFrame

tir = tirx

__all__ = ["IRBuilder", "IRBuilderFrame", "base", "ir", "relax", "tir", "tirx"]

__getattr__ = attribute_of(__name__)
