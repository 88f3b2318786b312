"""`sunmao check` names the layer in which a model leaves its reference, and those where NaN and infinities begin."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx_bytes import model as onnx_model
from onnx_bytes import node, value
from sunmao_binary import BINARY, LIMIT, MODELS, Result, read_tensors, sunmao, write_tensors

SHAPES = {
    "w0": (4, 3, 3, 3), "b0": (1, 4, 1, 1), "w1": (4, 4, 3, 3), "w2": (64, 16), "b2": (16,), "g": (16,), "h": (16,),
    "w3": (16, 10),
}  # fmt: skip
SCRIPT = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3, 8, 8), "float32"), WEIGHTS):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            c0 = R.nn.conv2d(x, w0, padding=[1, 1, 1, 1])
            c1 = R.add(c0, b0)
            c2 = R.nn.relu(c1)
            c3 = R.nn.conv2d(c2, w1, padding=[1, 1, 1, 1])
            c4 = R.add(c3, c2)
            c5 = R.nn.max_pool2d(c4, pool_size=[2, 2], strides=[2, 2])
            f0 = R.reshape(c5, R.shape([2, 64]))
            f1 = R.matmul(f0, w2)
            f2 = R.add(f1, b2)
            f3 = R.tanh(f2)
            f4 = R.nn.layer_norm(f3, g, h, axes=[-1], epsilon=1e-5)
            f5 = R.matmul(f4, w3)
            f6 = R.nn.softmax(f5, axis=-1)
            f7 = R.log(f6)
            f8 = R.sum(f7, axis=[1])
            R.output(f7, f8)
        return f7, f8
""".replace("WEIGHTS", ", ".join(f'{name}: R.Tensor({shape}, "float32")' for name, shape in SHAPES.items()))
LAYERS = 15

# The layers in which a changed weight shows.
USED_IN = {"w0": "c0", "b0": "c1", "w1": "c3", "w2": "f1", "b2": "f2", "g": "f4", "h": "f4", "w3": "f5"}
# The layers whose op is another one.
CHANGED = {
    "c2": ("R.nn.relu(c1)", "R.nn.silu(c1)"),
    "c4": ("R.add(c3, c2)", "R.subtract(c3, c2)"),
    "c5": ("R.nn.max_pool2d", "R.nn.avg_pool2d"),
    "f3": ("R.tanh(f2)", "R.sigmoid(f2)"),
    "f4": ("epsilon=1e-5", "epsilon=0.5"),
    "f6": ("axis=-1", "axis=0"),
    "f7": ("R.log(f6)", "R.exp(f6)"),
    "f8": ("R.sum(f7", "R.mean(f7"),
}


def weights() -> dict[str, np.ndarray]:
    random = np.random.default_rng(7)
    return {name: random.uniform(-1, 1, shape).astype("float32") for name, shape in SHAPES.items()}


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the model, its weights and a recording of it."""
    folder = tmp_path_factory.mktemp("check")
    (folder / "model.py").write_text(SCRIPT)
    write_tensors(folder / "w.safetensors", weights())
    result = sunmao("check", folder / "model.py", "--weights", folder / "w.safetensors", "--record", folder / "good.st")
    assert result.returncode == 0 and f"{LAYERS} layers" in result.stdout, result.stderr
    return folder


def checked(good: Path, folder: Path, script: str, given: dict[str, np.ndarray]) -> tuple[Result, dict[str, Any]]:
    (folder / "other.py").write_text(script)
    write_tensors(folder / "other.safetensors", given)
    result = sunmao(
        "check", folder / "other.py", "--weights", folder / "other.safetensors", "--against", good / "good.st", "--json"
    )
    return result, json.loads(result.stdout)


def test_the_model_is_the_same_as_its_recording(good: Path, tmp_path: Path) -> None:
    result, found = checked(good, tmp_path, SCRIPT, weights())
    assert result.returncode == 0 and found["same"] and "first" not in found
    assert (found["layers"], found["compared"], found["not_finite"]) == (LAYERS, LAYERS, [])


@pytest.mark.parametrize("name", USED_IN)
def test_a_changed_weight_shows_in_its_layer(name: str, good: Path, tmp_path: Path) -> None:
    changed = weights()
    changed[name].flat[changed[name].size // 2] += 1
    result, found = checked(good, tmp_path, SCRIPT, changed)
    assert result.returncode == 1 and not found["same"]
    first = found["first"]
    assert first["layer"] == USED_IN[name] and first["differing"] > 0
    assert first["error"] > first["tolerance"] and abs(first["got"] - first["expected"]) == pytest.approx(
        first["error"]
    )
    recorded = read_tensors(good / "good.st")[f"layer.{first['layer']}"]
    assert recorded[tuple(first["index"])] == pytest.approx(first["expected"])


@pytest.mark.parametrize("layer", CHANGED)
def test_another_op_shows_in_its_layer(layer: str, good: Path, tmp_path: Path) -> None:
    before, after = CHANGED[layer]
    assert SCRIPT.count(before) == 1
    result, found = checked(good, tmp_path, SCRIPT.replace(before, after), weights())
    assert result.returncode == 1 and found["first"]["layer"] == layer
    assert found["first"]["place"].startswith("other.py:")


def test_a_weight_that_is_not_finite_is_named(good: Path, tmp_path: Path) -> None:
    for name, layer, number in (("w2", "f1", np.nan), ("b0", "c1", np.inf)):
        changed = weights()
        changed[name].flat[3] = number
        result, found = checked(good, tmp_path, SCRIPT, changed)
        assert result.returncode == 1 and found["first"]["layer"] == layer
        begins = found["not_finite"][0] if number != np.inf else found["not_finite"][-1]
        assert (begins["layer"], begins["source"]) == (layer, f"weight `{name}`")
        assert begins["value"] == str(number)


@pytest.mark.parametrize(
    ("before", "after", "layer", "number"),
    [("R.tanh(f2)", "R.sqrt(f2)", "f3", "nan"), ("R.nn.softmax(f5, axis=-1)", "R.subtract(f5, f5)", "f7", "-inf")],
)
def test_a_layer_that_makes_what_is_not_finite_is_named(
    before: str, after: str, layer: str, number: str, good: Path, tmp_path: Path
) -> None:
    result, found = checked(good, tmp_path, SCRIPT.replace(before, after), weights())
    assert result.returncode == 1
    assert [(n["layer"], n["value"], n["source"]) for n in found["not_finite"]][:1] == [(layer, number, "")]


def test_the_evaluator_is_the_reference_by_default(good: Path) -> None:
    words = ("check", good / "model.py", "--weights", good / "w.safetensors", "--bisect")
    result = sunmao(*words)
    assert result.returncode == 0, result.stderr
    assert f"{LAYERS} of {LAYERS} layers compared with the evaluator" in result.stdout
    assert "the same" in result.stdout and "blame  no pass changes a number" in result.stdout
    assert sunmao(*words[:-1], "--target", "x86-64-v2", "--disable", "fuse-ops").returncode == 0


@pytest.mark.parametrize("name", ["mlp.onnx", "mlp.pt2"])
def test_models_of_front_ends(name: str) -> None:
    result = sunmao("check", MODELS / name, "--dim", "batch=3" if name == "mlp.onnx" else "s77=3", "--json")
    if name == "mlp.pt2" and "no input has a dimension" in result.stderr:
        result = sunmao("check", MODELS / name, "--json")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout)["compared"] > 3


def test_the_text_names_the_node_and_the_element(tmp_path: Path) -> None:
    given = [value("x", [2, 3])]
    names = [("Neg", "x", "a"), ("Exp", "a", "b"), ("Tanh", "b", "y")]
    good, bad = tmp_path / "good.onnx", tmp_path / "bad.onnx"
    good.write_bytes(onnx_model([node(op, [i], [o]) for op, i, o in names], given, ["y"]))
    bad.write_bytes(good.read_bytes().replace(b"\x22\x03Exp", b"\x22\x03Abs"))  # the op; the name of the node stays
    record = tmp_path / "good.safetensors"
    assert sunmao("check", good, "--record", record).returncode == 0
    result = sunmao("check", bad, "--against", record)
    assert result.returncode == 1
    assert "first layer that differs  Exp_of_b (abs)  node `Exp_of_b`" in result.stdout
    assert "element [" in result.stdout and "tolerance" in result.stdout and "6 of 6 elements differ" in result.stdout


def test_a_difference_of_results_alone_is_told(good: Path, tmp_path: Path) -> None:
    recorded = read_tensors(good / "good.st")
    recorded["output.0"] = recorded["output.0"] + 1
    write_tensors(tmp_path / "r.safetensors", recorded)
    words = ("check", good / "model.py", "--weights", good / "w.safetensors", "--against", tmp_path / "r.safetensors")
    result = sunmao(*words)
    assert result.returncode == 1 and "results differ  result 0: 20 of 20 elements" in result.stdout
    assert json.loads(sunmao(*words, "--json").stdout)["results"].startswith("result 0")


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        ([], 2, "E0001"),
        (["M", "--against"], 2, "E0001"),
        (["M", "--dim", "batch=x"], 2, "E0002"),
        (["M", "--input", "z=zeros"], 2, "E0003"),
        (["M", "--record", "r.st", "--bisect"], 2, "E0004"),
        (["M", "--disable", "fuse-op"], 1, "E0511"),
        (["M", "--target", "z80"], 1, "E1001"),
        (["gone.onnx"], 1, "E0801"),
        (["M", "--against", "gone.safetensors"], 1, "E0801"),
        (["M", "--against", "W"], 1, "E0053"),
        (["M", "--against", "onnxruntime"], 1, "E0054"),
        (["M", "--against", "pytorch"], 1, "E0054"),
        (["M", "--record", "no/such/r.st"], 1, "E08"),
        (["M", "--record", "M"], 1, "E0807"),
    ],
)
def test_what_cannot_be_checked(words: list[str], status: int, code: str, tmp_path: Path) -> None:
    places = {"M": str(MODELS / "mlp.onnx"), "W": str(MODELS / "mlp.weights.safetensors")}
    before = (MODELS / "mlp.onnx").read_bytes()
    command = [str(BINARY), "check", *(places.get(w, w) for w in words)]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT, check=False)
    assert result.returncode == status and f"error[{code}" in result.stderr, result.stderr
    assert list(tmp_path.iterdir()) == [] and (MODELS / "mlp.onnx").read_bytes() == before


def test_a_script_without_main_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(SCRIPT.replace("def main", "def other").replace('"num_input": 1', ""))
    result = sunmao("check", tmp_path / "m.py")
    assert result.returncode == 2 and "error[E0003]" in result.stderr


def test_a_report_that_cannot_be_written(good: Path) -> None:
    words = [str(w) for w in (BINARY, "check", good / "model.py", "--weights", good / "w.safetensors")]
    with open("/dev/full", "w") as full:
        run = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
    assert run.returncode == 1 and "error[E0804]" in run.stderr


def test_an_interrupt_leaves_no_recording(good: Path, tmp_path: Path) -> None:
    record = tmp_path / "r.safetensors"
    words = [str(w) for w in (BINARY, "check", good / "model.py", "--weights", good / "w.safetensors")]
    process = subprocess.Popen([*words, "--record", str(record)], stdout=subprocess.PIPE, start_new_session=True)
    os.killpg(process.pid, signal.SIGINT)
    process.communicate(timeout=LIMIT)
    assert process.returncode in (-signal.SIGINT, 130, 0) and record.exists() == (process.returncode == 0)


def test_a_model_without_layers(tmp_path: Path) -> None:
    lines = {"return x": "the model has no layers; 1 result compared with the evaluator\nthe same\n",
             "return R.tuple()": "the model has no layers and no results: there is nothing to compare\n"}  # fmt: skip
    for line, text in lines.items():
        (tmp_path / "m.py").write_text(
            '@I.ir_module\nclass Module:\n    @R.function\n    def main(x: R.Tensor((4,), "float32")):\n'
            f"        {line}\n"
        )
        result = sunmao("check", tmp_path / "m.py")
        assert (result.returncode, result.stdout) == (0, text), result.stderr
    report = json.loads(sunmao("check", tmp_path / "m.py", "--json").stdout)
    assert (report["layers"], report["compared"], report["compared_results"]) == (0, 0, 0)
