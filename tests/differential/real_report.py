"""Imports models of real size: seconds, and bytes in the file, in the module and in the artifact, side by side.

python tests/differential/real_report.py [--json] [NAME ...]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import real_models
import torch

sys.path.insert(0, str(Path(__file__).parents[2] / "python"))

import sunmao

ARTIFACT_SLACK = 500_000  # bytes that an artifact may have beside its weights


def bytes_in_pt2(path: Path) -> int:
    program = torch.export.load(path)
    data = {t.data_ptr(): t.nbytes for t in program.state_dict.values()}
    return sum(data.values())


def bytes_in_onnx(path: Path) -> int:
    """Returns the bytes of initialisers of rank 1 and more, which are weights."""
    graph = onnx.load(path).graph
    return sum(onnx.numpy_helper.to_array(t).nbytes for t in graph.initializer if len(t.dims))


def import_seconds(path: Path) -> float:
    best = float("inf")
    for _ in range(5):
        begin = time.perf_counter()
        sunmao.read_model(path)
        best = min(best, time.perf_counter() - begin)
    return best


def report(path: Path) -> dict[str, Any]:
    _, weights = sunmao.read_model(path)
    stored = bytes_in_pt2(path) if path.suffix == ".pt2" else bytes_in_onnx(path)
    with tempfile.TemporaryDirectory() as folder:
        artifact = Path(folder) / "model.sunmao"
        sunmao.compile(path).save(artifact)
        artifact_bytes = artifact.stat().st_size
    return {
        "file": path.name,
        "import_seconds": round(import_seconds(path), 3),
        "weights_in_file": stored,
        "weights_in_module": sum(np.asarray(w).nbytes for w in weights.values()),
        "artifact": artifact_bytes,
        "artifact_limit": int(1.01 * stored) + ARTIFACT_SLACK,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    rows = [report(p) for name in arguments.names or real_models.MAKERS for p in real_models.make(name)]
    result = {
        "models": rows,
        "slowest_import": max(row["import_seconds"] for row in rows),
        "grown_modules": sum(row["weights_in_module"] > row["weights_in_file"] for row in rows),
        "large_artifacts": sum(row["artifact"] > row["artifact_limit"] for row in rows),
    }
    if arguments.json:
        print(json.dumps(result))
    else:
        print(f"{'file':<28} {'import s':>9} {'in file':>12} {'in module':>12} {'artifact':>12} {'at most':>12}")
        for row in rows:
            numbers = [row[k] for k in ("weights_in_file", "weights_in_module", "artifact", "artifact_limit")]
            print(f"{row['file']:<28} {row['import_seconds']:>9.3f} " + " ".join(f"{n:>12}" for n in numbers))
    return 1 if result["grown_modules"] or result["large_artifacts"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
