"""What an artifact's manifest says of its kernels and of where their calls come from."""

import json
import zipfile
from pathlib import Path
from typing import Any

from sunmao_binary import compile_model


def manifest_of(model: str, folder: Path, *options: object) -> Any:
    with zipfile.ZipFile(compile_model(model, folder / "m.sunmao", *options)) as archive:
        return json.loads(archive.read("manifest.json"))


def test_a_kernel_has_a_family_and_counts_of_its_work(tmp_path: Path) -> None:
    product, total, last = manifest_of("mlp.onnx", tmp_path)["kernels"]
    assert product["family"] == last["family"] == "contraction" and total["family"] == "row"
    # 16 products and sums, a bias and relu for each of 32 columns
    assert product["flops"] == ["*", "d0", 32 * (2 * 16 + 2)]
    assert product["bytes"] == ["+", ["*", "d0", 4 * (16 + 32)], 4 * (16 * 32 + 32)]


def test_a_kernel_of_known_sizes_has_numbers(tmp_path: Path) -> None:
    script = tmp_path / "m.py"
    script.write_text("""
@I.ir_module
class M:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        return R.exp(x)
""")
    (kernel,) = manifest_of(str(script), tmp_path)["kernels"]
    assert kernel == {"name": "exp", "family": "map", "flops": 6, "bytes": 48, "flops_on": {"float32": 6}}


def test_calls_tell_node_module_and_line(tmp_path: Path) -> None:
    calls = manifest_of("mlp.pt2", tmp_path)["calls"]["main"]
    assert [call["node"] for call in calls] == ["linear", "sum_1", "linear_1"]
    assert calls[-1]["module"] == "fc2" and calls[-1]["line"].startswith("make_models.py:")
    assert [call["node"] for call in manifest_of("mlp.onnx", tmp_path)["calls"]["main"]][0] == "Gemm_0"


def test_calls_of_a_script_tell_its_lines(tmp_path: Path) -> None:
    calls = manifest_of("mlp.py", tmp_path, "--weights", "tests/models/mlp.weights.safetensors")["calls"]["main"]
    assert all(call["line"].startswith("mlp.py:") for call in calls)
