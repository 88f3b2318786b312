"""Comparisons for tests of the loop level."""

from __future__ import annotations

from typing import Any

from sunmao.compat.ir.compare import assert_structural_equal
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of


def _without_symbol(value: Any) -> Any:
    if isinstance(value, IRModule):
        result = value.clone()
        for var, function in value.functions_items():
            result[var] = function.without_attr("global_symbol")
        return result
    return value.without_attr("global_symbol")


def assert_structural_equal_ignore_global_symbol(lhs: Any, rhs: Any, *args: Any, **options: Any) -> None:
    """Fails unless both are structurally equal apart from their global symbols."""
    assert_structural_equal(_without_symbol(lhs), _without_symbol(rhs), *args, **options)


__getattr__ = attribute_of(__name__)
