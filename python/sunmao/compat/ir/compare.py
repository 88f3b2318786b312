"""Comparison by structure: names of variables do not count, their places do."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.errors import fail


def _native(value: Any) -> Any:
    return value.__sunmao_module__() if isinstance(value, IRModule) else value


def structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> bool:
    a, b = _native(lhs), _native(rhs)
    kinds = (_sunmao.Module, _sunmao.Type, _sunmao.Expr)
    if not any(isinstance(a, kind) and isinstance(b, kind) for kind in kinds):
        return bool(a == b)
    return _sunmao.structural_equal(a, b, map_free_vars)


def assert_structural_equal(lhs: Any, rhs: Any, map_free_vars: bool = False) -> None:
    """Fails (E0038, a ValueError) with the place of the first difference, and both texts."""
    if structural_equal(lhs, rhs, map_free_vars):
        return
    a, b = _native(lhs), _native(rhs)
    try:
        where = _sunmao.first_difference(a, b, map_free_vars)
    except TypeError:
        where = f"{a!r} against {b!r}"
    raise fail("E0038", f"not equal: {where}\n--- left ---\n{a!r}\n--- right ---\n{b!r}")


def structural_hash(value: Any) -> int:
    return _sunmao.structural_hash(_native(value))
