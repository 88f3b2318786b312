"""What the commands say of model files: nodes accounted for, ops that are not read as a list, weights that grow."""

import json
from pathlib import Path

import numpy as np
import pytest
from onnx_bytes import model, node, value
from sunmao_binary import MODELS, sunmao, write_tensors

GROWING = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((64, 8), "float32"), w: R.Tensor((8,), "float32")) -> R.Tensor((64, 8), "float32"):
        R.func_attr({"global_symbol": "main", "num_input": 1})
        with R.dataflow():
            wide = R.broadcast_to(w, (64, 8))
            wider = R.multiply(wide, wide)
            y = R.add(x, wider)
            R.output(y)
        return y
"""


@pytest.fixture
def growing(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "model.py").write_text(GROWING)
    write_tensors(tmp_path / "weights.safetensors", {"w": np.arange(8, dtype=np.float32)})
    return tmp_path / "model.py", tmp_path / "weights.safetensors"


def test_growing_weights_are_told_with_what_they_are_made_of(growing: tuple[Path, Path], tmp_path: Path) -> None:
    script, weights = growing
    result = sunmao("compile", script, "--weights", weights, "-o", tmp_path / "m.sunmao")
    assert result.returncode == 0, result.stderr
    assert "warning: the weights grow by" in result.stderr
    assert "2048 bytes instead of 32" in result.stderr


def test_growth_beyond_the_limit_writes_nothing(growing: tuple[Path, Path], tmp_path: Path) -> None:
    script, weights = growing
    artifact = tmp_path / "m.sunmao"
    result = sunmao("compile", script, "--weights", weights, "-o", artifact, "--max-growth", "5")
    assert result.returncode == 1
    assert "E0533" in result.stderr
    assert "2048 bytes instead of 32" in result.stderr
    assert not artifact.exists()
    result = sunmao("compile", script, "--weights", weights, "-o", artifact, "--max-growth", "10000")
    assert result.returncode == 0
    assert artifact.exists()


@pytest.mark.parametrize("name", ["mlp.onnx", "mlp.pt2", "mlp_aten.pt2"])
def test_every_node_is_accounted_for(name: str) -> None:
    result = sunmao("inspect", MODELS / name, "--nodes", "--json")
    assert result.returncode == 0, result.stderr
    facts = json.loads(result.stdout)
    counts = {"mapped": 0, "folded": 0, "dropped": 0, "inlined": 0}
    for entry in facts["nodes"]:
        counts[entry["fate"]] += 1
        assert entry["node"]
        assert entry["reason"] or entry["fate"] == "mapped"
    assert counts == facts["counts"]
    assert counts["mapped"] > 0
    assert facts["weight_bytes"] < facts["file_bytes"]


def test_nodes_are_listed_for_people() -> None:
    result = sunmao("inspect", MODELS / "mlp.onnx", "--nodes")
    assert result.returncode == 0, result.stderr
    assert "mapped   Relu" in result.stdout
    assert "known while reading" in result.stdout


def test_nodes_of_an_artifact_and_bytecode_of_a_model_are_refused(tmp_path: Path) -> None:
    artifact = tmp_path / "m.sunmao"
    assert sunmao("compile", MODELS / "mlp.onnx", "-o", artifact).returncode == 0
    assert "E0004" in sunmao("inspect", artifact, "--nodes").stderr
    assert "E0004" in sunmao("inspect", MODELS / "mlp.onnx", "--bytecode").stderr


def test_ops_that_are_not_read_are_a_list_for_programs_and_status_3(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    nodes = [node("Softmaxx", ["x"], ["a"]), node("Foo", ["a"], ["y"])]
    path.write_bytes(model(nodes, [value("x", [2])], ["y"]))
    result = sunmao("compile", path, "--json")
    assert result.returncode == 3
    assert "E0604" in result.stderr
    [error] = json.loads(result.stdout)["errors"]
    assert error["code"] == "E0604"
    first, second = error["details"]
    assert (first["op"], first["count"], second["op"]) == ("Softmaxx", "1", "Foo")
    assert "`Softmax`" in first["nearest"]
    assert len(first["place"]) == 1


def one_after_another(path: Path, *ops: str) -> Path:
    names = ["x", *(f"v{i}" for i in range(len(ops) - 1)), "y"]
    nodes = [node(op, [names[i]], [names[i + 1]]) for i, op in enumerate(ops)]
    path.write_bytes(model(nodes, [value("x", [2, 3])], ["y"]))
    return path


def test_two_exports_of_one_network_are_the_same() -> None:
    result = sunmao("diff", MODELS / "mlp.onnx", MODELS / "mlp.pt2", "--json")
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["numbers"]["same"]
    assert found["ops"]["matmul"] == [2, 2]
    assert all(pair["a"] and pair["b"] for pair in found["weights"])


def test_the_first_layer_whose_numbers_differ_is_named(tmp_path: Path) -> None:
    a = one_after_another(tmp_path / "a.onnx", "Neg", "Exp", "Tanh")
    b = one_after_another(tmp_path / "b.onnx", "Neg", "Exp", "Sigmoid")
    result = sunmao("diff", a, b)
    assert result.returncode == 1
    assert "last layer that agrees   a: node `Exp_of_v1`" in result.stdout
    assert "first that differs       a: node `Tanh_of_y`" in result.stdout
    assert "b: node `Sigmoid_of_y`" in result.stdout


def test_models_with_other_inputs_are_not_compared(tmp_path: Path) -> None:
    a = one_after_another(tmp_path / "a.onnx", "Neg")
    b = tmp_path / "b.onnx"
    b.write_bytes(model([node("Add", ["x", "z"], ["y"])], [value("x", [2, 3]), value("z", [2, 3])], ["y"]))
    result = sunmao("diff", a, b)
    assert result.returncode == 1
    assert "E0537" in result.stderr
