"""Compiles models in both forms (.onnx, .pt2) and prints how many bytes of weights are in the file, beside the module
that is read from it, and in the artifact. Exit status 1 where the artifact is larger than promised.

python tools/weight_bytes.py [--json] [NAME ...]
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from drawn_models import NETWORKS, recipe, write_onnx, write_pt2
from programs import ROOT, SUNMAO, compile_model, run

sys.path.insert(0, str(ROOT / "python"))
import sunmao

NAMES = [*(f"linear_{rank}" for rank in range(1, 6)), "convnext"]
WRITERS = {"onnx": write_onnx, "pt2": write_pt2}
GROWTH, SLACK = 1.01, 500_000  # what an artifact may take for its weights, and bytes for everything else
COLUMNS = ("in_file", "beside_module", "in_artifact", "artifact", "at_most")


def measure(name: str, form: str, folder: Path) -> dict[str, Any]:
    path, artifact = WRITERS[form](name, folder), folder / f"{name}.sunmao"
    in_file = sum(4 * int(np.prod(row["shape"])) for row in recipe(name)["weights"])
    _, weights = sunmao.read_model(path)
    size = compile_model(path, artifact)["bytes"]
    stored = json.loads(run(SUNMAO, "inspect", artifact, "--json"))["weights"]
    return {
        "name": name,
        "form": form,
        "in_file": in_file,
        "beside_module": sum(np.asarray(w).nbytes for w in weights.values()),
        "in_artifact": sum(row["bytes"] for row in stored),
        "artifact": size,
        "at_most": int(GROWTH * in_file) + SLACK,
    }


def is_kept(row: dict[str, Any]) -> bool:
    """Whether weights are neither lost nor doubled: constants beside them may take a hundredth."""
    beside = row["in_file"] <= row["beside_module"] <= GROWTH * row["in_file"]
    return bool(beside and row["artifact"] <= row["at_most"])


def table(rows: list[dict[str, Any]]) -> str:
    head = f"{'':<10} {'form':<5}" + "".join(f" {column.replace('_', ' '):>14}" for column in COLUMNS)
    lines = [
        f"{row['name']:<10} {row['form']:<5}"
        + "".join(f" {row[column]:>14,}" for column in COLUMNS)
        + ("  ✓" if is_kept(row) else "  ✗")
        for row in rows
    ]
    return "\n".join(["Bytes of weights, and of the whole artifact", "", head, *lines])


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="weight_bytes", description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"some of {', '.join(NAMES)}")
    arguments = parser.parse_args(argv)
    if unknown := [n for n in arguments.names if not (NETWORKS / f"{n}.pt2").exists()]:
        parser.error(f"no model is called `{unknown[0]}`; there are {', '.join(NAMES)}")
    rows = []
    for name in arguments.names or NAMES:
        for form in WRITERS:
            with tempfile.TemporaryDirectory() as folder:
                rows.append(measure(name, form, Path(folder)))
    print(json.dumps(rows) if arguments.json else table(rows))
    return 0 if all(map(is_kept, rows)) else 1


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
