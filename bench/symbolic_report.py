"""The result of `make bench-symbolic`: symbols against constants and against the best other engine, and the bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import report
from best_others import OURS
from bounds import Bounds, as_page
from engines import ENGINES
from report import BASELINE, MISSING, Grid, Section, number, ratio
from rounds import plural, summary

CONSTANT = "constant"
BOUNDS = {
    "constant": Bounds("Sunmao / constant", 1.05, 1.12, at_most=True),
    "other": Bounds("best other engine / Sunmao", 1.0, 0.92, at_most=False),
}
LOSERS = 5  # kernels that a table shows for each size
Row = Mapping[str, Any]


def of_constant(model: Row, threads: int) -> Row:
    """Returns Sunmao's row with the ratio of its time to that with constants; empty without one of the two."""
    rounds = [r for t in model["timings"] if t["threads"] == threads for r in t["rounds"]]
    row = summary(rounds, CONSTANT).get(BASELINE, {})
    return row if "ratio" in row else {}


def best_other(model: Row, threads: int) -> tuple[str, Row]:
    """Returns the engine, other than Sunmao, whose ratio is the least, and its row; nothing where there is none."""
    rows = {e: r for e, r in report.timing(model, threads).items() if "ratio" in r and e not in OURS}
    name = min(rows, key=lambda engine: float(rows[engine]["ratio"]), default="")
    return name, rows.get(name, {})


def by_threads(result: Row) -> dict[str, dict[str, Any]]:
    """Returns by thread count the figures against constants and against the best other engines, where there are any."""
    out: dict[str, dict[str, Any]] = {}
    for threads in result["settings"]["threads"]:
        models = result["models"]
        constants = {m["name"]: row for m in models if (row := of_constant(m, threads))}
        others = {m["name"]: row for m in models if (row := best_other(m, threads)[1])}
        found = out[str(threads)] = {}
        if constants:
            found["constant"] = BOUNDS["constant"].figures(constants, len(models) - len(constants))
        if others:
            found["other"] = BOUNDS["other"].figures(others, len(models) - len(others))
    return out


def bounds(result: Row) -> list[str]:
    found = by_threads(result)
    return [
        line
        for threads, rows in found.items()
        for key, row in rows.items()
        for line in BOUNDS[key].lines(int(threads), row)
    ]


def compared(result: Row, threads: int) -> Grid:
    grid = [["model", "Sunmao ms", "constant ms", "Sunmao / constant", "best other", "ms", "best other / Sunmao"]]
    for model in result["models"]:
        rows, (name, other) = report.timing(model, threads), best_other(model, threads)
        own = [number(1e3 * rows[e]["seconds"]) if e in rows else MISSING for e in (BASELINE, CONSTANT)]
        best = [ENGINES[name].title, number(1e3 * other["seconds"])] if other else [MISSING, MISSING]
        grid.append([model["name"], *own, ratio(of_constant(model, threads)), *best, ratio(other)])
    return grid


def other_forms(result: Row) -> list[str]:
    """Tells which models Sunmao reads in another form than the other engines, and why."""
    rows = {m["name"].partition(" ")[0]: m["engines"].get(BASELINE, {}) for m in result["models"]}
    return [
        f"{name}: Sunmao reads the .{row['form']} file, as it refuses the ONNX file: {row['refused']}"
        for name, row in rows.items()
        if "refused" in row
    ]


def kernels(result: Row) -> Grid:
    """The kernels that lose most, by models."""
    grid = [["model", "kernel", "family", "nodes", "µs", "constant µs", "loss µs"]]
    for model in result["models"]:
        for row in model.get("kernels", [])[:LOSERS]:
            if (loss := row["symbolic"] - row["constant"]) > 0:
                times = (number(1e6 * t) for t in (row["symbolic"], row["constant"], loss))
                grid.append([model["name"], row["kernel"], row["family"], str(row["nodes"]), *times])
    return grid


def sections(result: Row) -> list[Section]:
    out: list[Section] = []
    for threads in result["settings"]["threads"]:
        title = f"{plural(threads, 'thread')}: symbols beside constants and the best other engine"
        out.append((title, compared(result, threads), other_forms(result)))
    if any(model.get("kernels") for model in result["models"]):
        note = "Times are of all kernels of the nodes on which this one takes longest; 0: folded, or fused elsewhere."
        out.append(("Kernels that lose most with symbols, medians of a run", kernels(result), [note]))
    return [*out, *report.sections(result)]


def terminal(result: Row) -> str:
    return report.text(result, sections(result), bounds(result))


def markdown(result: Row) -> str:
    return report.page(result, sections(result)) + as_page(bounds(result))
