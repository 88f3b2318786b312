"""Definitions that both levels share: expressions and ranges."""

from __future__ import annotations

from sunmao import _sunmao
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.expr import BaseFunc, Call, Expr, GlobalVar, Var
from sunmao.compat.tirx.range import Range
from sunmao.compat.tirx.scalar_classes import PrimExpr


def is_prim_expr(value: object) -> bool:
    """Returns whether the value is a scalar expression, or a variable of scalar type."""
    if isinstance(value, _sunmao.Expr):
        return isinstance(value.type, _sunmao.PrimType)
    return isinstance(value, _sunmao.Scalar)


def is_prim_var(value: object) -> bool:
    return isinstance(value, _sunmao.SymVar) or (isinstance(value, _sunmao.Var) and is_prim_expr(value))


__all__ = ["BaseFunc", "Call", "Expr", "GlobalVar", "PrimExpr", "Range", "Var", "is_prim_expr", "is_prim_var"]

__getattr__ = attribute_of(__name__)
