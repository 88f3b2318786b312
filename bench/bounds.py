"""What is promised of ratios over many models: a bound of their geometric mean, and one of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from best_others import mean_interval
from report import geometric_mean
from rounds import plural

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Bounds:
    title: str  # of the ratio
    mean: float
    each: float
    at_most: bool  # or at least

    def verdict(self, interval: Sequence[float] | None, bound: float) -> str:
        """Tells whether a ratio with this interval keeps a bound: only whole intervals decide."""
        if interval is None:
            return "undecided"
        kept, broken = interval[1] <= bound, interval[0] > bound
        if not self.at_most:
            kept, broken = interval[0] >= bound, interval[1] < bound
        return "yes" if kept else "no" if broken else "undecided"

    def figures(self, rows: Mapping[str, Row], missing: int) -> dict[str, Any]:
        """Returns mean and worst of these ratios, and whether they keep the bounds: no `yes` where some are missing."""
        worst = (max if self.at_most else min)(rows, key=lambda name: float(rows[name]["ratio"]))
        interval = mean_interval(list(rows.values()))
        found = {self.verdict(row["ratio_interval"], self.each) for row in rows.values()}
        each = "no" if "no" in found else "undecided" if missing or "undecided" in found else "yes"
        mean = self.verdict(interval, self.mean)
        return {
            "models": len(rows),
            "missing": missing,
            "mean": geometric_mean([row["ratio"] for row in rows.values()]),
            "mean_interval": interval,
            "mean_kept": "undecided" if missing and mean == "yes" else mean,
            "worst": rows[worst]["ratio"],
            "worst_interval": rows[worst]["ratio_interval"],
            "worst_model": worst,
            "each_kept": each,
        }

    def lines(self, threads: int, found: Row) -> list[str]:
        """Mean and worst, each with the answer to whether it keeps its bound."""
        means, all_of = ("at most", "none above") if self.at_most else ("at least", "none below")
        missing = f", {found['missing']} not measured" if found["missing"] else ""
        mean, worst = (within(found[key], found[f"{key}_interval"]) for key in ("mean", "worst"))
        return [
            f"{plural(threads, 'thread')}, {self.title} ({plural(found['models'], 'row')}{missing}):",
            f"  geometric mean {mean}; {means} {self.mean}: {found['mean_kept']}",
            f"  worst {worst} ({found['worst_model']}); {all_of} {self.each}: {found['each_kept']}",
        ]


def within(value: float, interval: Sequence[float] | None) -> str:
    return f"{value:.3f}" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else "")


def as_page(lines: Sequence[str]) -> str:
    """The lines as the last part of a page in Markdown."""
    points = [f"  - {line.strip()}" if line.startswith(" ") else f"- {line}" for line in lines]
    return "\n".join(["", "## Bounds", "", *points]) + "\n"
