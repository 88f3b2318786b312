"""`sunmao.check` reports what `sunmao check` finds."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import sunmao
from sunmao import checking
from sunmao_binary import MODELS


def test_a_model_is_the_same_as_the_evaluator() -> None:
    found = sunmao.check(MODELS / "mlp.onnx", inputs={"x": np.ones((2, 16), "float32")}, dims={}, bisect=True)
    assert found.is_same and found["compared"] == found["layers"] == 9
    assert "no pass changes a number" in found["blamed"]
    assert sunmao.check(MODELS / "mlp.onnx", dims={"batch": 3}, target="x86-64-v2", disable=["fuse-ops"]).is_same


def test_a_check_without_a_result_is_an_error() -> None:
    with pytest.raises(sunmao.Error, match="E0055") as error:
        sunmao.check("gone.onnx")
    assert "E0801" in error.value.help


def test_a_library_that_is_not_there(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    for reference, library, model in (("onnxruntime", "onnxruntime", "mlp.onnx"), ("pytorch", "torch", "mlp.pt2")):
        monkeypatch.setitem(sys.modules, library, None)
        assert checking.run_command(["check", str(MODELS / model), f"--against={reference}"]) == 1
        assert "error[E0054]" in capfd.readouterr().err


def test_other_commands_are_not_taken() -> None:
    for words in ([], ["run", "m.onnx"], ["check", "m.onnx"], ["check", "m.onnx", "--against", "evaluator"]):
        assert checking.run_command(words) is None


def test_options_of_both_runs() -> None:
    words = ["check", "--dim", "n=2", "m.onnx", "--json", "--against", "pytorch", "--weights=w.st", "--bisect"]
    assert checking._shared_words(words) == (["m.onnx"], ["--dim", "n=2", "--weights=w.st"])


def test_recordings_are_read_as_written(tmp_path: Path) -> None:
    from sunmao.layer_references import read_arrays, write_arrays

    arrays = {"a": np.arange(6, dtype="float32").reshape(2, 3), "b": np.array([True, False]), "c": np.array(3)}
    write_arrays(tmp_path / "r.st", {**arrays, "text": np.array(["x"])})
    read = read_arrays(tmp_path / "r.st")
    assert set(read) == set(arrays) and all((read[n] == arrays[n]).all() for n in arrays)


# ONNX Runtime for a test: it runs a model for a long time, or gives zeros at once.
RUNTIME = """
import os, pathlib, time, types
import numpy as np

class SessionOptions:
    def add_session_config_entry(self, *entry): pass

class GraphOptimizationLevel:
    ORT_DISABLE_ALL = 0

class InferenceSession:
    def __init__(self, *model, **options): pass
    def get_inputs(self): return [types.SimpleNamespace(name="x")]
    def run(self, outputs, inputs):
        pathlib.Path(os.environ["STARTED"]).touch()
        time.sleep(float(os.environ["SECONDS"]))
        return [np.zeros(1, "float32")] * len(outputs)
"""
# What runs when the signal comes: the model in ONNX Runtime, or the comparison behind it, whose search is slow.
PHASES = {"reference": ("600", []), "comparison": ("0", ["--bisect", "--dim", "batch=300000"]), "start": ("0", [])}
# The process that compares takes long to start.
SITE = """
import os, sys, time
if any(word.endswith("onnxruntime.safetensors") for word in sys.orig_argv):
    open(os.environ["STARTING"], "w").close()
    time.sleep(3)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("phase", PHASES)
def test_a_signal_leaves_no_folder(phase: str, number: signal.Signals, tmp_path: Path) -> None:
    seconds, options = PHASES[phase]
    scratch, started = tmp_path / "scratch", tmp_path / "started"
    scratch.mkdir()
    (tmp_path / "onnxruntime.py").write_text(RUNTIME)
    if phase == "start":
        (tmp_path / "sitecustomize.py").write_text(SITE)
    paths = os.pathsep.join([str(tmp_path), str(Path(checking.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    marks = {"STARTING": started, "STARTED": tmp_path / "ran"} if phase == "start" else {"STARTED": started}
    environment = {name: str(path) for name, path in marks.items()}
    environment |= {"TMPDIR": str(scratch), "SECONDS": seconds, "PYTHONPATH": paths}
    words = [sys.executable, "-m", "sunmao", "check", str(MODELS / "mlp.onnx"), "--against", "onnxruntime", *options]
    with subprocess.Popen(words, env=os.environ | environment, stderr=subprocess.PIPE, text=True) as process:
        while not started.exists():
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.05)
        time.sleep(1)
        assert list(scratch.iterdir()) != []
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number, errors
    assert errors == ("interrupted\n" if number == signal.SIGINT else "terminated\n")
    assert list(scratch.iterdir()) == []
