"""Output files: never written over an input, and either complete or not written with an error that says why."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import sunmao
from onnx_bytes import linear
from sunmao_binary import BINARY, LIMIT, MODELS, Result, write_tensors
from sunmao_binary import sunmao as run_sunmao

WEIGHT, BIAS = np.arange(12, dtype="float32").reshape(4, 3), np.arange(3, dtype="float32")
NAMES = {"encoder.layer.0/kernel:0": WEIGHT, "encoder.layer.0/bias:0": BIAS}


@pytest.fixture
def onnx(tmp_path: Path) -> Path:
    return linear(tmp_path / "m.onnx", WEIGHT, BIAS)


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    return write_tensors(tmp_path / "w.safetensors", NAMES)


def same(path: Path) -> Path:
    return path


def spelled_otherwise(path: Path) -> Path:
    return path.parent / ".." / path.parent.name / path.name


def symbolic_link(path: Path) -> Path:
    link = path.parent / "symbolic"
    link.symlink_to(path)
    return link


def hard_link(path: Path) -> Path:
    link = path.parent / "hard"
    os.link(path, link)
    return link


def refused(result: Result, *inputs: Path, contents: list[bytes]) -> None:
    assert result.returncode == 1 and "error[E0807]" in result.stderr, result.stderr
    assert result.stdout == ""
    assert [p.read_bytes() for p in inputs] == contents


@pytest.mark.parametrize("other_name", [same, spelled_otherwise, symbolic_link, hard_link])
def test_an_output_is_never_an_input(other_name: Callable[[Path], Path], onnx: Path, weights: Path) -> None:
    artifact = onnx.parent / "a.sunmao"
    sunmao.compile(onnx, prepare="load").save(artifact)
    script = onnx.parent / "m.py"
    assert run_sunmao("opt", onnx, "-o", script).returncode == 0
    files = (onnx, weights, artifact, script)
    contents = [f.read_bytes() for f in files]
    for command in (
        ("compile", onnx, "-o", onnx),
        ("compile", onnx, "--weights", weights, "-o", weights),
        ("compile", onnx, "--stop-after", "normalize", "-o", onnx),
        ("transform-params", onnx, "-o", onnx),
        ("transform-params", artifact, "--weights", weights, "-o", weights),
        ("transform-params", artifact, "-o", artifact),
        ("opt", script, "-o", script),
        ("opt", onnx, "--save-weights", onnx),
        ("run", artifact, "--weights", weights, "--output", weights),
        ("run", onnx, "--output", onnx),
        ("run", artifact, "--input", f"a b={weights}:x", "--output", weights),
    ):
        *words, output = command
        link = other_name(output)
        refused(run_sunmao(*words, link), *files, contents=contents)
        if link != output and link.name in ("symbolic", "hard"):
            link.unlink()


def test_two_outputs_are_two_files(onnx: Path) -> None:
    out = onnx.parent / "out.py"
    contents = [onnx.read_bytes()]
    refused(run_sunmao("opt", onnx, "-o", out, "--save-weights", out), onnx, contents=contents)
    refused(run_sunmao("opt", onnx, "-o", out, "--save-weights", f"{out}.constants.safetensors"), contents=[])
    assert not out.exists()


def test_external_data_is_an_input_too(tmp_path: Path) -> None:
    data = tmp_path / "data.bin"
    data.write_bytes(WEIGHT.tobytes())
    model = linear(tmp_path / "m.onnx", WEIGHT, BIAS, external={"location": "data.bin"})
    for words in (("compile", model, "-o"), ("opt", model, "-o"), ("transform-params", model, "-o")):
        refused(run_sunmao(*words, data), data, contents=[WEIGHT.tobytes()])


def test_python_does_not_write_over_inputs_either(onnx: Path, weights: Path, tmp_path: Path) -> None:
    artifact = tmp_path / "a.sunmao"
    model = sunmao.compile(onnx, weights=weights)
    model.save(artifact)
    for path in (onnx, weights, hard_link(weights)):
        with pytest.raises(sunmao.Error, match="E0807"):
            model.save(path)
        with pytest.raises(sunmao.Error, match="E0807"):
            model.save_weights(path)
    with pytest.raises(sunmao.Error, match="E0807"):
        sunmao.load(artifact).save_weights(artifact)


@pytest.mark.parametrize("words", [("--help",), ("--version",), ("explain",), ("explain", "E0801"), ("opt", "M"),
                                   ("inspect", "A"), ("run", "A"), ("compile", "M", "-o", "N")])  # fmt: skip
def test_output_that_cannot_be_written_is_an_error(words: tuple[str, ...], tmp_path: Path) -> None:
    artifact = tmp_path / "a.sunmao"
    assert run_sunmao("compile", MODELS / "mlp.onnx", "-o", artifact).returncode == 0
    files = {"M": MODELS / "mlp.onnx", "A": artifact, "N": tmp_path / "n.sunmao"}
    command = [str(BINARY), *(str(files.get(w, w)) for w in words)]
    with open("/dev/full", "w") as full:
        result = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=LIMIT, check=False)
    assert result.returncode == 1
    assert "error[E0804]: cannot write to standard output: No space left on device" in result.stderr


def test_a_stage_of_compiling_goes_to_a_file(tmp_path: Path) -> None:
    printed = run_sunmao("compile", MODELS / "mlp.onnx", "--stop-after", "fuse-kernels")
    path = tmp_path / "stage.py"
    written = run_sunmao("compile", MODELS / "mlp.onnx", "--stop-after", "fuse-kernels", "-o", path)
    assert (printed.returncode, written.returncode, written.stdout) == (0, 0, "")
    assert path.read_text().strip() == printed.stdout.strip()
    by_opt = tmp_path / "opt.py"
    assert run_sunmao("opt", MODELS / "mlp.onnx", "--stop-after", "fuse-kernels", "-o", by_opt).returncode == 0
    assert by_opt.read_text() == path.read_text()
    refused_json = run_sunmao("compile", MODELS / "mlp.onnx", "--stop-after", "fuse-kernels", "--json")
    assert refused_json.returncode == 2 and "E0004" in refused_json.stderr


@pytest.mark.parametrize("option", ["-o", "--weights", "--target", "--stop-after", "--dim"])
def test_an_empty_value_is_refused(option: str, tmp_path: Path) -> None:
    result = run_sunmao("compile", MODELS / "mlp.onnx", "-o", tmp_path / "m.sunmao", option, "")
    assert result.returncode == 2 and "error[E000" in result.stderr and "help:" in result.stderr
    assert not any(tmp_path.iterdir())
