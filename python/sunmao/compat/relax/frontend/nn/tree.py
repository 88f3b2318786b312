"""Walks over the parts of a module by name: modules inside it, parameters and effects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sunmao.compat.missing import attribute_of
from sunmao.errors import fail


def parts_of(node: Any) -> list[tuple[str, Any]]:
    """Returns what a module holds itself, by name; nothing for what is no module."""
    own = getattr(node, "_parts", None)
    return [] if own is None else [(str(name), part) for name, part in own()]


def named_members(root: Any, prefix: str, kind: type) -> Iterator[tuple[str, Any]]:
    """Yields the parts of this class below a module, each under its dotted name."""
    yield from _members(root, prefix, kind, ())


def _members(node: Any, prefix: str, kind: type, outer: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    if any(node is module for module in outer):
        raise fail("E0034", f"the module {type(node).__name__} contains itself, as `{prefix.rstrip('.')}`")
    for name, part in parts_of(node):
        if isinstance(part, kind):
            yield prefix + name, part
        else:
            yield from _members(part, f"{prefix}{name}.", kind, (*outer, node))


__getattr__ = attribute_of(__name__)
