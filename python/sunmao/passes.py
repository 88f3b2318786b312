"""Compiler passes by name, on module values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao


@dataclass(frozen=True)
class PassInfo:
    """A pass. `compat_name` is what upstream calls it, or empty; `second_run` says why twice is not once, and is empty
    where it is. `needs` and `ensures` name facts, `commutes_with` passes. `effect` says what becomes of
    numbers: exact, rounds, reorders or changes. `breaks` is the first stage that a module
    may lose by it, or nothing."""

    name: str
    summary: str
    compat_name: str
    is_idempotent: bool
    params: list[tuple[str, str, Any]]  # name, what it is, default
    explains: bool
    effect: str
    breaks: str
    needs: list[str]
    ensures: list[str]
    second_run: str
    commutes_with: list[str]


@dataclass(frozen=True)
class FactInfo:
    """A fact: a checkable property of a module."""

    name: str
    summary: str


def passes() -> list[PassInfo]:
    """Returns all passes, in the order of the pass table."""
    return [PassInfo(**row) for row in _sunmao.passes()]


def facts() -> list[FactInfo]:
    """Returns the facts that passes may need and ensure."""
    return [FactInfo(name, summary) for name, summary in _sunmao.facts()]


def run_pass(
    module: _sunmao.Module,
    name: str,
    /,
    config: Mapping[str, Any] | None = None,
    opt_level: int = 2,
    target: str = "host",
    **arguments: Any,
) -> _sunmao.Module:
    """Returns the result of the pass; `module` itself when nothing changes. Arguments are passed by parameter name."""
    return _sunmao.run_pass(module, name, dict(config or {}), opt_level, target, arguments)
