"""Prints, as one line of JSON, how the best other engine compares with Sunmao in the latest run of `make bench`.

Usage: best_others.py [--group NAME=MODEL,MODEL ...]

For each group of models and each thread count: the least ratio of the best other engine's time to Sunmao's, and the
geometric mean of these ratios, both with their intervals. Without groups, `all` has the models of the run. A model
without a ratio is an error: the figures are those of all models of the group.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from report import geometric_mean, timing

LATEST = Path(__file__).resolve().parent.parent / "build" / "bench" / "latest.json"


def best_other(model: Mapping[str, Any], threads: int) -> Mapping[str, Any]:
    """Returns the row of the engine, other than Sunmao, whose ratio is the least."""
    rows = [row for row in timing(model, threads).values() if "ratio" in row]
    if not rows:
        raise SystemExit(f"best_others: {model['name']} has no ratio by {threads} threads")
    return min(rows, key=lambda row: float(row["ratio"]))


def mean_interval(rows: Sequence[Mapping[str, Any]]) -> list[float] | None:
    """Returns an interval of the geometric mean of ratios, whose errors are independent: the distances from their
    medians to the ends of their intervals, in logarithms, add up as squares. None where a ratio has no interval."""
    if any(row["ratio_interval"] is None for row in rows):
        return None
    mean = geometric_mean([row["ratio"] for row in rows])
    low, high = (
        math.sqrt(sum(math.log(row["ratio"] / row["ratio_interval"][end]) ** 2 for row in rows)) / len(rows)
        for end in (0, 1)
    )
    return [mean * math.exp(-low), mean * math.exp(high)]


def figures(models: Sequence[Mapping[str, Any]], threads: int) -> dict[str, Any]:
    rows = {model["name"]: best_other(model, threads) for model in models}
    least = min(rows, key=lambda name: float(rows[name]["ratio"]))
    return {
        "models": len(rows),
        "least_model": least,
        "least": rows[least]["ratio"],
        "least_interval": rows[least]["ratio_interval"],
        "mean": geometric_mean([row["ratio"] for row in rows.values()]),
        "mean_interval": mean_interval(list(rows.values())),
    }


def by_group(result: Mapping[str, Any], groups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    models = {model["name"]: model for model in result["models"]}
    out: dict[str, Any] = {}
    for group, names in {"all": list(models), **groups}.items():
        if missing := [name for name in names if name not in models]:
            raise SystemExit(f"best_others: the latest run has no {', '.join(missing)}")
        counts = result["settings"]["threads"]
        out[group] = {str(threads): figures([models[name] for name in names], threads) for threads in counts}
    return out


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", action="append", default=[], metavar="NAME=MODEL,MODEL")
    arguments = parser.parse_args(argv)
    if not LATEST.exists():
        raise SystemExit("best_others: there is no run: `make bench` makes one")
    groups = {name: models.split(",") for name, _, models in (text.partition("=") for text in arguments.group)}
    print(json.dumps(by_group(json.loads(LATEST.read_text()), groups)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
