"""End to end: each form of the model is compiled to an artifact, which a C program runs with the runtime alone."""

from pathlib import Path

import numpy as np
import pytest
from sunmao_binary import EXAMPLES, MODELS, TOLERANCE, compile_model, read_tensors, run_program, sunmao

FORMS = {
    "mlp.onnx": (),
    "mlp.pt2": (),
    "mlp.py": ("--weights", MODELS / "mlp.weights.safetensors"),
}
BATCHES = (1, 2, 7, 64)


@pytest.fixture(scope="module", params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def artifact(form: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compile_model(form, tmp_path_factory.mktemp("path") / "mlp.sunmao", *FORMS[form])


@pytest.fixture(scope="module")
def recording(form: str) -> dict[str, np.ndarray]:
    return read_tensors(MODELS / f"{form}.safetensors")


def parse_output(text: str) -> np.ndarray:
    """Parses the output of examples/run_model: a line with name, dtype and shape, then one number per line."""
    first, *numbers = text.splitlines()
    _, dtype, *shape = first.split()
    assert dtype == "float32"
    return np.array(numbers, np.float32).reshape([int(s) for s in shape])


@pytest.mark.parametrize("batch", BATCHES)
def test_c_program_gives_the_recorded_numbers(
    artifact: Path, recording: dict[str, np.ndarray], batch: int, tmp_path: Path
) -> None:
    raw = tmp_path / "x.raw"
    raw.write_bytes(recording[f"b{batch}.input.0"].tobytes())
    result = run_program(EXAMPLES / "run_model", artifact, raw)
    assert result.returncode == 0, result.stderr
    np.testing.assert_allclose(parse_output(result.stdout), recording[f"b{batch}.output.0"], **TOLERANCE["float32"])


def test_run_compares_all_batches_of_the_recording(form: str, artifact: Path) -> None:
    result = sunmao("run", artifact, "--expect", MODELS / f"{form}.safetensors")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("✓") == len(BATCHES)


@pytest.mark.parametrize("evaluate", [(), ("--evaluate",)], ids=["compiled", "evaluated"])
def test_run_of_the_model_itself(
    form: str, recording: dict[str, np.ndarray], evaluate: tuple[str, ...], tmp_path: Path
) -> None:
    outputs = tmp_path / "outputs.safetensors"
    expect = MODELS / f"{form}.safetensors"
    result = sunmao("run", MODELS / form, *FORMS[form], *evaluate, "--expect", expect, "--output", outputs)
    assert result.returncode == 0, result.stderr
    got = read_tensors(outputs)
    for batch in BATCHES:
        name = f"b{batch}.output.0"
        np.testing.assert_allclose(got[name], recording[name], **TOLERANCE["float32"])


def test_same_input_same_bytes(form: str, artifact: Path, tmp_path: Path) -> None:
    again = compile_model(form, tmp_path / "again.sunmao", *FORMS[form])
    assert again.read_bytes() == artifact.read_bytes()


def test_c_program_makes_up_inputs(artifact: Path) -> None:
    result = run_program(EXAMPLES / "run_model", artifact)
    assert result.returncode == 0, result.stderr
    assert parse_output(result.stdout).shape == (1, 3)


def test_every_pass_keeps_its_promises(form: str, tmp_path: Path) -> None:
    compile_model(form, tmp_path / "verified.sunmao", *FORMS[form], "--verify=each")
