"""`sunmao.check` reports what `sunmao check` finds."""

import sys
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
