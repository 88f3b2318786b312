"""What `sunmao compile` says that it did, and how far it is on a terminal."""

import json
import os
import pty
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from onnx_bytes import linear
from sunmao_binary import BINARY, LIMIT, MODELS, sunmao

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


def test_operations_are_told_where_sizes_are_known(tmp_path: Path) -> None:
    script = tmp_path / "m.py"
    script.write_text(
        f'{HEAD}    def main(x: R.Tensor((50, 40), "float32"), w: R.Tensor((40, 30), "float32")):\n'
        "        return R.nn.relu(R.matmul(x, w))\n"
    )
    found = summary_of(script)
    # 2 * 50 * 40 * 30 operations of the product, and 50 * 30 of the relu.
    assert found["arithmetic"] == "float32 in 2 ops; 122 KFLOP a run (contraction 100 %)"
    assert found["inputs"] == "x: float32 (50, 40), w: float32 (40, 30)" and found["code"].startswith("x86-64")


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


def on_terminal(*words: object, **environment: str) -> str:
    here, there = pty.openpty()
    env = os.environ | {"TERM": "xterm"} | environment
    with subprocess.Popen([BINARY, *map(str, words)], stdout=subprocess.DEVNULL, stderr=there, env=env) as child:
        os.close(there)
        out = b""
        try:
            while chunk := os.read(here, 4096):
                out += chunk
        except OSError:  # the child closed the terminal
            pass
        assert child.wait(LIMIT) == 0, out
    os.close(here)
    return out.decode()


@pytest.fixture(scope="module")
def slow_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of many different kernels, which take seconds to compile."""
    path = tmp_path_factory.mktemp("slow") / "m.py"
    lines = "".join(
        f'        v{i} = R.nn.softmax(R.matmul(x, R.zeros((64, {i + 2}), "float32")))\n        s{i} = R.sum(v{i})\n'
        for i in range(60)
    )
    total = "        return (" + ", ".join(f"s{i}" for i in range(60)) + ")\n"
    path.write_text(f'{HEAD}    def main(x: R.Tensor((32, 64), "float32")):\n{lines}{total}')
    return path


def test_a_terminal_shows_how_far_it_is(slow_model: Path, tmp_path: Path) -> None:
    text = on_terminal("compile", slow_model, "-o", tmp_path / "m.sunmao")
    shown = [line for line in text.split("\r") if line]
    assert any(re.search(r"generate code, \d+ of \d+, about \d+ s left", line) for line in shown), text
    assert text.endswith("\x1b[K") and "\n" not in text


def test_no_progress_elsewhere(slow_model: Path, tmp_path: Path) -> None:
    assert on_terminal("compile", slow_model, "-o", tmp_path / "m.sunmao", TERM="dumb") == ""
    assert sunmao("compile", slow_model, "-o", tmp_path / "m.sunmao").stderr == ""
