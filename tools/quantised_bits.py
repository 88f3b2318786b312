"""Says whether compiled quantised models give the same bits on all instruction sets and numbers of threads.

build/bench-env/bin/python tools/quantised_bits.py [--json] [MODEL ...]

Each model is compiled for x86-64-v2, -v3, -v4 (no dot products of bytes) and this machine, those of them that run here,
and runs on its recorded inputs by one thread and by two. Results are compared with the first. Where a model has
softmax, norms or other sums of floats between its products, instruction sets may round these otherwise; numbers of
threads may not.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from quantised_distance import FOLDER, by_sunmao, make

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
from engines import Files
from model_names import QUANTISED, SMALL_QUANTISED
from report import as_text

TARGETS = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "host")
NO_SUCH_PROCESSOR = "E0856"  # the artifact has no code for this machine


def measure(facts: dict[str, Any]) -> dict[str, Any]:
    """Returns by target the share of the elements that differ from those of the first target, and whether those of two
    threads differ from those of one."""
    files, form = Files(FOLDER, facts["name"]), facts["forms"][0]
    out: dict[str, Any] = {"name": facts["name"], "differing": {}, "threads_differ": []}
    first: np.ndarray[Any, Any] | None = None
    for target in TARGETS:
        try:
            one = by_sunmao(files, form, "--target", target, "--threads", "1")
        except SystemExit as error:
            if NO_SUCH_PROCESSOR in str(error):
                continue
            raise
        two = by_sunmao(files, form, "--target", target, "--threads", "2")
        if one.tobytes() != two.tobytes():
            out["threads_differ"].append(target)
        first = one if first is None else first
        out["differing"][target] = float(np.mean(one != first))
    return out


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", choices=[[], *QUANTISED, *SMALL_QUANTISED])
    parser.add_argument("--json", action="store_true", help="print a line of JSON")
    arguments = parser.parse_args(argv)
    rows: list[dict[str, Any]] = []
    for facts in make(arguments.models or QUANTISED).values():
        if "error" in facts:
            print(f"quantised_bits: {facts['name']} is not made: {facts['error']}", file=sys.stderr)
            return 1
        rows.append(measure(facts))
        print(f"quantised_bits: {rows[-1]['name']}", file=sys.stderr, flush=True)
    targets = list(rows[0]["differing"])
    found = {
        "models": len(rows),
        "targets": targets,
        "of_targets": [row["name"] for row in rows if any(row["differing"].values())],
        "of_threads": [row["name"] for row in rows if row["threads_differ"]],
    }
    if arguments.json:
        print(json.dumps({"rows": rows, **found}))
        return 0
    grid = [["model", *targets, "two threads"]]
    for row in rows:
        shares = [f"{100 * share:.1f} %" if share else "=" for share in row["differing"].values()]
        grid.append([row["name"], *shares, ", ".join(row["threads_differ"]) or "="])
    print("Elements of the first result that differ from those of the first target\n")
    print("\n".join(as_text(grid)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
