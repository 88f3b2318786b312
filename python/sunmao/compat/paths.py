"""Paths from a node to a part of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class AccessPath:
    """A path from a root node to a part: `.attr("body")`, `.array_item(0)`, `.map_item("x")`."""

    steps: tuple[tuple[str, Any], ...] = ()

    @staticmethod
    def root() -> AccessPath:
        return AccessPath()

    def attr(self, name: str) -> AccessPath:
        return AccessPath((*self.steps, ("attr", name)))

    def array_item(self, index: int) -> AccessPath:
        return AccessPath((*self.steps, ("item", index)))

    def map_item(self, key: Any) -> AccessPath:
        return AccessPath((*self.steps, ("key", key)))

    def __str__(self) -> str:
        return "<root>" + "".join(f".{value}" if kind == "attr" else f"[{value!r}]" for kind, value in self.steps)
