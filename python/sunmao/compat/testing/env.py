"""Capabilities of this machine."""

from __future__ import annotations

from collections.abc import Callable

from sunmao.compat.missing import attribute_of


def has_llvm() -> bool:
    return True


def _absent() -> bool:
    return False


def _find(name: str) -> Callable[[], bool] | None:
    """Returns False for any other `has_…`: code generation does not support it."""
    return _absent if name.startswith("has_") else None


__getattr__ = attribute_of(__name__, _find)
