"""Prints, as one line of JSON, how the best other engine compares with Sunmao in the latest run of `make bench`.

Usage: best_others.py [--quantised] [--base backend] [--group NAME=MODEL,MODEL ...]

For each group of models and each thread count: the least ratio of the best other engine's time to Sunmao's, and the
geometric mean of these ratios, both with their intervals. Without groups, `all` has the models of the run. A model
without a ratio is an error: the figures are those of all models of the group.

With `--quantised`, the run is the latest of `make bench-quantised`.

With `--base backend`, torch.compile by Sunmao is compared with the engines that are not Sunmao's; `start` is the least
ratio of their times to load, compile and make the first call to its own, and `start_mean` the geometric mean.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from report import geometric_mean, ready, timing
from rounds import summary

OURS = ("sunmao", "constant", "backend")
LATEST = Path(__file__).resolve().parent.parent / "build" / "bench" / "latest.json"
QUANTISED = LATEST.with_name("quantised.json")


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


def with_base(model: Mapping[str, Any], base: str) -> dict[str, Any]:
    """Returns the model with ratios of the engines that are not Sunmao's to `base`, in the same rounds."""

    def rows(rounds: Sequence[Any]) -> dict[str, Any]:
        return {engine: row for engine, row in summary(rounds, base).items() if engine not in OURS}

    return {**model, "timings": [{**t, "engines": rows(t["rounds"])} for t in model["timings"]]}


def start_ratio(model: Mapping[str, Any], base: str) -> float:
    """Returns the least time to start, of the engines that are not Sunmao's, as a multiple of that of `base`."""
    started = {engine: ready(row) for engine, row in model["engines"].items()}
    others = [seconds for engine, seconds in started.items() if engine not in OURS and seconds is not None]
    own = started.get(base)
    if own is None or not others:
        raise SystemExit(f"best_others: {model['name']} has no times to start")
    return min(others) / own


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


def by_group(result: Mapping[str, Any], groups: Mapping[str, Sequence[str]], base: str = "sunmao") -> dict[str, Any]:
    models = {model["name"]: model for model in result["models"]}
    if base != "sunmao":
        models = {name: with_base(model, base) for name, model in models.items()}
    out: dict[str, Any] = {}
    for group, names in {"all": list(models), **groups}.items():
        if missing := [name for name in names if name not in models]:
            raise SystemExit(f"best_others: the latest run has no {', '.join(missing)}")
        counts = result["settings"]["threads"]
        out[group] = {str(threads): figures([models[name] for name in names], threads) for threads in counts}
        if base != "sunmao":
            starts = [start_ratio(models[name], base) for name in names]
            out[group] |= {"start": min(starts), "start_mean": geometric_mean(starts)}
    return out


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--group", action="append", default=[], metavar="NAME=MODEL,MODEL")
    parser.add_argument("--base", choices=("sunmao", "backend"), default="sunmao")
    parser.add_argument("--quantised", action="store_true")
    arguments = parser.parse_args(argv)
    latest, goal = (QUANTISED, "bench-quantised") if arguments.quantised else (LATEST, "bench")
    if not latest.exists():
        raise SystemExit(f"best_others: there is no run: `make {goal}` makes one")
    groups = {name: models.split(",") for name, _, models in (text.partition("=") for text in arguments.group)}
    print(json.dumps(by_group(json.loads(latest.read_text()), groups, arguments.base)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
