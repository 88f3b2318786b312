"""The result of a run as an SVG picture: the time of each engine relative to Sunmao's, on a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from engines import ENGINES
from report import BASELINE, number, timing
from rounds import plural

COLORS = {
    "constant": "#333333",
    "torch": "#d1495b",
    "onnxruntime": "#2e6fba",
    "openvino": "#8a5fbf",
    "compile": "#e08e1b",
    "frozen": "#b5651d",
    "backend": "#4a9d5b",
}
NAMES, PANEL, GAP, ROW, TOP, BOTTOM = 150, 360, 90, 30, 112, 44  # lengths in pixels
LETTER = 7  # of a name, about
LEAST_WIDTH = 900  # for the title and the legend
TICKS = [a * 10**b for b in range(-4, 5) for a in (1, 2, 5)]


def text(
    x: float, y: float, what: str, anchor: str = "start", size: int = 12, fill: str = "#222", bold: bool = False
) -> str:
    weight = ' font-weight="600"' if bold else ""
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{fill}"{weight}'
    return f"<text {place}>{escape(what)}</text>"


def line(x1: float, y1: float, x2: float, y2: float, stroke: str, width: float = 1) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{stroke}" stroke-width="{width}"/>'


class Axis:
    """A logarithmic axis over all ratios of the run, 1 included."""

    def __init__(self, values: Sequence[float], left: float) -> None:
        low, high = min([*values, 0.8]) / 1.15, max([*values, 1.25]) * 1.15
        self._low, self._span, self._left = math.log(low), math.log(high / low), left
        ticks = [t for t in TICKS if low <= t <= high]
        self.ticks = ticks if len(ticks) <= 7 else [t for t in ticks if math.log10(t) == round(math.log10(t))]

    def __call__(self, value: float) -> float:
        return self._left + PANEL * (math.log(value) - self._low) / self._span


def ratios(result: Mapping[str, Any]) -> list[float]:
    rows = [row for m in result["models"] for t in m["timings"] for row in t["engines"].values() if "ratio" in row]
    return [v for row in rows for v in [row["ratio"], *(row["ratio_interval"] or [])]]


def mark(row: Mapping[str, Any], axis: Axis, y: float, color: str) -> list[str]:
    """A dot with the interval as a line; hollow where there are too few rounds for an interval."""
    out = []
    if row["ratio_interval"] is not None:
        low, high = row["ratio_interval"]
        out.append(line(axis(low), y, axis(high), y, color, 2))
    fill = "white" if row["ratio_interval"] is None else color
    dot = f'cx="{axis(row["ratio"]):.1f}" cy="{y:.1f}" r="4" fill="{fill}" stroke="{color}" stroke-width="1.5"'
    return [*out, f"<circle {dot}/>"]


def panel(result: Mapping[str, Any], threads: int, left: float, bottom: float) -> list[str]:
    axis = Axis(ratios(result), left)
    out = [text(left, TOP - 26, plural(threads, "thread"), bold=True, size=13)]
    out.append(text(left + PANEL + 8, TOP - 10, "Sunmao ms", size=11, fill="#666"))
    for tick in axis.ticks:
        out.append(line(axis(tick), TOP, axis(tick), bottom, "#e4e4e4"))
        out.append(text(axis(tick), bottom + 16, f"{tick:g}×", "middle", 11, "#666"))
    out.append(line(axis(1), TOP - 6, axis(1), bottom, "#1b7f5c", 2))
    others = [e for e in result["settings"]["engines"] if e != BASELINE]
    for i, model in enumerate(result["models"]):
        rows, y = timing(model, threads), TOP + ROW * i
        if BASELINE in rows:
            out.append(text(left + PANEL + 8, y + ROW / 2 + 4, number(1e3 * rows[BASELINE]["seconds"]), size=11))
        else:
            out.append(text(axis(1) + 6, y + ROW / 2 + 4, "not timed", size=11, fill="#999"))
        for j, engine in enumerate(others):
            if "ratio" in rows.get(engine, {}):
                out += mark(rows[engine], axis, y + ROW * (j + 1) / (len(others) + 1), COLORS[engine])
    return out


def legend(engines: Sequence[str], left: float) -> list[str]:
    out, x = [line(left, 58, left + 16, 58, "#1b7f5c", 2), text(left + 22, 62, "Sunmao = 1")], left + 112
    for engine in engines:
        out.append(f'<circle cx="{x}" cy="58" r="4" fill="{COLORS[engine]}"/>')
        out.append(text(x + 10, 62, ENGINES[engine].title))
        x += 34 + 7 * len(ENGINES[engine].title)
    return out


def draw(result: Mapping[str, Any]) -> str:
    counts, models = result["settings"]["threads"], result["models"]
    bottom = TOP + ROW * len(models)
    left = max([NAMES, *(24 + LETTER * len(model["name"]) for model in models)])
    width, height = max(left + len(counts) * (PANEL + GAP), LEAST_WIDTH), bottom + BOTTOM
    machine = result["machine"]
    out = [text(12, 24, "Time of a call, relative to Sunmao's: left of 1, the engine is faster", size=15, bold=True)]
    where = (
        f"{machine['cpu']}, {machine['cores']} cores; commit {result['commit']}, {result['date'][:10]}; load average "
    )
    where += f"{machine['load_average']} before"
    out.append(
        text(12, 42, f"{where}. Lines: 95 % intervals of the median; hollow: too few rounds", size=11, fill="#666")
    )
    out += legend([e for e in result["settings"]["engines"] if e != BASELINE], left)
    for i, model in enumerate(models):
        y = TOP + ROW * i
        if i % 2 == 0:
            out.insert(0, f'<rect x="0" y="{y}" width="{width}" height="{ROW}" fill="#f7f7f5"/>')
        out.append(text(left - 12, y + ROW / 2 + 4, model["name"], "end"))
    for i, threads in enumerate(counts):
        out += panel(result, threads, left + i * (PANEL + GAP), bottom)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">'
    body = [f'<rect width="{width}" height="{height}" fill="white"/>', *out]
    return "\n".join([head, *body, "</svg>"]) + "\n"
