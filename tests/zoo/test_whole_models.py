"""Each architecture from script to results: compiled and evaluated, against NumPy at several batch sizes."""

from pathlib import Path

import numpy as np
import pytest
from architectures import ARCHITECTURES, Architecture
from sunmao_binary import TOLERANCE, read_tensors, sunmao, write_tensors

BATCHES = (1, 3, 16)


@pytest.fixture(scope="module", params=ARCHITECTURES)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Architecture, Path]:
    architecture, result = ARCHITECTURES[request.param]()
    folder = tmp_path_factory.mktemp(architecture.name)
    script = folder / "model.py"
    script.write_text(architecture.script(result))
    write_tensors(folder / "weights.safetensors", architecture.weights)
    recording = {}
    for batch in BATCHES:
        x = np.random.default_rng(batch).standard_normal((batch, *architecture.input_shape)).astype(np.float32)
        recording[f"b{batch}.input.0"] = x
        recording[f"b{batch}.output.0"] = architecture.reference(x, architecture.weights).astype(np.float32)
    write_tensors(folder / "recording.safetensors", recording)
    return architecture, folder


@pytest.mark.parametrize("evaluate", [(), ("--evaluate",)], ids=["compiled", "evaluated"])
def test_numbers_are_those_of_numpy(
    model: tuple[Architecture, Path], evaluate: tuple[str, ...], tmp_path: Path
) -> None:
    _, folder = model
    outputs = tmp_path / "outputs.safetensors"
    result = sunmao(
        "run", folder / "model.py", "--weights", folder / "weights.safetensors", *evaluate,
        "--expect", folder / "recording.safetensors", "--output", outputs,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout + result.stderr
    wanted, got = read_tensors(folder / "recording.safetensors"), read_tensors(outputs)
    for batch in BATCHES:
        name = f"b{batch}.output.0"
        np.testing.assert_allclose(got[name], wanted[name], **TOLERANCE["float32"])


def test_every_pass_keeps_its_promises(model: tuple[Architecture, Path], tmp_path: Path) -> None:
    _, folder = model
    result = sunmao(
        "compile", folder / "model.py", "--weights", folder / "weights.safetensors",
        "-o", tmp_path / "model.sunmao", "--verify=each",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
