"""Invalid input on the command line: an error with a code, a help line where there is one, an exit status, no crash."""

import re
from pathlib import Path

import numpy as np
import pytest
from sunmao_binary import EXAMPLES, MODELS, Result, compile_model, run_program, sunmao, write_tensors

FAILURE, USAGE = 1, 2
ONNX = MODELS / "mlp.onnx"
WEIGHTS = MODELS / "mlp.weights.safetensors"


@pytest.fixture(scope="module")
def artifact(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_model("mlp.onnx", tmp_path_factory.mktemp("errors") / "mlp.sunmao", "--dim", "batch=1..64")


def codes(result: Result) -> list[str]:
    return re.findall(r"^error\[(E\d{4})\]: ", result.stderr, re.MULTILINE)


def expect_error(result: Result, status: int, code: str, *words: str) -> None:
    assert result.returncode == status, result.stderr
    assert code in codes(result), result.stderr
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], "E0001", "--help"),
        (["complie", ONNX], "E0001", "did you mean `compile`"),
        (["compile"], "E0001", "MODEL"),
        (["compile", ONNX, "--taget", "host"], "E0001", "did you mean `--target`"),
        (["compile", ONNX, "second.onnx"], "E0001", "second.onnx"),
        (["compile", ONNX, "--verify=often"], "E0001", "often"),
        (["run", ONNX, "--repeat", "0"], "E0001", "repeat"),
        (["run", ONNX, "--repeat", "many"], "E0001", "many"),
        (["compile", ONNX, "--dim", "batch"], "E0002", "name=value"),
        (["compile", ONNX, "--dim", "batch=a..b"], "E0002", "batch=1..64"),
        (["compile", ONNX, "--dim", "batch=64..1"], "E0002", "64 is above 1"),
        (["compile", ONNX, "--dim", "batch=1..99999999999999999999"], "E0002", "is no range for `batch`"),
        (["compile", ONNX, "--target", "x86-64-v3,x86-64-v3"], "E0002", "twice"),
        (["run", ONNX, "--input", "x=picture.png"], "E0002", "file.npy"),
        (["run", ONNX, "--input", "x=zeros", "--input", "x=random"], "E0002", "twice"),
        (["run", ONNX, "--dim", "batch=4611686018427387904"], "E0002", "memory"),
        (["run", ONNX, "--input", "y=zeros"], "E0003", "`x`"),
        (["run", ONNX, "--dim", "bacth=4"], "E0003", "batch"),
        (["run", ONNX, "--function", "mian"], "E0003", "main"),
        (["run", ONNX, "--evaluate", "--function", "mian"], "E0003", "main"),
        (["run", ONNX, "--evaluate", "--target", "host"], "E0004", "evaluator"),
        (["run", ONNX, "--prefix", "b1."], "E0004", "--expect"),
        (["opt", ONNX, "--passes", "normalize", "--pipeline"], "E0004", "--passes"),
        (["explain", "E9999"], "E0005", "E9999"),
    ],
)
def test_wrong_command_line(arguments: list[object], code: str, words: str) -> None:
    expect_error(sunmao(*arguments), USAGE, code, words)


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["compile", ONNX, "--target", "z80"], "E1001", "x86-64-v3"),
        (["compile", ONNX, "--disable", "normalise"], "E0511", "normalize"),
        (["opt", ONNX, "--passes", "fold-constant"], "E0511", "fold-constants"),
        (["compile", ONNX, "--dim", "length=1..8"], "E0512", "length"),
        (["compile", ONNX, "-o", "no/such/folder/m.sunmao"], "E08", "no/such/folder"),
        (["compile", "gone.onnx"], "E0801", "gone.onnx"),
        (["run", "gone.sunmao"], "E0801", "gone.sunmao"),
        (["inspect", "gone.sunmao"], "E0801", "gone.sunmao"),
        (["compile", MODELS], "E08", "models"),
        (["compile", MODELS / "mlp.py"], "E0520", "weights"),
        (["run", MODELS / "mlp.py", "--evaluate"], "E0520", "weights"),
        (["run", ONNX, "--expect", WEIGHTS], "E0012", "input.0"),
        (["run", ONNX, "--input", f"x={WEIGHTS}:x"], "E0012", "fc1_bias"),
        (["run", ONNX, "--input", "x=gone.npy"], "E0801", "gone.npy"),
    ],
)
def test_wrong_files_and_names(arguments: list[object], code: str, words: str, tmp_path: Path) -> None:
    result = sunmao(*arguments)
    assert result.returncode == FAILURE, result.stderr
    assert any(c.startswith(code) for c in codes(result)), result.stderr
    assert words in result.stderr


def test_wrong_options_for_an_artifact(artifact: Path) -> None:
    expect_error(sunmao("run", artifact, "--evaluate"), USAGE, "E0004", "artifact")
    expect_error(sunmao("run", artifact, "--target", "host"), USAGE, "E0004", "--target")
    expect_error(sunmao("inspect", artifact, "--json", "--bytecode"), USAGE, "E0004")


@pytest.mark.parametrize(
    ("array", "code", "words"),
    [
        (np.zeros((2, 16), np.float64), "E0903", "expected float32"),
        (np.zeros((2, 16, 1), np.float32), "E09", "x"),
        (np.zeros((2, 15), np.float32), "E0905", "expected 16"),
        (np.zeros((65, 16), np.float32), "E09", "64"),
        (np.zeros((0, 16), np.float32), "E09", "batch"),
    ],
    ids=["dtype", "rank", "shape", "batch above its range", "batch below its range"],
)
def test_wrong_input(artifact: Path, array: np.ndarray, code: str, words: str, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", array)
    result = sunmao("run", artifact, "--input", f"x={tmp_path / 'x.npy'}")
    assert result.returncode == FAILURE, result.stderr
    assert any(c.startswith(code) for c in codes(result)), result.stderr
    assert words in result.stderr


def test_npy_files_that_are_none(artifact: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.npy"
    arrays = [np.zeros((2, 16), ">f4"), np.zeros((2, 16), np.float32, order="F"), np.array([None]), np.zeros(2, "U4")]
    for array in arrays:
        np.save(path, array)
        expect_error(sunmao("run", artifact, "--input", f"x={path}"), FAILURE, "E0011", "numpy.save")
    np.save(path, np.zeros((2, 16), np.float32))
    whole = path.read_bytes()
    for size in (*range(0, 140, 7), len(whole) - 1):
        path.write_bytes(whole[:size])
        expect_error(sunmao("run", artifact, "--input", f"x={path}"), FAILURE, "E0011")


def test_weights_of_another_model(artifact: Path, tmp_path: Path) -> None:
    other = write_tensors(tmp_path / "other.safetensors", {"fc1_weight": np.zeros((8, 4), np.float32)})
    expect_error(
        sunmao("compile", MODELS / "mlp.py", "--weights", other), FAILURE, "E0521", "fc1_weight", "(32, 16)", "(8, 4)"
    )
    recording = MODELS / "mlp.onnx.safetensors"
    for model, weight in (("mlp.onnx", "`fc1.weight`"), ("mlp.py", "`fc1_weight`")):
        expect_error(sunmao("run", MODELS / model, "--weights", recording), FAILURE, "E0522", weight, "b1.input.0")
    result = sunmao("run", artifact, "--weights", other)
    assert result.returncode == FAILURE and codes(result), result.stderr


def test_script_with_wrong_syntax_and_shape(tmp_path: Path) -> None:
    script = tmp_path / "m.py"
    text = (MODELS / "mlp.py").read_text()
    script.write_text(text.replace("R.matmul(x, w1)", "R.matmul(x, w1"))
    result = sunmao("compile", script)
    assert result.returncode == FAILURE and codes(result)[0].startswith("E01"), result.stderr
    assert "--> m.py:" in result.stderr
    script.write_text(text.replace("R.matmul(x, w1)", "R.matmul(x, fc1_weight)"))
    result = sunmao("compile", script, "--weights", WEIGHTS)
    assert result.returncode == FAILURE and codes(result)[0].startswith("E03"), result.stderr
    assert "16" in result.stderr and "32" in result.stderr and "m.py:" in result.stderr


def test_c_program_reports_errors(artifact: Path, tmp_path: Path) -> None:
    raw = tmp_path / "x.raw"
    raw.write_bytes(bytes(4 * 16 * 65))
    result = run_program(EXAMPLES / "run_model", artifact, raw)
    assert result.returncode == 1 and codes(result)[0].startswith("E09"), result.stderr
    assert codes(run_program(EXAMPLES / "run_model", ONNX)) != []


def test_a_pass_without_what_it_needs() -> None:
    before, needed, kill = "to-non-dataflow", "remove-purity-checking", "kill-after-last-use"
    model = MODELS / "mlp.py"
    result = sunmao("opt", model, "--passes", f"{before},{kill}", "--verify=each")
    expect_error(result, FAILURE, "E0540", "kill-after-last-use needs", needed)
    assert sunmao("opt", model, "--passes", f"{before},{needed},{kill}", "--verify=each").returncode == 0
