"""On which numbers a model's arithmetic is, and which weights are wider than they came in."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sunmao_binary import MODELS, compile_model, sunmao, write_tensors

HEAD = "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n@I.ir_module\nclass Module:\n"

# For each row 8 sums of 8 products of bytes, then a product and a maximum of floats for each sum.
BYTES = """    @R.function
    def main(x: R.Tensor(("n", 8), "uint8"), w: R.Tensor((8, 8), "int8")):
        sums = R.matmul(x, w, out_dtype="int32")
        scaled = R.multiply(R.astype(sums, "float32"), R.const(0.5, "float32"))
        return R.nn.relu(scaled)
"""

# The products of floats grow with the square of n.
SQUARE = """    @R.function
    def main(x: R.Tensor(("n", 8), "uint8"), w: R.Tensor((8, 8), "int8"), y: R.Tensor(("n", 8), "float32")):
        sums = R.matmul(x, w, out_dtype="int32")
        return sums, R.matmul(y, R.permute_dims(y))
"""

BRANCH = """    @R.function
    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):
        if c:
            y = R.exp(x)
        else:
            y = R.sin(x)
        return y
"""

WIDENED = """    @R.function
    def main(x: R.Tensor((64, 32), "float32"), w: R.Tensor((64, 32), "{dtype}")):
        R.func_attr({{"num_input": 1}})
        return R.add(x, R.multiply(R.astype(w, "float32"), R.const(0.5, "float32")))
"""


def output_of(*arguments: object) -> str:
    result = sunmao(*arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout


def line_of(text: str, begin: str) -> str:
    return next((line for line in text.splitlines() if line.strip().startswith(begin)), "")


def compiled(folder: Path, script: str, *options: object) -> tuple[Path, str]:
    """Returns the artifact of a script, and what its compilation says."""
    (folder / "m.py").write_text(HEAD + script)
    said = output_of("compile", folder / "m.py", "-o", folder / "m.sunmao", *options)
    return folder / "m.sunmao", said


def test_a_model_of_bytes_has_shares(tmp_path: Path) -> None:
    artifact, said = compiled(tmp_path, BYTES, "--dim", "n=4")
    assert line_of(said, "arithmetic").endswith("; int8 89 %, float32 11 %")
    assert line_of(output_of("inspect", artifact), "arithmetic") == "  arithmetic: int8 89 %, float32 11 %"
    report = json.loads(output_of("inspect", artifact, "--json"))
    assert report["arithmetic"] == {"main": [{"sizes": {}, "flops_on": {"int8": 4 * 128, "float32": 4 * 16}}]}


def test_a_model_of_floats_is_on_floats(tmp_path: Path) -> None:
    artifact = compile_model("mlp.onnx", tmp_path / "m.sunmao")
    assert line_of(output_of("inspect", artifact), "arithmetic") == "  arithmetic: float32 100 % at batch=1"
    assert "%" not in line_of(output_of("compile", MODELS / "mlp.onnx", "-o", artifact), "arithmetic")


def test_shares_are_told_at_the_ends_of_a_range(tmp_path: Path) -> None:
    artifact, said = compiled(tmp_path, SQUARE, "--dim", "n=1..8")
    told = "int8 89 %, float32 11 % at n=1; float32 50 %, int8 50 % at n=8"
    assert line_of(said, "arithmetic").endswith("; " + told)
    assert line_of(output_of("inspect", artifact), "arithmetic") == "  arithmetic: " + told
    _, said = compiled(tmp_path, BYTES, "--dim", "n=2..8")
    assert line_of(said, "arithmetic").endswith("; int8 89 %, float32 11 % at n=2 and at n=8")


def test_a_range_without_an_end_has_one_place(tmp_path: Path) -> None:
    _, said = compiled(tmp_path, SQUARE)
    assert line_of(said, "arithmetic").endswith("; int8 89 %, float32 11 % at n=1")


def test_branches_leave_shares_open(tmp_path: Path) -> None:
    artifact, said = compiled(tmp_path, BRANCH)
    assert "%" not in line_of(said, "arithmetic")
    assert line_of(output_of("inspect", artifact), "arithmetic") == ""
    assert json.loads(output_of("inspect", artifact, "--json"))["arithmetic"] == {}


def test_the_report_of_a_compilation_has_the_arithmetic(tmp_path: Path) -> None:
    _, said = compiled(tmp_path, BYTES, "--dim", "n=2", "--json")
    report = json.loads(said)
    assert report["arithmetic"]["main"] == [{"sizes": {}, "flops_on": {"int8": 256, "float32": 32}}]
    assert report["widened"] == []


def manifest_of(artifact: Path) -> Any:
    with zipfile.ZipFile(artifact) as archive:
        return json.loads(archive.read("manifest.json"))


def test_a_kernel_is_split_by_numbers(tmp_path: Path) -> None:
    artifact, _ = compiled(tmp_path, BYTES)
    (kernel,) = (k for k in manifest_of(artifact)["kernels"] if k["family"] == "contraction")
    assert kernel["flops"] == ["*", "d0", 144]
    assert kernel["flops_on"] == {"int8": ["*", "d0", 128], "float32": ["*", "d0", 16]}


def test_widened_weights_are_named(tmp_path: Path) -> None:
    weights = write_tensors(tmp_path / "w.safetensors", {"w": np.ones((64, 32), np.int8)})
    artifact, said = compiled(tmp_path, WIDENED.format(dtype="int8"), "--weights", weights)
    told = "widened: `w` int8 -> float32 (+6.1 KB)"  # 64 * 32 elements, of 4 bytes instead of 1
    assert line_of(said, "weights").endswith("; " + told)
    assert line_of(output_of("inspect", artifact), "weights:") == "weights: 2.0 KB in the model, 8.2 KB here; " + told
    assert manifest_of(artifact)["weights"]["widened"] == [
        {"name": "w", "from": "int8", "to": "float32", "bytes_more": 64 * 32 * 3}
    ]


def test_weights_as_wide_as_they_came_are_not_named(tmp_path: Path) -> None:
    weights = write_tensors(tmp_path / "w.safetensors", {"w": np.ones((64, 32), np.float32)})
    artifact, said = compiled(tmp_path, WIDENED.format(dtype="float32"), "--weights", weights)
    assert "widened" not in said
    assert line_of(output_of("inspect", artifact), "weights:") == "weights: 8.2 KB in the model, 8.2 KB here"


def test_raw_weights_are_not_wider(tmp_path: Path) -> None:
    weights = write_tensors(tmp_path / "w.safetensors", {"w": np.ones((64, 32), np.int8)})
    artifact, said = compiled(tmp_path, WIDENED.format(dtype="int8"), "--weights", weights, "--prepare", "load")
    assert "widened" not in said
    assert line_of(output_of("inspect", artifact), "weights:") == "weights: 2.0 KB in the model, 2.0 KB here"


# Large enough that moving the operands takes far less time than the products, at the peaks of any machine.
@pytest.mark.parametrize(
    ("dtypes", "out", "limit", "word"),
    [(("uint8", "int8"), "int32", "int8", "int8"), (("float32", "float32"), "float32", "arithmetic", "fma")],
)
def test_products_are_compared_with_the_peak_of_their_numbers(
    tmp_path: Path, dtypes: tuple[str, str], out: str, limit: str, word: str
) -> None:
    parameters = ", ".join(f'{n}: R.Tensor((512, 512), "{t}")' for n, t in zip("xw", dtypes, strict=True))
    product = f'    @R.function\n    def main({parameters}):\n        return R.matmul(x, w, out_dtype="{out}")\n'
    artifact, _ = compiled(tmp_path, product)
    report = json.loads(output_of("profile", artifact, "--repeat", 2, "--threads", 1, "--json", "-"))
    (kernel,) = report["kernels"]
    assert kernel["flops_on"] == {limit if limit == "int8" else out: 2 * 2 * 512**3} and kernel["limit"] == limit
    assert report["peak"]["int8_gflops"] > 0
    text = output_of("profile", artifact, "--repeat", 2, "--threads", 1)
    assert f" % {word} " in text.splitlines()[1] and " of int8, " in text
