"""What `sunmao compile` says that it did, and how far it is on a terminal."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from onnx_bytes import linear
from pseudo_terminal import on_terminal, slow_script
from sunmao_binary import MODELS, ROOT, sunmao

IMPORTS = "from tvm.script import ir as I\nfrom tvm.script import relax as R\n\n"
HEAD = IMPORTS + "@I.ir_module\nclass Module:\n    @R.function\n"


def summary_of(*arguments: object) -> dict[str, str]:
    result = sunmao("compile", *arguments)
    assert result.returncode == 0, result.stderr
    first, *rows = result.stdout.splitlines()
    assert "compiled in" in first and len(rows) <= 10
    joined: list[str] = []
    for row in rows:
        if row.startswith("   "):
            joined[-1] += " " + row.strip()
        else:
            joined.append(row.strip())
    return {name: text.strip() for name, _, text in (row.partition(" ") for row in joined)}


def test_inputs_results_and_ranges(tmp_path: Path) -> None:
    found = summary_of(MODELS / "mlp.onnx", "-o", tmp_path / "m.sunmao", "--dim", "batch=1..64")
    assert found["inputs"] == "x: float32 (batch, 16); batch=1..64" and found["results"] == "float32 (batch, 3)"
    assert "batch" in found["memory"] and found["code"].startswith("x86-64")
    assert "FLOP" not in found["arithmetic"] and found["arithmetic"].startswith("float32 in ")


def function(path: Path, params: str, result: str) -> Path:
    path.write_text(f"{HEAD}    def main({params}):\n        return {result}\n")
    return path


def test_operations_are_told_where_sizes_are_known(tmp_path: Path) -> None:
    params = 'x: R.Tensor((50, 40), "float32"), w: R.Tensor((40, 30), "float32")'
    found = summary_of(function(tmp_path / "m.py", params, "R.nn.relu(R.matmul(x, w))"))
    # 2 * 50 * 40 * 30 operations of the product, and 50 * 30 of the relu.
    assert found["arithmetic"] == "float32 in 2 ops; 122 KFLOP a run (contraction 100 %)"
    assert found["inputs"] == "x: float32 (50, 40), w: float32 (40, 30)" and found["code"].startswith("x86-64")


def test_a_size_that_is_asked_for_is_told(tmp_path: Path) -> None:
    found = summary_of(MODELS / "mlp.onnx", "-o", tmp_path / "m.sunmao", "--dim", "batch=8")
    assert found["inputs"] == "x: float32 (8, 16)" and found["results"] == "float32 (8, 3)"
    # Products and sums of the two layers, 256 relus, and the sum of 8 * 4 groups of 8.
    operations = 8 * 32 * (2 * 16 + 1) + 256 + 256 + 8 * 3 * (2 * 4 + 1)
    assert f"; {operations / 1000:.3g} KFLOP a run (" in found["arithmetic"]
    assert re.fullmatch(r"[\d.]+ KB between kernels", found["memory"])


def test_a_size_of_another_symbol_leaves_operations_open(tmp_path: Path) -> None:
    params = 'x: R.Tensor(("n", "k"), "float32"), w: R.Tensor(("k", 8), "float32")'
    script = function(tmp_path / "m.py", params, "R.matmul(x, w)")
    found = summary_of(script, "--dim", "k=4")
    assert found["inputs"] == "x: float32 (n, 4), w: float32 (4, 8); n=0.." and "FLOP" not in found["arithmetic"]
    assert "; 192 FLOP a run" in summary_of(script, "--dim", "k=4", "--dim", "n=3")["arithmetic"]


def test_one_of_several_functions_is_named(tmp_path: Path) -> None:
    script = tmp_path / "m.py"
    script.write_text(
        f'{HEAD}    def encode(x: R.Tensor((4,), "float32")):\n        return R.exp(x)\n\n'
        '    @R.function\n    def main(y: R.Tensor((8,), "float32")):\n        return R.exp(y)\n'
    )
    found = summary_of(script)
    assert found["function"].startswith("`main`, ") and found["function"].endswith("others: `encode`")
    assert found["inputs"] == "y: float32 (8,)" and found["results"] == "float32 (8,)"
    assert "function" not in summary_of(MODELS / "mlp.onnx", "-o", tmp_path / "m.sunmao")


def test_the_example_of_the_docs_is_what_is_printed(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "command_line.md").read_text()
    example = re.search(r"^    \$ sunmao compile mlp.onnx -o mlp.sunmao (.*)\n((?:    .+\n)+)", page, re.MULTILINE)
    assert example
    result = sunmao("compile", MODELS / "mlp.onnx", "-o", tmp_path / "mlp.sunmao", *example[1].split())
    changing = r"[\d.]+ (KB|us|ms|s)\b|x86-64-v\d"  # bytes, times and the level depend on the machine
    told = [re.sub(changing, "_", line[4:]) for line in example[2].splitlines()]
    printed = result.stdout.replace(f"{tmp_path}/", "").splitlines()
    assert [re.sub(changing, "_", line) for line in printed] == told


def test_operations_of_branches_are_not_told(tmp_path: Path) -> None:
    script = tmp_path / "m.py"
    script.write_text(
        f'{HEAD}    def main(x: R.Tensor((4,), "float32"), c: R.Tensor((), "bool")):\n'
        "        if c:\n            y = R.exp(x)\n        else:\n            y = R.sin(x)\n        return y\n"
    )
    assert "FLOP" not in summary_of(script)["arithmetic"]


def test_ops_are_counted(tmp_path: Path) -> None:
    model = linear(tmp_path / "m.onnx", np.ones((4, 3), "float32"), np.ones(3, "float32"))
    text = summary_of(model)["graph"]
    counts = [int(n) for n in re.findall(r"\d+", text)]
    result = sunmao("compile", model, "--json")
    report = json.loads(result.stdout)
    assert counts[:3] == [report["ops"]["read"], report["ops"]["on_weights"], report["ops"]["run"]]
    assert report["dtypes"] == {"float32": report["ops"]["run"]}


@pytest.fixture(scope="module")
def slow_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return slow_script(tmp_path_factory.mktemp("slow") / "m.py")


def test_a_terminal_shows_how_far_it_is(slow_model: Path, tmp_path: Path) -> None:
    text = on_terminal("compile", slow_model, "-o", tmp_path / "m.sunmao", only_errors=True)
    shown = [line for line in text.split("\r") if line]
    assert any(re.search(r"generate code, \d+ of \d+, about \d+ s left", line) for line in shown), text
    assert text.endswith("\x1b[K") and "\n" not in text


def test_no_progress_elsewhere(slow_model: Path, tmp_path: Path) -> None:
    words = ("compile", slow_model, "-o", tmp_path / "m.sunmao")
    assert on_terminal(*words, environment={"TERM": "dumb"}, only_errors=True) == ""
    assert sunmao("compile", slow_model, "-o", tmp_path / "m.sunmao").stderr == ""
