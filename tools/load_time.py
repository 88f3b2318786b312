"""Runs examples/load_time in fresh processes and prints the median times to the first result, as JSON; `intervals` has
for each the interval that holds the median with 95 % probability.

Usage: load_time.py [MODEL or ARTIFACT] [--processes N]
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from programs import MODELS, ROOT, compile_model, example, run

sys.path.insert(0, str(ROOT / "bench"))
from rounds import median_interval


def measure(artifact: Path, processes: int) -> dict[str, Any]:
    runs = []
    for _ in range(processes):
        started = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        runs.append(json.loads(run(example("load_time"), artifact, started)))
    for r in runs:
        r["first_run_times"] = 1000 * r["first_run_ms"] / r["run_us"]
    figures = {key: statistics.median(r[key] for r in runs) for key in runs[0]}
    return {
        **figures,
        "slowest_load_to_first_result_ms": max(r["load_to_first_result_ms"] for r in runs),
        "intervals": {key: median_interval([r[key] for r in runs]) for key in runs[0]},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", nargs="?", type=Path, default=MODELS / "linear_128_512.onnx")
    parser.add_argument("--processes", type=int, default=20)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        artifact = args.model
        if artifact.suffix != ".sunmao":
            artifact = Path(folder) / "model.sunmao"
            compile_model(args.model, artifact)
        print(json.dumps(measure(artifact, args.processes)))


if __name__ == "__main__":
    main()
