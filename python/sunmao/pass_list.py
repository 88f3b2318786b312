"""Compiler passes by name, on module values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao


@dataclass(frozen=True)
class PassInfo:
    """The record of a pass. `compat_name` is its name in upstream, or empty. `second_run` states why the pass is not
    idempotent; empty when it is. `needs` and `ensures` name facts, `commutes_with` names passes. `effect` is how
    much the pass may change computed numbers (docs/passes.md). `breaks` is the lowest stage that the output may not
    have though the input had it; empty when all stages are kept."""

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
