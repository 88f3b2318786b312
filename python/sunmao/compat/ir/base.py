"""Spans, and what everything else leans on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sunmao.compat.ir.compare import assert_structural_equal, structural_equal, structural_hash
from sunmao.compat.ir.serial import load_json, save_json
from sunmao.compat.missing import attribute_of

Node = object


@dataclass(frozen=True)
class SourceName:
    """The name of a source."""

    name: str


@dataclass(frozen=True)
class Span:
    """A part of a source, lines and columns counted from 1."""

    source_name: SourceName
    line: int
    end_line: int
    column: int
    end_column: int


@dataclass(frozen=True)
class SequentialSpan:
    """Several spans."""

    spans: Sequence[Span]


__all__ = [
    "Node", "SequentialSpan", "SourceName", "Span", "assert_structural_equal", "load_json", "save_json",
    "structural_equal", "structural_hash",
]  # fmt: skip

__getattr__ = attribute_of(__name__)
