"""What can be said of expressions and modules without running them."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.expr_functor import PyExprVisitor


def free_vars(expr: Any) -> list[_sunmao.Var]:
    """Variables that are used and not defined inside, in order of first use."""
    return _sunmao.free_vars(expr)


def post_order_visit(expr: Any, fvisit: Any) -> None:
    """Calls `fvisit` with each expression inside, operands before what uses them."""

    class Visitor(PyExprVisitor):
        def visit_expr(self, e: Any) -> None:
            super().visit_expr(e)
            fvisit(e)

    Visitor().visit_expr(expr)


__getattr__ = attribute_of(__name__)
