"""Traversal of loop-level statements and scalars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.tirx import operators


@checked
def post_order_visit(stmt: _sunmao.Stmt | _sunmao.Scalar, fvisit: Callable[[Any], Any]) -> None:
    """Calls `fvisit` on every node once, operands before users."""
    seen: set[Any] = set()
    for node in _sunmao.post_order(stmt):
        if id(node) not in seen:
            seen.add(id(node))
            fvisit(node)


@checked
def substitute(node: Any, vmap: Mapping[_sunmao.SymVar, Any]) -> Any:
    """Returns the statement or scalar with symbols replaced by scalars."""
    values = {var: operators.loop_scalar(value, var.dtype) for var, value in vmap.items()}
    return _sunmao.substitute(node, values)


__getattr__ = attribute_of(__name__)
