"""Measures how far compiled quantised models are from their own meaning, beside other engines.

build/bench-env/bin/python tools/quantised_distance.py [--json] [--whole] [MODEL ...]

The meaning of a model is what its quantisers, dequantisers and float ops say when they are computed one by one:

    reference   `sunmao run --evaluate`: float32, sums in order
    exact       the ONNX graph in float64 (bench/exact_model.py); nothing is rounded but by the quantisers

A distance is counted in steps of the output's scale; where floats made the output, in 255ths of its range (~). Two
float32 evaluations are some steps apart as well: a sum that lies near the middle of two steps goes either way, and the
layers behind carry that on. With --whole, models of real size, for which the reference takes too long.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "tests" / "differential")]
from bench_worker import recorded  # noqa: E402
from engines import Files, load_onnxruntime, load_openvino  # noqa: E402
from model_names import QUANTISED, SMALL_QUANTISED  # noqa: E402
from report import as_text, geometric_mean  # noqa: E402

FOLDER = ROOT / "build" / "bench" / "models"
PROGRAM = Path(os.environ.get("SUNMAO_BUILD_DIR", ROOT / "build" / "release")) / "bin" / "sunmao"
TITLES = {
    "reference": "reference",
    "sunmao": "Sunmao",
    "onnxruntime": "ONNX Runtime",
    "unfused": "ONNX Runtime, nothing fused",
    "openvino": "OpenVINO",
}
LEAST = 1e-3  # steps: a lesser mean distance counts as this in ratios and geometric means
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Distance:
    largest: float
    mean: float
    equal: float  # the share of numbers less than half a step away


def distance(got: Array, wanted: Array, step: float) -> Distance:
    away = np.abs(np.asarray(got, np.float64) - wanted) / step
    return Distance(float(away.max()), float(away.mean()), float((away < 0.5).mean()))


def make(names: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Makes the models that are not there; returns their facts, or the error of one that is not made."""
    command = [sys.executable, str(ROOT / "bench" / "bench_models.py"), *names]
    lines = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return {facts["name"]: facts for facts in map(json.loads, lines.splitlines())}


def input_names(files: Files) -> list[str]:
    import onnx

    return [i.name for i in onnx.load(str(files.form("onnx")), load_external_data=False).graph.input]


def by_sunmao(files: Files, form: str, *options: str) -> Array:
    """Runs the command line on the recorded inputs; returns the first output."""
    with tempfile.TemporaryDirectory() as folder:
        inputs: list[str] = []
        for name, value in zip(input_names(files), recorded(files.form("npz"), "input"), strict=True):
            np.save(Path(folder) / f"{name}.npy", value)
            inputs += ["--input", f"{name}={folder}/{name}.npy"]
        output = Path(folder) / "output.npz"
        command = [str(PROGRAM), "run", str(files.form(form)), *inputs, "--output", str(output), *options]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            raise SystemExit(f"quantised_distance: {' '.join(command[:3])} failed: {run.stderr.strip()}")
        with np.load(output) as outputs:
            first: Array = outputs[outputs.files[0]]
    return first


def unfused(files: Files) -> Array:
    """ONNX Runtime with each node computed by itself, in float32."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    session = ort.InferenceSession(str(files.form("onnx")), options, providers=["CPUExecutionProvider"])
    inputs = recorded(files.form("npz"), "input")
    out: Array = session.run(None, dict(zip([i.name for i in session.get_inputs()], inputs, strict=True)))[0]
    return out


def measure(facts: dict[str, Any], whole: bool) -> dict[str, Any]:
    """Returns the step of the output and the distance of each engine from each of the two meanings."""
    files = Files(FOLDER, facts["name"])
    inputs, exact = recorded(files.form("npz"), "input"), recorded(files.form("npz"), "output")[0]
    form = facts["forms"][0]
    engines: dict[str, Callable[[], Array]] = {
        "sunmao": lambda: by_sunmao(files, form),
        "onnxruntime": lambda: load_onnxruntime(files, inputs, 1)()[0],
        "unfused": lambda: unfused(files),
        "openvino": lambda: np.array(load_openvino(files, inputs, 1)()[0]),
    }
    if not whole:
        engines = {"reference": lambda: by_sunmao(files, form, "--evaluate"), **engines}
    got = {name: run() for name, run in engines.items()}
    step = facts["output_step"] or float(np.ptp(exact)) / 255
    out: dict[str, Any] = {"name": facts["name"], "step": step, "of_scale": bool(facts["output_step"])}
    out["exact"] = {name: vars(distance(value, exact, step)) for name, value in got.items()}
    if not whole:
        reference = got.pop("reference")
        out["reference"] = {name: vars(distance(value, reference, step)) for name, value in got.items()}
    return out


def table(rows: Sequence[dict[str, Any]], meaning: str) -> list[list[str]]:
    engines = list(rows[0][meaning])
    grid = [["model", "step", *(TITLES[name] for name in engines)]]
    for row in rows:
        cells = [row[meaning][name] for name in engines]
        step = f"{'' if row['of_scale'] else '~'}{row['step']:.4f}"
        grid.append([row["name"], step, *(f"{c['largest']:.1f} ({c['mean']:.2f})" for c in cells)])
    return grid


def worst(rows: Sequence[dict[str, Any]], meaning: str) -> dict[str, dict[str, float]]:
    """Returns by engine the largest distance over the models, and the geometric mean of the mean distances."""
    return {
        name: {
            "largest": max(row[meaning][name]["largest"] for row in rows),
            "mean": geometric_mean([max(row[meaning][name]["mean"], LEAST) for row in rows]),
        }
        for name in rows[0][meaning]
    }


def nearer_other(rows: Sequence[dict[str, Any]], meaning: str) -> float:
    """Returns how many times as far as Sunmao the nearer of ONNX Runtime and OpenVINO is: the geometric mean over the
    models, of mean distances."""

    def mean(row: dict[str, Any], engine: str) -> float:
        return max(float(row[meaning][engine]["mean"]), LEAST)

    return geometric_mean([min(mean(r, "onnxruntime"), mean(r, "openvino")) / mean(r, "sunmao") for r in rows])


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", choices=[[], *QUANTISED, *SMALL_QUANTISED])
    parser.add_argument("--whole", action="store_true", help="models of real size, against exact arithmetic alone")
    parser.add_argument("--json", action="store_true", help="print a line of JSON")
    arguments = parser.parse_args(argv)
    names = arguments.models or (QUANTISED if arguments.whole else SMALL_QUANTISED)
    rows, missing = [], 0
    for facts in make(names).values():
        if "error" in facts:
            print(f"quantised_distance: {facts['name']} is not made: {facts['error']}", file=sys.stderr)
            missing += 1
            continue
        rows.append(measure(facts, arguments.whole or facts["name"] in QUANTISED))
        print(f"quantised_distance: {', '.join(table(rows[-1:], 'exact')[1])}", file=sys.stderr, flush=True)
    if not rows:
        return 1  # what is missing was told
    meanings = [meaning for meaning in ("reference", "exact") if all(meaning in row for row in rows)]
    if arguments.json:
        found: dict[str, Any] = {meaning: worst(rows, meaning) for meaning in meanings}
        found["nearer_other"] = {meaning: nearer_other(rows, meaning) for meaning in meanings}
        print(json.dumps({"models": rows, **found}))
        return int(missing > 0)
    for meaning in meanings:
        what = "`sunmao run --evaluate`" if meaning == "reference" else "exact arithmetic"
        print(f"\nDistance from {what} in steps of the output: largest (mean)\n")
        print("\n".join(as_text(table(rows, meaning))))
    return int(missing > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
