"""The result of `make bench-trained`: the tables of all runs, and what is promised against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import report
from bounds import Bounds, as_page

OTHER = "onnxruntime"
BOUNDS = Bounds("ONNX Runtime / Sunmao", 1.05, 0.97, at_most=False)
Row = Mapping[str, Any]


def by_threads(result: Row) -> dict[str, dict[str, Any]]:
    """Returns by thread count the figures against ONNX Runtime, where there are any."""
    out: dict[str, dict[str, Any]] = {}
    for threads in result["settings"]["threads"]:
        timings = {model["name"]: report.timing(model, threads).get(OTHER, {}) for model in result["models"]}
        rows = {name: row for name, row in timings.items() if "ratio" in row}
        out[str(threads)] = {OTHER: BOUNDS.figures(rows, len(timings) - len(rows))} if rows else {}
    return out


def bounds(result: Row) -> list[str]:
    found = by_threads(result)
    return [
        line for threads, rows in found.items() for row in rows.values() for line in BOUNDS.lines(int(threads), row)
    ]


def terminal(result: Row) -> str:
    return report.text(result, report.sections(result), bounds(result))


def markdown(result: Row) -> str:
    return report.page(result, report.sections(result)) + as_page(bounds(result))
