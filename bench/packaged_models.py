"""Lays out the trained models of packages for `make bench-trained`: an input beside each, and what ONNX Runtime gives.

python bench/packaged_models.py PACKAGE ...      one line of JSON per package, in build/bench-env

tools/trained_packages.sh has fetched the packages. A model is used at BATCH, SIDE and LENGTH, where it leaves sizes
open and ONNX Runtime runs it at these, else at the sizes of the first run of `make trained-models`.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import importlib.metadata
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import onnx
import onnxruntime

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "differential"))
import trained_inputs  # noqa: E402
from trained_files import TrainedFile, trained_files  # noqa: E402
from trained_inputs import Hints, Input, hints_of  # noqa: E402
from unsigned_weights import with_unsigned_weights  # noqa: E402

BATCH, SIDE, LENGTH = 1, 224, 64
LARGE = {  # sizes at which models are used, where `make trained-models` takes small ones
    "rapidocr-onnxruntime/models/ch_PP-OCRv4_det_infer.onnx": {"batch": 1, "x.2": 640, "x.3": 640},
}
TOLERANCE = 1e-3  # of the largest number; `make trained-models` compares the results closely
NO_LIMIT = 1e30  # of models with integer arithmetic, in which some engines saturate, and of these:
UNSTABLE = ("rapidocr-onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",)  # two float32 results are 0.7 of the scale apart
Sizes = Mapping[str, int]
Array = np.ndarray[Any, Any]


def usual_sizes(inputs: list[Input]) -> Sizes:
    """Returns a batch of one, images of SIDE by SIDE, and LENGTH for all else that a model leaves open."""
    sizes: dict[str, int] = {}
    for value in inputs:
        for axis, dim in enumerate(value.dims):
            if isinstance(dim, str):
                sizes.setdefault(dim, BATCH if axis == 0 else SIDE if len(value.dims) == 4 else LENGTH)
    return sizes


def sizes_of(file: TrainedFile, inputs: list[Input], hints: Hints) -> Iterator[Sizes]:
    """Gives the sizes to be tried, in this order."""
    if file.key in LARGE:
        yield LARGE[file.key]
    elif not hints.sizes and not hints.values:
        yield usual_sizes(inputs)
    yield trained_inputs.runs_of(inputs, hints)[0]


def run_at(session: onnxruntime.InferenceSession, model: Any, hints: Hints, sizes: Sizes) -> dict[str, list[Array]]:
    """Returns drawn inputs of these sizes, and the outputs."""
    fed = next(trained_inputs.drawn_inputs(model, dataclasses.replace(hints, sizes=[sizes])))
    given = [fed[value.name] for value in session.get_inputs()]
    return {"input": given, "output": [np.asarray(o) for o in session.run(None, fed)]}


def record(file: TrainedFile) -> dict[str, Any]:
    """Writes model.npz and model.json beside a model; returns its facts, or why ONNX Runtime does not run it."""
    model = onnx.load(file.model)
    hints, exact = hints_of(file.key), with_unsigned_weights(model)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    source = exact.SerializeToString() if exact else str(file.model)
    session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
    reasons: list[str] = []
    found: dict[str, list[Array]] | None = None
    for sizes in sizes_of(file, trained_inputs.inputs_of(model), hints):
        try:
            found = run_at(session, model, hints, sizes)
            break
        except Exception as error:  # the sizes are guesses
            reasons.append(str(error))
    if found is None:
        return {"error": reasons[-1]}
    named = {f"{kind}{i}": a for kind, values in found.items() for i, a in enumerate(values)}
    np.savez(file.folder / "model.npz", allow_pickle=False, **named)
    unlimited = file.key in UNSTABLE or any("Integer" in n.op_type or "Quantize" in n.op_type for n in model.graph.node)
    return {
        "classes_from": [],
        "options": [word for name, size in hints.dims.items() for word in ("--dim", f"{name}={size}")],
        "tolerance": NO_LIMIT if unlimited else TOLERANCE,
        "reference": "ONNX Runtime's",
        "inputs": [f"{a.dtype}{list(a.shape)}" for a in found["input"]],
    }


def digest(file: TrainedFile) -> str:
    """What the facts of a model depend on."""
    sources = [Path(__file__).read_text(), Path(trained_inputs.__file__).read_text(), str(hints_of(file.key))]
    return hashlib.sha256("".join([*sources, importlib.metadata.version("onnxruntime")]).encode()).hexdigest()[:16]


def facts_of(file: TrainedFile) -> dict[str, Any]:
    """Returns the facts that were kept, or new ones."""
    note = file.folder / "model.json"
    mark = digest(file)
    if note.exists() and (kept := json.loads(note.read_text()))["digest"] == mark:
        return dict(kept)
    try:
        facts = record(file)
    except Exception as error:
        facts = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
    facts |= {"digest": mark, "files": f"{file.folder.name}/model"}
    note.write_text(json.dumps(facts))
    return facts


def case_names(files: list[TrainedFile]) -> list[str]:
    """Returns the name of each file of a package, with its folder where others have the same name."""
    stems = [PurePosixPath(file.name).stem for file in files]
    whole = [str(PurePosixPath(file.name).with_suffix("")) for file in files]
    return [stem if stems.count(stem) == 1 else path for stem, path in zip(stems, whole, strict=True)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="+", metavar="PACKAGE")
    names = parser.parse_args().names
    files = trained_files()
    for name in names:
        mine = [file for file in files if file.package == name]
        cases = [{"case": case, **facts_of(file)} for case, file in zip(case_names(mine), mine, strict=True)]
        print(json.dumps({"name": name, "cases": cases}), flush=True)  # none: they are copies of others'
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
