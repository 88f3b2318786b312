"""The result of `make bench-symbolic`: symbols against constants and against the best other engine, and the bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import report
from best_others import OURS, mean_interval
from engines import ENGINES
from report import BASELINE, MISSING, Grid, Section, geometric_mean, number, ratio
from rounds import plural, summary

CONSTANT = "constant"
MOST_MEAN, MOST = 1.05, 1.12  # of the time with symbols to that with constants: geometric mean, and each
LEAST_MEAN, LEAST = 1.0, 0.92  # of the best other engine's time to that with symbols
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


def verdict(interval: Sequence[float] | None, bound: float, at_most: bool) -> str:
    """Tells whether a figure with this interval keeps a bound."""
    if interval is None:
        return "undecided"
    kept, broken = interval[1] <= bound, interval[0] > bound
    if not at_most:
        kept, broken = interval[0] >= bound, interval[1] < bound
    return "yes" if kept else "no" if broken else "undecided"


def verdict_of_each(rows: Sequence[Row], bound: float, at_most: bool) -> str:
    """Tells whether each of these ratios keeps a bound."""
    found = {verdict(row["ratio_interval"], bound, at_most) for row in rows}
    return "no" if "no" in found else "undecided" if "undecided" in found else "yes"


def figures(rows: Mapping[str, Row], missing: int, bounds: tuple[float, float], at_most: bool) -> dict[str, Any]:
    """Returns mean and worst of these ratios, and whether they keep the bounds: never `yes` where some are missing."""
    worst = (max if at_most else min)(rows, key=lambda name: float(rows[name]["ratio"]))
    interval = mean_interval(list(rows.values()))
    kept = [verdict(interval, bounds[0], at_most), verdict_of_each(list(rows.values()), bounds[1], at_most)]
    return {
        "models": len(rows),
        "missing": missing,
        "mean": geometric_mean([row["ratio"] for row in rows.values()]),
        "mean_interval": interval,
        "mean_kept": "undecided" if missing and kept[0] == "yes" else kept[0],
        "worst": rows[worst]["ratio"],
        "worst_interval": rows[worst]["ratio_interval"],
        "worst_model": worst,
        "each_kept": "undecided" if missing and kept[1] == "yes" else kept[1],
    }


def by_threads(result: Row) -> dict[str, dict[str, Any]]:
    """Returns by thread count the figures against constants and against the best other engines, where there are any."""
    out: dict[str, dict[str, Any]] = {}
    for threads in result["settings"]["threads"]:
        models = result["models"]
        constants = {m["name"]: row for m in models if (row := of_constant(m, threads))}
        others = {m["name"]: row for m in models if (row := best_other(m, threads)[1])}
        found = out[str(threads)] = {}
        if constants:
            found["constant"] = figures(constants, len(models) - len(constants), (MOST_MEAN, MOST), at_most=True)
        if others:
            found["other"] = figures(others, len(models) - len(others), (LEAST_MEAN, LEAST), at_most=False)
    return out


def within(value: float, interval: Sequence[float] | None) -> str:
    return f"{value:.3f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")


def bounds(result: Row) -> list[str]:
    """Mean and worst, each with the answer to whether it keeps its bound."""
    lines = []
    words = {
        "constant": ("Sunmao / constant", f"at most {MOST_MEAN}", f"none above {MOST}"),
        "other": ("best other engine / Sunmao", f"at least {LEAST_MEAN}", f"none below {LEAST}"),
    }
    for threads, found in by_threads(result).items():
        for key, row in found.items():
            title, mean, each = words[key]
            missing = f", {row['missing']} not measured" if row["missing"] else ""
            lines += [
                f"{plural(int(threads), 'thread')}, {title} ({plural(row['models'], 'size')}{missing}):",
                f"  geometric mean {within(row['mean'], row['mean_interval'])}; {mean}: {row['mean_kept']}",
                f"  worst {within(row['worst'], row['worst_interval'])} ({row['worst_model']}); "
                f"{each}: {row['each_kept']}",
            ]
    return lines


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
    lines = [
        "",
        "## Bounds",
        "",
        *(f"- {line}" if line[0] != " " else f"  - {line.strip()}" for line in bounds(result)),
    ]
    return report.page(result, sections(result)) + "\n".join(lines) + "\n"
