"""`sunmao size` accounts for every byte of an artifact."""

import json
from pathlib import Path

import numpy as np
import pytest
from onnx_bytes import linear
from sunmao_binary import MODELS, compile_model, sunmao, write_tensors
from view_page import page_data

COMPILED = [
    ("mlp.onnx", ()),
    ("mlp.pt2", ()),
    ("mlp.py", ("--weights", MODELS / "mlp.weights.safetensors")),
    ("mlp.onnx", ("--dim", "batch=1..64")),
    ("mlp.onnx", ("--prepare", "load")),
    ("mlp.onnx", ("--no-bind-weights",)),
    ("mlp.onnx", ("--target", "x86-64-v2,x86-64-v3,x86-64-v4")),
    ("linear_128_512.onnx", ()),
    ("mlp_aten.pt2", ()),
    ("mlp.onnx", ("--prepare", "load", "--target", "x86-64-v2")),
]


def parts_of(artifact: Path) -> list:
    result = sunmao("size", artifact, "--json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["bytes"] == artifact.stat().st_size == sum(p["bytes"] for p in report["parts"])
    assert all(p["bytes"] >= 0 for p in report["parts"])
    return report["parts"]


@pytest.mark.parametrize(("model", "options"), COMPILED)
def test_every_byte_belongs_to_a_part(model: str, options: tuple, tmp_path: Path) -> None:
    artifact = compile_model(model, tmp_path / "m.sunmao", *options)
    inspected = json.loads(sunmao("inspect", artifact, "--json").stdout)
    parts = parts_of(artifact)
    weights = [p for p in parts if p["kind"] in ("weights", "duplicates")]
    assert sum(p["bytes"] for p in weights) == sum(w["bytes"] for w in inspected["weights"])
    kernels = {p["name"] for p in parts if p["kind"] == "kernels"}
    assert kernels == {k["name"] for k in inspected["manifest"]["kernels"]}


def test_weights_with_the_same_numbers_are_duplicates(tmp_path: Path) -> None:
    weights = np.ones((8, 8), "float32")
    script = tmp_path / "m.py"
    script.write_text(
        "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"
        '    @R.function\n    def main(x: R.Tensor((8, 8), "float32"), a: R.Tensor((8, 8), "float32"), '
        'b: R.Tensor((8, 8), "float32")):\n        R.func_attr({"num_input": 1})\n'
        "        return R.add(R.multiply(x, a), R.multiply(R.exp(x), b))\n"
    )
    given = write_tensors(tmp_path / "w.safetensors", {"a": weights, "b": weights})
    artifact = tmp_path / "m.sunmao"
    result = sunmao("compile", script, "--weights", given, "-o", artifact)
    assert result.returncode == 0, result.stderr
    parts = parts_of(artifact)
    assert [p["bytes"] for p in parts if p["kind"] == "duplicates"] in ([256], [])


def test_the_table_and_the_page(tmp_path: Path) -> None:
    artifact = compile_model("linear_128_512.onnx", tmp_path / "m.sunmao")
    page = tmp_path / "m.html"
    result = sunmao("size", artifact, "--page", page, "--top", "3")
    assert result.returncode == 0, result.stderr
    assert f"{artifact.stat().st_size} 100.00 %" in " ".join(result.stdout.split())
    assert "more" in result.stdout and "weights" in result.stdout
    assert sum(p[3] for p in page_data(page)["sides"][0]["parts"]) == artifact.stat().st_size


def test_only_artifacts_have_sizes(tmp_path: Path) -> None:
    for given, code in ((MODELS / "mlp.onnx", "E0014"), (tmp_path / "gone.sunmao", "E0801")):
        result = sunmao("size", given)
        assert (result.returncode, result.stdout) == (1, "") and code in result.stderr
    artifact = compile_model("mlp.onnx", tmp_path / "m.sunmao")
    artifact.write_bytes(artifact.read_bytes()[:-40])
    result = sunmao("size", artifact)
    assert result.returncode == 1 and "error[E08" in result.stderr
    assert (
        sunmao("size", linear(tmp_path / "x.onnx", np.ones((2, 2), "float32"), np.ones(2, "float32"))).returncode == 1
    )
