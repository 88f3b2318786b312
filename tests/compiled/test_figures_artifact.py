"""Promised figures other than times: the artifact of one layer, and the output of the demo."""

import json
import sys
from pathlib import Path

import pytest
from sunmao_binary import ROOT, compile_model, run_program, sunmao

WEIGHTS = (128 * 512 + 512) * 4
PROMISED = 285_000
LINES = 40


@pytest.mark.parametrize("target", ["x86-64-v2", "x86-64-v3", "x86-64-v4"])
def test_linear_layer_is_little_more_than_its_weights(target: str, tmp_path: Path) -> None:
    artifact = compile_model("linear_128_512.onnx", tmp_path / "linear.sunmao", "--target", target)
    assert WEIGHTS < artifact.stat().st_size < PROMISED


def test_weights_are_in_the_artifact_once(tmp_path: Path) -> None:
    artifact = compile_model("linear_128_512.onnx", tmp_path / "linear.sunmao")
    report = json.loads(sunmao("inspect", artifact, "--json").stdout)
    assert sum(weight["bytes"] for weight in report["weights"]) == WEIGHTS


def test_demo_agrees_and_fits_a_screen() -> None:
    result = run_program(sys.executable, ROOT / "tools" / "demo.py")
    assert result.returncode == 0, result.stderr
    assert "✓ All numbers agree." in result.stdout and "✗" not in result.stdout
    assert result.stdout.count("\n") <= LINES and "\x1b" not in result.stdout
