"""Targets: the graph is the same for all of them, and their numbers are checked."""

from pathlib import Path

import pytest
from sunmao_binary import MODELS, sunmao

# The last pass before kernels get forms for targets.
LAST_OF_THE_GRAPH = "update-in-place"
TARGETS = ["x86-64-v2", "x86-64-v4", "x86-64-v2,x86-64-v4", "x86-64-v4,x86-64-v2", "llvm -mcpu=x86-64-v3 -num-cores=64"]

# A product of few rows, a long row, an attention of 20 queries: each was decided by the first target's vectors once.
KERNELS = """
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor((4, 300000), "float32"),
        q: R.Tensor((8, 20, 64), "float32"),
        k: R.Tensor((8, 2048, 64), "float32"),
        v: R.Tensor((8, 2048, 64), "float32"),
    ) -> R.Tuple(R.Tensor((4, 300000), "float32"), R.Tensor((8, 20, 64), "float32")):
        with R.dataflow():
            rows = R.nn.softmax(x, axis=-1)
            turned = R.permute_dims(k, axes=[0, 2, 1])
            scores = R.matmul(q, turned)
            weights = R.nn.softmax(scores, axis=-1)
            result = R.matmul(weights, v)
            out = (rows, result)
            R.output(out)
        return out
"""


def graph(model: Path, target: str) -> str:
    result = sunmao("compile", model, "--target", target, "--stop-after", LAST_OF_THE_GRAPH)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.parametrize("name", ["mlp.pt2", "classifier.py", "kernels"])
def test_no_target_changes_the_graph(name: str, tmp_path: Path) -> None:
    model = MODELS / name
    if name == "kernels":
        model = tmp_path / "kernels.py"
        model.write_text(KERNELS)
    first, *others = [graph(model, target) for target in TARGETS]
    assert "call_tir" in first
    for target, other in zip(TARGETS[1:], others, strict=True):
        assert other == first, target


def test_numbers_of_a_machine_are_checked(tmp_path: Path) -> None:
    for given in ("-num-cores=0", "-num-cores=many", "-l3-cache=12"):
        target = f"llvm -mcpu=x86-64-v3 {given}"
        result = sunmao("compile", MODELS / "mlp.pt2", "--target", target, "-o", tmp_path / "m.sunmao")
        assert result.returncode == 1 and "error[E1001]" in result.stderr, result.stderr
        assert "takes whole numbers" in result.stderr
