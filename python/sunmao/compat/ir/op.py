"""Ops."""

from sunmao.compat.ir.op_attr import register_op_attr
from sunmao.compat.ir.op_class import Op
from sunmao.compat.missing import attribute_of

__all__ = ["Op", "register_op_attr"]

__getattr__ = attribute_of(__name__)
