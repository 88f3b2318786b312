"""Compares each kernel that fusion makes with the kernels of its parts, and prints the slowest ones first.

Usage: fused_kernels.py MODEL... [--rounds N] [--threads N] [--most RATIO] [--json]

A model is compiled with fuse-ops and fuse-kernels and without them, and both artifacts are profiled in turns. The time
of a kernel is that of a call on average, in the round where this is least. A ratio is the time of the joined kernel to
the sum of its parts. The exit status is 1 when a ratio exceeds RATIO.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SUNMAO = Path(__file__).resolve().parent.parent / "build/release/bin/sunmao"
GROUP = re.compile(r"\S+: (?P<members>.*) become (?P<result>\S+)")
MEMBER = re.compile(r"`[^`]+` \(([^)]+)\)")
JOINS = re.compile(r"(?P<function>\S+): `(?P<var>[^`]+)` \((?P<name>[^)]+)\) joins `(?P<into>[^`]+)` "
                   r"\((?P<into_name>[^)]+)\), as (?P<result>\S+)")  # fmt: skip
LATER = re.compile(r"(_(prepacked|planned))+$")  # what later passes append to the name of a kernel


def sunmao(*args: str | Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([SUNMAO, *args], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done


def joined_kernels(explanation: str) -> dict[str, list[str]]:
    """The parts of each kernel that the passes leave, by name."""
    groups: dict[str, list[str]] = {}
    parts: dict[tuple[str, str], list[str]] = {}
    names: dict[tuple[str, str], str] = {}
    for line in explanation.splitlines():
        if m := GROUP.fullmatch(line):
            groups[m["result"]] = MEMBER.findall(m["members"])
        if not (m := JOINS.fullmatch(line)) or m["function"].endswith("_transform_params"):
            continue
        var, into = (m["function"], m["var"]), (m["function"], m["into"])
        joined = parts.pop(var, [m["name"]]) + parts.pop(into, [m["into_name"]])
        names.pop(var, None)
        parts[into], names[into] = joined, m["result"]
    merged = {names[at]: parts[at] for at in parts if "a view" not in parts[at]}
    whole = {name: [leaf for part in of for leaf in groups.get(part, [part])] for name, of in merged.items()}
    return {**groups, **whole}


def seconds_of_calls(artifact: Path, threads: int) -> dict[str, float]:
    report = json.loads(sunmao("profile", artifact, "--threads", str(threads), "--json", "-").stdout)
    return {LATER.sub("", k["name"]): k["seconds"] / k["calls"] for k in report["kernels"]}


def compare(model: Path, rounds: int, threads: int, folder: Path) -> list[dict[str, Any]]:
    joined, apart = folder / "joined.sunmao", folder / "apart.sunmao"
    kernels = joined_kernels(sunmao("compile", model, "-o", joined, "--explain", "fuse-ops,fuse-kernels").stderr)
    sunmao("compile", model, "-o", apart, "--disable", "fuse-ops,fuse-kernels")
    times: list[dict[str, float]] = [{}, {}]
    for _ in range(rounds):
        for best, artifact in zip(times, (joined, apart), strict=True):
            for name, seconds in seconds_of_calls(artifact, threads).items():
                best[name] = min(seconds, best.get(name, seconds))
    rows = []
    for name, parts in kernels.items():
        whole = times[0].get(name, times[0].get(f"{name}1"))  # as its name is after it is joined from a function
        if whole and all(part in times[1] for part in parts):
            alone = sum(times[1][part] for part in parts)
            rows.append({"model": model.stem, "kernel": name, "parts": parts, "seconds": whole, "seconds_apart": alone,
                         "ratio": whole / alone})  # fmt: skip
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--most", type=float, default=1.1)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = []
    for model in args.models:
        with tempfile.TemporaryDirectory() as folder:
            rows += compare(model, args.rounds, args.threads, Path(folder))
    rows.sort(key=lambda row: -row["ratio"])
    slower = [row for row in rows if row["ratio"] > args.most]
    if args.json:
        print(json.dumps({"kernels": len(rows), "slower": len(slower), "rows": rows}))
    else:
        for row in rows:
            print(f"{row['ratio']:6.2f}  {1e6 * row['seconds']:10.1f} us for {1e6 * row['seconds_apart']:10.1f} us  "
                  f"{row['model']}: {row['kernel']} of {', '.join(row['parts'])}")  # fmt: skip
        print(f"{len(rows)} joined kernels compared, {len(slower)} slower than {args.most:g} times their parts")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
