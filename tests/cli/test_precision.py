"""`sunmao compile --precision`: products read bfloat16, and what that costs in accuracy is told."""

import json
import re
from pathlib import Path

import numpy as np
from onnx_bytes import linear
from sunmao_binary import MODELS, sunmao


def compiled(*arguments: object) -> str:
    result = sunmao("compile", *arguments)
    assert result.returncode == 0, result.stderr
    return " ".join(result.stdout.split())


def layer(path: Path, weight: np.ndarray) -> Path:
    return linear(path, weight, np.zeros(weight.shape[1], "float32"))


def test_what_it_costs_is_printed(tmp_path: Path) -> None:
    out = tmp_path / "m.sunmao"
    assert "accuracy" not in compiled(MODELS / "mlp.onnx", "-o", out)
    text = compiled(MODELS / "mlp.onnx", "-o", out, "--precision", "bfloat16", "--dim", "batch=1..64")
    number = r"([\d.e-]+) %"
    found = re.search(f"accuracy against float32, on generated inputs: rms of the differences {number} of the "
                      f"result's, the greatest {number} of its greatest element", text)  # fmt: skip
    assert found and 0 < float(found[1]) < 5 and 0 < float(found[2]) < 5


def test_weights_take_half(tmp_path: Path) -> None:
    weight = np.random.default_rng(0).standard_normal((64, 64)).astype("float32")
    model, bytes_of = layer(tmp_path / "m.onnx", weight), {}
    for precision in ("float32", "bfloat16"):
        told = json.loads(
            sunmao("compile", model, "-o", tmp_path / "m.sunmao", "--precision", precision, "--json").stdout
        )
        bytes_of[precision] = told["weight_bytes"]
        assert ("accuracy" in told) == (precision == "bfloat16")
    assert told["accuracy"]["results"][0]["rms"] > 0 and "not_measured" not in told["accuracy"]
    assert bytes_of["bfloat16"] < 0.6 * bytes_of["float32"]


def test_where_products_are_exact_nothing_is_lost(tmp_path: Path) -> None:
    model = layer(tmp_path / "m.onnx", np.zeros((8, 8), "float32"))
    told = json.loads(sunmao("compile", model, "-o", tmp_path / "m.sunmao", "--precision", "bfloat16", "--json").stdout)
    assert [(r["rms"], r["greatest"]) for r in told["accuracy"]["results"]] == [(0, 0)]


def test_it_says_why_nothing_was_measured(tmp_path: Path) -> None:
    text = compiled(MODELS / "mlp.onnx", "-o", tmp_path / "m.sunmao", "--precision", "bfloat16", "--no-bind-weights")
    assert "accuracy not measured: the artifact has no weights" in text


def test_of_a_shared_object_it_is_measured_too(tmp_path: Path) -> None:
    arguments = ("--emit", "so", "-o", tmp_path / "libm.so", "--precision", "bfloat16")
    assert "accuracy against float32, on generated inputs" in compiled(MODELS / "mlp.onnx", *arguments)


def test_the_pass_says_what_it_did(tmp_path: Path) -> None:
    arguments = ("-o", tmp_path / "m.sunmao", "--precision", "bfloat16", "--explain", "compute-in-bfloat16")
    result = sunmao("compile", MODELS / "mlp.onnx", *arguments)
    assert result.stderr.count("matmul reads bfloat16") == 1
    assert result.stderr.count("matmul stays as it is: few columns of the result share the rounding of the data") == 1


def test_other_precisions_are_refused(tmp_path: Path) -> None:
    result = sunmao("compile", MODELS / "mlp.onnx", "-o", tmp_path / "m.sunmao", "--precision", "float8")
    assert result.returncode != 0 and "E0001" in result.stderr and "{float32,bfloat16}" in result.stderr
