"""Names of dimensions and processors on the command line, and the command line as a module of Python."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sunmao_binary import LIMIT, MODELS, ROOT, compile_model, sunmao

PT2 = MODELS / "mlp.pt2"


def test_an_axis_is_given_a_name(tmp_path: Path) -> None:
    artifact = compile_model("mlp.pt2", tmp_path / "m.sunmao", "--name-dim", "x:0=rows", "--dim", "rows=1..8")
    told = sunmao("inspect", artifact).stdout
    assert "in   x: float32 (rows, 16)" in told and "with rows=1..8" in told
    assert sunmao("run", artifact, "--dim", "rows=4").returncode == 0
    refused = sunmao("run", artifact, "--dim", "rows=9")
    assert refused.returncode == 1 and "rows" in refused.stderr


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ("rows", "E0002", "x:0=batch"),
        ("x=rows", "E0002", "x:0=batch"),
        ("x:a=rows", "E0002", "x:0=batch"),
        ("x:0=", "E0002", "x:0=batch"),
        ("z:0=rows", "E0512", "no input `z`"),
        ("x:1=rows", "E0512", "no symbol"),
        ("x:7=rows", "E0512", "no axis 7"),
        ("x:0=a b", "E0512", "no name"),
        ("x:0=class", "E0512", "no name"),
    ],
)
def test_what_names_no_axis_is_refused(given: str, code: str, words: str, tmp_path: Path) -> None:
    result = sunmao("compile", PT2, "-o", tmp_path / "m.sunmao", "--name-dim", given)
    assert result.returncode != 0 and f"error[{code}]" in result.stderr and words in result.stderr, result.stderr


@pytest.mark.parametrize("target", ["znver4", "llvm -mcpu=skylake-avx512", '{"kind": "llvm", "mcpu": "haswell"}'])
def test_processors_are_targets(target: str, tmp_path: Path) -> None:
    compile_model("mlp.onnx", tmp_path / "m.sunmao", "--target", target)
    listed = sunmao("compile", MODELS / "mlp.onnx", "-o", tmp_path / "m.sunmao", "--target", "zenver4")
    assert listed.returncode == 1 and "did you mean `znver4`" in listed.stderr


def test_the_package_runs_the_command_line(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}

    def run(*arguments: object) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "sunmao", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False, env=environment)

    for arguments in (["--version"], ["explain", "E0905"], ["inspect", MODELS / "mlp.onnx"], ["complie"]):
        ours, theirs = run(*arguments), sunmao(*arguments)
        assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)
    made = run("compile", MODELS / "mlp.onnx", "-o", tmp_path / "m.sunmao")
    assert made.returncode == 0 and sunmao("run", tmp_path / "m.sunmao").returncode == 0


@pytest.mark.parametrize("command", ["compile", "opt", "run", "profile", "check", "transform-params"])
def test_a_size_that_is_given_twice_is_refused(command: str, tmp_path: Path) -> None:
    output = ("-o", tmp_path / "out.safetensors") if command in ("compile", "transform-params") else ()
    result = sunmao(command, MODELS / "mlp.onnx", *output, "--dim", "batch=1", "--dim", "batch=2")
    assert result.returncode == 2 and "error[E0002]: --dim: the size of `batch` is given twice" in result.stderr
    assert list(tmp_path.iterdir()) == []
