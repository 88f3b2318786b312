"""Modules, and comparison by structure."""

from sunmao._sunmao import BaseFunc, GlobalInfo, GlobalVar, Op, Type, VDevice
from sunmao.compat.ir import transform
from sunmao.compat.ir.compare import assert_structural_equal, structural_equal, structural_hash
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of

__all__ = [
    "BaseFunc",
    "GlobalInfo",
    "GlobalVar",
    "IRModule",
    "Op",
    "Type",
    "VDevice",
    "assert_structural_equal",
    "structural_equal",
    "structural_hash",
    "transform",
]

__getattr__ = attribute_of(__name__)
