"""The result of a run as tables, for a terminal and as Markdown, and as one line of the history."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engines import ENGINES
from rounds import plural

BASELINE = "sunmao"
MISSING = "—"
Grid = list[list[str]]
Section = tuple[str, Grid, list[str]]  # title, table and notes


def number(value: float) -> str:
    """Three significant digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def percent(value: float) -> str:
    return f"{value:.0%}" if value > 0.0095 else f"{value:.1%}"


def ratio(row: Mapping[str, Any]) -> str:
    """The ratio with its interval; where there are too few rounds for one, their number."""
    if "ratio" not in row:
        return MISSING
    count, interval = row["ratio_rounds"], row["ratio_interval"]
    if interval is None:
        return f"{number(row['ratio'])} ({plural(count, 'round')})"
    return f"{number(row['ratio'])} [{number(interval[0])}, {number(interval[1])}]"


def timing(model: Mapping[str, Any], threads: int) -> Mapping[str, Any]:
    return next((t["engines"] for t in model["timings"] if t["threads"] == threads), {})


def geometric_mean(values: Sequence[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


class Notes:
    """Numbered notes below a table: why a cell is empty. What holds for a whole model stands there once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def lines(self) -> list[str]:
        return [f"({n}) {note}" for note, n in self._numbers.items()]

    def cell(self, model: Mapping[str, Any], engine: str) -> str:
        if why := model["engines"].get(engine, {}).get("reason"):
            note = f"{model['name']}, {ENGINES[engine].title}: {why}"
        elif why := model.get("reason"):
            note = f"{model['name']}: {why}"
        else:
            return MISSING
        return f"{MISSING} ({self._numbers.setdefault(note, len(self._numbers) + 1)})"


def times(result: Mapping[str, Any], threads: int, notes: Notes) -> Grid:
    """Milliseconds of a call, and for each other engine the ratio of its time to Sunmao's."""
    engines = result["settings"]["engines"]
    head = ["model"]
    for engine in engines:
        head += [f"{ENGINES[engine].title} ms"] + ["/ Sunmao"] * (engine != BASELINE)
    grid = [head]
    for model in result["models"]:
        line = [model["name"]]
        for engine in engines:
            row = timing(model, threads).get(engine)
            line.append(number(1e3 * row["seconds"]) if row else notes.cell(model, engine))
            if engine != BASELINE:
                line.append(ratio(row or {}))
        grid.append(line)
    means = ["geometric mean", ""]
    for engine in engines[1:]:
        rows = (timing(model, threads).get(engine, {}) for model in result["models"])
        ratios = [row["ratio"] for row in rows if "ratio" in row]
        means += ["", f"{number(geometric_mean(ratios))} ({plural(len(ratios), 'model')})" if ratios else MISSING]
    return [*grid, means]


def shares(result: Mapping[str, Any], threads: int) -> Grid:
    """The share of the machine's FMA peak and of its bandwidth that each engine reaches."""
    engines = result["settings"]["engines"]
    grid = [["model", "GFLOP", "MB read", *(ENGINES[engine].title for engine in engines)]]
    for model in result["models"]:
        rows = [timing(model, threads).get(engine) for engine in engines]
        if "flops" in model:
            cells = [
                f"{percent(row['peak_share'])} / {percent(row['bandwidth_share'])}" if row else MISSING for row in rows
            ]
            grid.append([model["name"], number(model["flops"] / 1e9), number(model["bytes_read"] / 1e6), *cells])
    return grid


def once(result: Mapping[str, Any], value: Callable[[Mapping[str, Any]], float | None]) -> Grid:
    """What is measured once per engine and model."""
    engines = result["settings"]["engines"]
    grid = [["model", *(ENGINES[engine].title for engine in engines)]]
    for model in result["models"]:
        found = [value(model["engines"].get(engine, {})) for engine in engines]
        grid.append([model["name"], *(MISSING if v is None else number(v) for v in found)])
    return grid


def scaled(key: str, scale: float) -> Callable[[Mapping[str, Any]], float | None]:
    return lambda row: row[key] * scale if key in row else None


def ready(row: Mapping[str, Any]) -> float | None:
    return row["load_seconds"] + row["first_call_seconds"] if "first_call_seconds" in row else None


ONCE: list[tuple[str, Callable[[Mapping[str, Any]], float | None]]] = [
    ("Seconds to compile, where that is a step of its own", scaled("compile_seconds", 1)),
    ("Seconds to load and make the first call, packages imported before", ready),
    ("MB of files that are loaded", scaled("artifact_bytes", 1e-6)),
    ("MB of memory at most, of a process that loads and makes one call", scaled("peak_bytes", 1e-6)),
]


DISTANCE = (
    "Distance of the first call's output from that of exact arithmetic, as % of the largest number",
    scaled("difference", 100),
)


def about(result: Mapping[str, Any]) -> list[str]:
    """What was measured, where: a line each."""
    machine = result["machine"]
    lines = [
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}; "
        f"load average {machine['load_average']} before",
        f"commit {result['commit']}{' with changes' if result['changed'] else ''}, {result['date']}",
        ", ".join(f"{ENGINES[name].title} {version}" for name, version in result["versions"].items()),
    ]
    for row in result["limits"]:
        lines.append(
            f"{plural(row['threads'], 'thread')}: FMA peak {row['fma_gflops']:.0f} GFLOP/s, "
            f"{row['read_gb_s']:.1f} GB/s read, {row['triad_gb_s']:.1f} GB/s in a triad"
        )
    return [line for line in lines if line]


def cores(result: Mapping[str, Any], threads: int) -> str:
    """Says how many cores each engine kept busy, of those that it was given."""
    parts = []
    for engine in result["settings"]["engines"]:
        rows = [timing(model, threads).get(engine) for model in result["models"]]
        used = sorted(row["cores"] for row in rows if row)
        if used:
            parts.append(f"{ENGINES[engine].title} {used[len(used) // 2]:.1f}")
    return f"Cores in use, median of the models: {', '.join(parts)}" if parts else "Nothing ran."


def sections(result: Mapping[str, Any]) -> list[Section]:
    out: list[Section] = []
    for threads in result["settings"]["threads"]:
        notes = Notes()
        grid = times(result, threads, notes)
        title = f"{plural(threads, 'thread')}: time of a call; below 1, the engine is faster than Sunmao"
        out.append((title, grid, [*notes.lines, cores(result, threads)]))
        title = f"{plural(threads, 'thread')}: share of FMA peak / of bandwidth, for reading the weights alone"
        if len(reached := shares(result, threads)) > 1:
            out.append((title, reached, []))
    of_bytes = [DISTANCE] if any("output_step" in model for model in result["models"]) else []
    return out + [(title, once(result, value), []) for title, value in [*of_bytes, *ONCE]]


def as_text(grid: Grid) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    lines = []
    for row in grid:
        cells = [c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))]
        lines.append("  ".join(cells).rstrip())
    return [lines[0], "─" * max(map(len, lines)), *lines[1:]]


def as_markdown(grid: Grid) -> list[str]:
    rows = [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in grid]
    return [rows[0], f"|{'---|' * len(grid[0])}", *rows[1:]]


def best_others(result: Mapping[str, Any]) -> list[str]:
    """By thread counts, the least ratio of the best other engine's time to Sunmao's, and the mean over the models."""
    lines = []
    for threads in result["settings"]["threads"]:
        ratios = {}
        for model in result["models"]:
            others = [row["ratio"] for row in timing(model, threads).values() if "ratio" in row]
            if others:
                ratios[model["name"]] = min(others)
        if ratios:
            least = min(ratios, key=lambda name: ratios[name])
            mean = geometric_mean(list(ratios.values()))
            lines.append(
                f"{plural(threads, 'thread')}, best other engine / Sunmao: least {ratios[least]:.3f} ({least}), "
                f"geometric mean {mean:.3f} ({plural(len(ratios), 'model')})"
            )
    return lines


def terminal(result: Mapping[str, Any]) -> str:
    return text(result, sections(result), best_others(result))


def text(result: Mapping[str, Any], parts: Sequence[Section], last: Sequence[str]) -> str:
    lines = about(result)
    for title, grid, notes in parts:
        lines += ["", title, "", *as_text(grid), *notes]
    return "\n".join([*lines, "", *last])


def markdown(result: Mapping[str, Any]) -> str:
    return page(result, sections(result))


def page(result: Mapping[str, Any], parts: Sequence[Section]) -> str:
    lines = [
        "# Engines compared",
        "",
        *(f"- {line}" for line in about(result)),
        "",
        f"![ratios]({result['settings'].get('results', 'latest')}.svg)",
    ]
    for title, grid, notes in parts:
        lines += ["", f"## {title}", "", *as_markdown(grid), *(["", *(f"- {n}" for n in notes)] if notes else [])]
    return "\n".join(lines) + "\n"


def history_line(result: Mapping[str, Any]) -> str:
    """One line of JSON: by model and thread count the milliseconds, and ratios with interval and rounds; why an engine
    has none."""

    def short(row: Mapping[str, Any]) -> dict[str, Any]:
        out: dict[str, Any] = {"ms": round(1e3 * row["seconds"], 4), "rounds": row["rounds"]}
        if "ratio" in row:
            interval = row["ratio_interval"]
            out["ratio"] = round(row["ratio"], 4)
            out["interval"] = None if interval is None else [round(v, 4) for v in interval]
        return out

    models: dict[str, dict[str, Any]] = {
        model["name"]: {str(t["threads"]): {e: short(r) for e, r in t["engines"].items()} for t in model["timings"]}
        for model in result["models"]
    }
    for model in result["models"]:
        reasons = {e: row["reason"] for e, row in model["engines"].items() if "reason" in row}
        if reasons or "reason" in model:
            models[model["name"]]["reasons"] = reasons or {"all": model["reason"]}
    kept = {k: result[k] for k in ("format", "date", "commit", "changed", "machine", "versions", "limits")}
    return json.dumps({**kept, "seconds": result["settings"]["seconds"], "models": models}) + "\n"
