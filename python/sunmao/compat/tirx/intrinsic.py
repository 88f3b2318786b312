"""Intrinsics as callees of loop-level calls."""

from __future__ import annotations

from dataclasses import dataclass

from sunmao import _sunmao
from sunmao.compat.facade import extend


@dataclass(frozen=True)
class Intrinsic:
    """An intrinsic by name."""

    name: str

    def same_as(self, other: object) -> bool:
        return self == other

    def __str__(self) -> str:
        return f"Op({self.name})"


extend(_sunmao.ScalarCall, op=property(lambda self: Intrinsic(f"tirx.{self.name}")))
