"""Spans, and what everything else leans on."""

from sunmao.compat.ir.compare import assert_structural_equal, structural_equal, structural_hash
from sunmao.compat.ir.serial import load_json, save_json
from sunmao.compat.missing import attribute_of
from sunmao.compat.spans import SequentialSpan, SourceName, Span

Node = object

__all__ = [
    "Node", "SequentialSpan", "SourceName", "Span", "assert_structural_equal", "load_json", "save_json",
    "structural_equal", "structural_hash",
]  # fmt: skip

__getattr__ = attribute_of(__name__)
