"""Writes examples beside a trained model: drawn inputs, and what ONNX Runtime gives for them.

    python tests/differential/trained_examples.py [--precise] KEY FOLDER

With --precise it adds to written examples what the model gives in float64, by ONNX's own evaluator.
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
from trained_inputs import Hints, drawn_inputs, hints_of
from unsigned_weights import with_unsigned_weights
from wide_reference import wide_outputs

TOLERANCE = 1e-4


def _session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, 1
    exact = with_unsigned_weights(onnx.load(path))
    return onnxruntime.InferenceSession(
        exact.SerializeToString() if exact else str(path), options, ["CPUExecutionProvider"]
    )


def examples_of(path: Path, hints: Hints) -> list[Example]:
    """Runs a model on what is drawn. One with states runs a few steps, each on the states of the one before."""
    model = onnx.load(path, load_external_data=False)
    session = _session(path)
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


def main() -> None:
    *options, key, folder = sys.argv[1:]
    home = Path(folder)
    (home / "dims.json").write_text(json.dumps(hints_of(key).dims))
    is_precise = "--precise" in options
    examples = with_precise(home) if is_precise else examples_of(home / "model.onnx", hints_of(key))
    save_examples(home, TOLERANCE, examples)


if __name__ == "__main__":
    main()
