"""bench/packaged_models.py: sizes at which a model is used, and what stands beside it afterwards."""

import json
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
from packaged_models import TOLERANCE, case_names, facts_of, usual_sizes
from trained_files import TrainedFile
from trained_inputs import Input

FLOAT = np.dtype(np.float32)


def file_of(folder: Path, name: str = "model.onnx", steps: int = 0) -> TrainedFile:
    """Writes a model that doubles a sequence; one with a number of steps takes no other."""
    (folder / "files").mkdir(exist_ok=True)
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", "length"]) for n in "xy")
    weights = [numpy_helper.from_array(np.full(max(steps, 1), 2, np.float32), "w")]
    graph = helper.make_graph([helper.make_node("Mul", ["x", "w"], ["y"])], "g", [x], [y], weights)
    onnx.save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10),
        folder / "files" / "model.onnx",
    )
    return TrainedFile("package", "1", name, folder / "files", 100)


def test_open_sizes_are_usual_ones() -> None:
    values = [Input("image", FLOAT, ["batch", 3, "height", "width"]), Input("text", FLOAT, ["batch", "length", 8])]
    assert usual_sizes(values) == {"batch": 1, "height": 224, "width": 224, "length": 64}


def test_a_model_has_an_input_and_onnx_runtimes_output(tmp_path: Path) -> None:
    facts = facts_of(file_of(tmp_path))
    assert (facts["files"], facts["inputs"], facts["tolerance"]) == ("files/model", ["float32[1, 64]"], TOLERANCE)
    with np.load(tmp_path / "files" / "model.npz") as recorded:
        assert np.array_equal(recorded["output0"], 2 * recorded["input0"])
    assert json.loads((tmp_path / "files" / "model.json").read_text()) == facts
    assert facts_of(file_of(tmp_path)) == facts


def test_sizes_that_a_model_refuses_are_those_of_its_test(tmp_path: Path) -> None:
    assert facts_of(file_of(tmp_path, steps=16))["inputs"] == ["float32[1, 16]"]


def test_a_model_that_does_not_run_has_a_reason(tmp_path: Path) -> None:
    assert "error" in facts_of(file_of(tmp_path, steps=5))


def test_cases_have_folders_where_names_are_equal(tmp_path: Path) -> None:
    files = [file_of(tmp_path, name) for name in ("a/one.onnx", "a/two.onnx", "b/two.onnx")]
    assert case_names(files) == ["one", "a/two", "b/two"]
