"""Runs trained models from packages through Sunmao and ONNX Runtime, and writes docs/trained-models.md.

    python tests/differential/trained_models.py [--jobs N] [--only REGEX]

Each model is run on drawn inputs (trained_inputs.py) in processes of its own. Outcomes of the same build and of equal
hints in trained_inputs.toml are kept: a run that was ended goes on where it was. With --only, outcomes are printed and
no page is written.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import onnx
from export_files import load_examples
from outcome import Outcome, build_of, outcome_of
from trained_files import TrainedFile, trained_files
from trained_inputs import hints_of, inputs_of

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "trained-models.md"
SECONDS = 300


@dataclass(frozen=True)
class Row:
    file: TrainedFile
    opsets: str
    inputs: str
    outcome: Outcome  # of kind "skipped" where ONNX Runtime does not run the model, "steps" where rounding explains it


def _opsets(model: onnx.ModelProto) -> str:
    """Returns the version of ONNX's ops, then those of other domains that nodes are of."""
    versions = {o.domain or "ai.onnx": o.version for o in model.opset_import}
    used = {n.domain for n in model.graph.node} - {"", "ai.onnx"}
    return ", ".join([str(versions.get("ai.onnx", "")), *(f"{d} {versions.get(d, '')}" for d in sorted(used))])


def _tried(file: TrainedFile, model: onnx.ModelProto) -> str:
    """Returns how many examples there are, and the shapes of the largest of them."""
    _, examples = load_examples(file.folder)
    largest = max(examples, key=lambda e: sum(a.size for a in e["input"]))
    names = [value.name for value in inputs_of(model)]
    shapes = ", ".join(
        f"{name} {'x'.join(map(str, a.shape)) or 'scalar'}" for name, a in zip(names, largest["input"], strict=True)
    )
    hints = hints_of(file.key)
    steps = ", in steps that hand on their states" if hints.states else ""
    dims = "".join(f"; `--dim {name}={size}`" for name, size in hints.dims.items())
    return f"{len(examples)}{steps}; the largest: {shapes}{dims}"


def _write_examples(file: TrainedFile, *options: str) -> str:
    """Returns why there are no examples, or nothing."""
    command = [sys.executable, str(HERE / "trained_examples.py"), *options, file.key, str(file.folder)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"more than {SECONDS} s"
    return "" if done.returncode == 0 else (done.stderr.strip().splitlines() or ["it died"])[-1]


def row_of(file: TrainedFile) -> Row:
    """Returns the row that was kept, or a new one."""
    kept = file.folder / "row.json"
    mark = f"{build_of()} {hints_of(file.key)}"
    if kept.exists() and (held := json.loads(kept.read_text()))["mark"] == mark:
        return Row(file, held["opsets"], held["inputs"], Outcome(**held["outcome"]))
    row = new_row(file)
    values = {"mark": mark, "opsets": row.opsets, "inputs": row.inputs, "outcome": asdict(row.outcome)}
    kept.write_text(json.dumps(values))
    return row


def new_row(file: TrainedFile) -> Row:
    model = onnx.load(file.model, load_external_data=False)
    opsets = _opsets(model)
    if problem := _write_examples(file):
        return Row(file, opsets, "", Outcome("skipped", problem))
    outcome = outcome_of(file.folder)
    # Float64 decides where results differ by more than the tolerance.
    if outcome.kind == "wrong" and not _write_examples(file, "--precise"):
        outcome = outcome_of(file.folder)
    # What is rounded to eight bits in a run moves by steps of these.
    quantises = any(node.op_type.startswith("DynamicQuantize") for node in model.graph.node)
    if outcome.kind == "wrong" and quantises and not _write_examples(file, "--moved"):
        again = outcome_of(file.folder)
        if again.kind == "pass":
            outcome = replace(again, kind="steps", detail=(file.folder / "moved.txt").read_text())
    return Row(file, opsets, _tried(file, model), outcome)


def _verdict(outcome: Outcome) -> str:
    if outcome.kind == "pass":
        return f"agrees, {outcome.error:.1e}" + (f"; {outcome.detail}" if outcome.detail else "")
    if outcome.kind == "steps":
        return f"differs by steps, {outcome.error:.1e}; the reference itself moves by {float(outcome.detail):.1e}"
    lines = outcome.detail.splitlines() or [""]
    said = re.sub(r"/\S*/", "", lines[0]).replace("|", "\\|")[:200]
    return f"ONNX Runtime does not run it: {said}" if outcome.kind == "skipped" else f"**{outcome.kind}**: {said}"


def summary(rows: list[Row]) -> str:
    counts = Counter(r.outcome.kind for r in rows)
    compared, passed = len(rows) - counts["skipped"], counts["pass"]
    packages = {r.file.package for r in rows} | {c.split()[0] for r in rows for c in r.file.copies}
    names = {"steps": "differ by steps"}
    others = ", ".join(
        f"{n} {names.get(kind, kind)}" for kind, n in sorted(counts.items()) if kind not in ("pass", "skipped")
    )
    return (
        f"{len(packages)} packages, {len(rows)} models; ONNX Runtime runs {compared} of them, and with {passed} "
        f"({passed / max(compared, 1):.1%}) Sunmao agrees" + (f"; {others}." if others else ".")
    )


def page(rows: list[Row]) -> str:
    lines = [
        "# Trained models",
        "",
        "Written by `make trained-models`: the ONNX models inside packages of `tools/requirements-trained.txt`, run by",
        "Sunmao and by ONNX Runtime on the same drawn inputs (`tests/differential/trained_inputs.py`). The last column",
        "has the largest difference of an output, relative to the largest magnitude in it; 1e-4 is allowed, or twice",
        'what ONNX Runtime ("the reference") differs from float64, and integers must be equal. Files with',
        "the same bytes are run once. Weights of int8 are given to ONNX Runtime as uint8, with zero points to match:",
        "on processors without VNNI its products of uint8 and int8 saturate and are wrong. A model that is rounded to",
        "eight bits while it runs differs by steps where that is at most twice what ONNX Runtime's own results move by",
        "when float weights change by 2e-7 of themselves.",
        "",
        summary(rows),
        "",
        "| package | version | file | MB | opset | inputs | verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    for r in rows:
        f = r.file
        copies = "".join(f"<br>also {c}" for c in f.copies)
        lines.append(
            f"| {f.package} | {f.version} | `{f.name}`{copies} | {f.size / 1e6:.1f} | {r.opsets} | {r.inputs} "
            f"| {_verdict(r.outcome)} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Runs trained models through Sunmao and ONNX Runtime.")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", metavar="REGEX", help="print what becomes of models whose package/file matches")
    options = parser.parse_args()
    files = [f for f in trained_files() if re.search(options.only or "", f.key)]
    rows: list[Row] = []
    start = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        for row in pool.map(row_of, files):
            rows.append(row)
            print(f"{time.monotonic() - start:6.1f} s  {row.file.key}: {_verdict(row.outcome)}", flush=True)
            if options.only:
                print(f"    {row.inputs}\n    {row.outcome.detail}")
    print(summary(rows))
    if not options.only:
        PAGE.write_text(page(rows))
    return 0 if all(r.outcome.kind in ("pass", "steps", "skipped") for r in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
