"""Measures what the pass channels-last gains: models compiled with it and without it, in turn.

Usage: layout_gains.py MODEL... [--rounds N] [--seconds S] [--threads N] [--most RATIO] [--json]

A round gives each artifact a turn of calls, of which the fastest counts. A ratio is the time with the pass to that
without it in the same round; the table has the median of the rounds and the interval that holds it with 95 %
probability. Models whose two artifacts are the same are named, and not measured. The exit status is 1 when an interval
lies wholly above RATIO.
"""

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rounds import median_interval

SUNMAO = Path(__file__).resolve().parent.parent / "build/release/bin/sunmao"
WITHOUT = ("--disable", "channels-last")
CALLS = 100_000  # in a turn, at most


def sunmao(*args: str | Path) -> str:
    done = subprocess.run([SUNMAO, *args], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


def fastest_call(artifact: Path, threads: int, calls: int) -> float:
    report = json.loads(sunmao("run", artifact, "--threads", str(threads), "--repeat", str(calls), "--json"))
    return float(report["results"][0]["seconds_fastest"])


def compare(model: Path, rounds: int, seconds: float, threads: int, folder: Path) -> dict[str, Any]:
    """Returns the times with the pass and without it by round, and their ratio."""
    artifacts = [folder / "with.sunmao", folder / "without.sunmao"]
    sunmao("compile", model, "-o", artifacts[0])
    sunmao("compile", model, "-o", artifacts[1], *WITHOUT)
    row: dict[str, Any] = {"model": name_of(model), "ratio": None}
    if artifacts[0].read_bytes() == artifacts[1].read_bytes():
        return row
    longest = max(fastest_call(artifact, threads, 2) for artifact in artifacts)
    calls = min(CALLS, max(2, int(seconds / longest)))
    times: list[list[float]] = [[], []]
    for i in range(rounds):
        for side in (0, 1) if i % 2 == 0 else (1, 0):
            times[side].append(fastest_call(artifacts[side], threads, calls))
    ratios = [a / b for a, b in zip(*times, strict=True)]
    medians = [statistics.median(side) for side in times]
    row |= {"seconds": medians[0], "seconds_without": medians[1]}
    return row | {"ratio": statistics.median(ratios), "interval": median_interval(ratios)}


def name_of(model: Path) -> str:
    """The name of a model's file, or of the folder of an exported model of the zoo."""
    return model.parent.name.rpartition(".")[0] if model.stem == "model" else model.stem


def line_of(row: dict[str, Any]) -> str:
    if row.get("refused"):
        return f"     -  {row['model']}: {row['refused']}"
    if row["ratio"] is None:
        return f"     -  {row['model']}: the same code with the pass and without it"
    low, high = row["interval"] or (math.nan, math.nan)
    return (f"{row['ratio']:6.2f}  [{low:.2f}, {high:.2f}]  {1e3 * row['seconds']:9.3f} ms for "
            f"{1e3 * row['seconds_without']:9.3f} ms  {row['model']}")  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=9, help="six at least for an interval")
    parser.add_argument("--seconds", type=float, default=0.2, help="of a turn")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--most", type=float, default=1.02)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = []
    for model in args.models:
        with tempfile.TemporaryDirectory() as folder:
            try:
                row = compare(model, args.rounds, args.seconds, args.threads, Path(folder))
            except RuntimeError as error:
                row = {"model": name_of(model), "ratio": None, "refused": str(error).splitlines()[0]}
        rows.append(row)
        if not args.json:
            print(line_of(row), flush=True)
    measured = [row for row in rows if row["ratio"]]
    slower = [row for row in measured if row["interval"] and row["interval"][0] > args.most]
    mean = math.exp(statistics.mean(math.log(row["ratio"]) for row in measured)) if measured else None
    if args.json:
        print(json.dumps({"models": rows, "geometric_mean": mean, "slower": len(slower)}))
    else:
        said = f", geometric mean of the ratios {mean:.2f}" if mean else ""
        print(f"{len(measured)} of {len(rows)} models measured{said}; slower with the pass: {len(slower)}")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
