"""`python -m sunmao check` and `sunmao.check` against ONNX Runtime and PyTorch, on right and on changed models."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pytest
import sunmao
from onnx import numpy_helper

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "tests" / "models"
REFERENCES = [("mlp.onnx", "onnxruntime"), ("mlp.pt2", "pytorch"), ("mlp_aten.pt2", "pytorch")]


def command(*words: object) -> subprocess.CompletedProcess[str]:
    arguments = [sys.executable, "-m", "sunmao", "check", *map(str, words)]
    return subprocess.run(arguments, cwd=ROOT / "python", capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.parametrize(("name", "reference"), REFERENCES)
def test_a_right_model_is_the_same(name: str, reference: str) -> None:
    run = command(MODELS / name, "--against", reference, "--json")
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["same"] and found["compared"] >= 5 and found["reference"] == f"{reference}.safetensors"
    assert sunmao.check(MODELS / name, against=reference).is_same


def test_weights_that_are_others_show_in_their_layer(tmp_path: Path) -> None:
    model = onnx.load(MODELS / "mlp.onnx")
    weights: dict[str, Any] = {w.name: numpy_helper.to_array(w).copy() for w in model.graph.initializer}
    name = next(n for n in model.graph.node[0].input if n in weights)
    weights[name].flat[0] += 1
    changed = tmp_path / "w.safetensors"
    from sunmao.layer_references import write_arrays

    write_arrays(changed, {n: w for n, w in weights.items() if w.dtype == "float32"})
    found = sunmao.check(MODELS / "mlp.onnx", against="onnxruntime", weights=changed)
    assert not found.is_same and found["first"]["layer"].startswith(model.graph.node[0].name)


@pytest.mark.parametrize(
    ("name", "reference"), [("mlp.pt2", "onnxruntime"), ("mlp.onnx", "pytorch"), ("mlp.py", "onnxruntime")]
)
def test_another_kind_of_file_is_refused(name: str, reference: str) -> None:
    run = command(MODELS / name, "--against", reference)
    assert run.returncode == 1 and ("error[E0054]" in run.stderr or "error[E0520]" in run.stderr), run.stderr
