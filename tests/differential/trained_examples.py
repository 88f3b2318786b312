"""Writes examples beside a trained model: drawn inputs, and what ONNX Runtime gives for them.

    python tests/differential/trained_examples.py [--precise | --moved] KEY FOLDER

With --precise it adds to written examples what the model gives in float64, by ONNX's own evaluator. With --moved it
finds how far ONNX Runtime's own results move when float weights change by rounding, writes that to moved.txt, and
allows twice as much.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from comparing import Array
from export_files import Example, load_examples, save_examples
from onnx import numpy_helper
from trained_inputs import Hints, drawn_inputs, hints_of
from unsigned_weights import with_unsigned_weights
from wide_reference import wide_outputs

TOLERANCE = 1e-4
NUDGE, NUDGES = 2e-7, 6


def _session(model: str | bytes) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, 1
    return onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])


def examples_of(path: Path, hints: Hints) -> list[Example]:
    """Runs a model on what is drawn. One with states runs a few steps, each on the states of the one before."""
    model = onnx.load(path, load_external_data=False)
    exact = with_unsigned_weights(onnx.load(path))
    session = _session(exact.SerializeToString() if exact else str(path))
    names, given = [o.name for o in session.get_outputs()], [i.name for i in session.get_inputs()]
    random = np.random.default_rng(1)
    found: list[Example] = []
    for fed in drawn_inputs(model, hints):
        for _ in range(hints.steps if hints.states else 1):
            outputs: list[Array] = [np.asarray(o) for o in session.run(None, fed)]
            found.append({"input": [fed[name] for name in given], "output": outputs})
            results = dict(zip(names, outputs, strict=True))
            fed = {
                name: results[hints.states[name]]
                if name in hints.states
                else random.permutation(value.reshape(-1)).reshape(value.shape)
                for name, value in fed.items()
            }
    return found


def with_precise(folder: Path) -> list[Example]:
    model = onnx.load(folder / "model.onnx")
    for opset in model.opset_import:
        if opset.domain == "" and opset.version == 18:
            opset.version = 19  # the evaluator has no DequantizeLinear before
    _, examples = load_examples(folder)
    return [e | {"precise": [np.asarray(o) for o in wide_outputs(model, e["input"])]} for e in examples]


def _nudged(model: onnx.ModelProto, seed: int) -> onnx.ModelProto:
    """Returns the model with float weights that differ by about the rounding of an operation."""
    random, out = np.random.default_rng(seed), onnx.ModelProto()
    out.CopyFrom(model)
    for tensor in out.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT:
            values = numpy_helper.to_array(tensor)
            factors = 1 + random.uniform(-NUDGE, NUDGE, values.shape)
            tensor.CopyFrom(numpy_helper.from_array((values * factors).astype(np.float32), tensor.name))
    return out


def moved_by(path: Path, examples: list[Example]) -> float:
    """Returns how far ONNX Runtime's float results move at most, relative to the largest magnitude in each."""
    model = onnx.load(path)
    model = with_unsigned_weights(model) or model
    sessions = [_session(_nudged(model, seed).SerializeToString()) for seed in range(NUDGES)]
    given = [i.name for i in sessions[0].get_inputs()]
    moved = 0.0
    for example in examples:
        fed = dict(zip(given, example["input"], strict=True))
        for session in sessions:
            for before, now in zip(example["output"], session.run(None, fed), strict=True):
                if before.dtype.kind == "f" and before.size:
                    moved = max(moved, float(np.abs(before - now).max() / max(np.abs(before).max(), 1e-30)))
    return moved


def main() -> None:
    *options, key, folder = sys.argv[1:]
    home = Path(folder)
    (home / "dims.json").write_text(json.dumps(hints_of(key).dims))
    if "--moved" in options:
        _, examples = load_examples(home)
        moved = moved_by(home / "model.onnx", examples)
        (home / "moved.txt").write_text(str(moved))
        save_examples(home, max(TOLERANCE, 2 * moved), examples)
        return
    is_precise = "--precise" in options
    examples = with_precise(home) if is_precise else examples_of(home / "model.onnx", hints_of(key))
    save_examples(home, TOLERANCE, examples)


if __name__ == "__main__":
    main()
