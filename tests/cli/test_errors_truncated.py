"""Truncated files: an error with a code, never a crash. tests/unit/cli tries many more lengths, under sanitizers
too."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sunmao_binary import MODELS, compile_model, sunmao

CUTS = 16  # number of lengths for each file


def lengths(size: int) -> Iterator[int]:
    yield from range(0, 4)
    yield from (size * i // CUTS for i in range(1, CUTS))
    yield from range(size - 3, size)


def check_refused(command: str, path: Path, whole: bytes, *options: object) -> None:
    for length in sorted(set(lengths(len(whole)))):
        path.write_bytes(whole[:length])
        result = sunmao(command, path, *options)
        assert result.returncode == 1, f"{length} of {len(whole)} bytes: {result.stdout}{result.stderr}"
        assert re.search(r"^error\[E\d{4}\]: ", result.stderr, re.MULTILINE), result.stderr


@pytest.mark.parametrize("name", ["mlp.onnx", "mlp.pt2"])
def test_models(name: str, tmp_path: Path) -> None:
    check_refused("opt", tmp_path / name, (MODELS / name).read_bytes())


@pytest.mark.parametrize("command", ["run", "inspect"])
def test_artifact(command: str, tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "mlp.sunmao")
    check_refused(command, tmp_path / "cut.sunmao", artifact.read_bytes())


def test_script(tmp_path: Path) -> None:
    text = (MODELS / "mlp.py").read_text().rstrip().encode()
    # A script that is cut at the end of a statement can still be valid, so the test only requires that nothing crashes.
    script = tmp_path / "mlp.py"
    for length in range(0, len(text), 61):
        script.write_bytes(text[:length])
        assert sunmao("opt", script).returncode in (0, 1), length


def test_weights(tmp_path: Path) -> None:
    model = tmp_path / "mlp.py"
    shutil.copy(MODELS / "mlp.py", model)
    weights = tmp_path / "weights.safetensors"
    whole = (MODELS / "mlp.weights.safetensors").read_bytes()
    for length in sorted(set(lengths(len(whole)))):
        weights.write_bytes(whole[:length])
        result = sunmao("compile", model, "--weights", weights)
        assert result.returncode == 1 and "error[E08" in result.stderr, f"{length}: {result.stderr}"
