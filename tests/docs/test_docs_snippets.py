"""The snippets of pages that have no test of their own run: programs one after another in one namespace, with what the
page supposes to be there, and lines of a shell in one folder."""

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from page_programs import DOCS, PARTS, WITH_OTHERS, names_of_dialect, programs, run_program
from sunmao_binary import BINARY, LIMIT, ROOT, compile_model

MODELS = ROOT / "tests" / "models"
TWO_LAYERS = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 4), "float32"), w: R.Tensor((4, 4), "float32")) -> R.Tensor((2, 4), "float32"):
        R.func_attr({"num_input": 1})
        with R.dataflow():
            v = R.permute_dims(w)
            y = R.matmul(x, v)
            R.output(y)
        return y
"""
PREPARED = TWO_LAYERS.replace("            v = R.permute_dims(w)\n", "").replace("matmul(x, v)", "matmul(x, w)")
CONVOLUTIONS = """
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((1, 3, 8, 8), "float32"), w: R.Tensor((4, 3, 3, 3), "float32")):
        with R.dataflow():
            y = R.nn.relu(R.add(R.nn.conv2d(x, w), R.const(1, "float32")))
            R.output(y)
        return y
"""
OWN_TESTS = {"kernel-families.md", "life-of-a-model.md", "nn.md", "trouble.md"}


def python_names(folder: Path) -> dict[str, Any]:
    shutil.copy(MODELS / "mlp.onnx", folder)
    names = names_of_dialect({"x": np.ones((8, 16), np.float32), "text": TWO_LAYERS})
    names["f"] = sunmao.parse_function(
        '@R.function\ndef f(x: R.Tensor((2,), "float32")):\n    y = R.exp(x)\n    return y'
    )
    names["Module"] = sunmao.script.from_source(TWO_LAYERS)
    return names


def poisoned_names(folder: Path) -> dict[str, Any]:
    names: dict[str, Any] = {"sunmao": sunmao, "module": sunmao.parse_module(PREPARED)}
    return {**names, "x": np.ones((2, 4), np.float32), "w": [np.ones((4, 4), np.float32)]}


def op_names(folder: Path) -> dict[str, Any]:
    page = (DOCS / "custom-ops.md").read_text()
    gate = re.search(r"^```c\n(#include.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert gate
    (folder / "gate.c").write_text(gate[1])
    flags = ["-std=c99", "-Wall", "-Werror", "-shared", "-fPIC", f"-I{ROOT / 'include'}"]
    subprocess.run(["gcc", *flags, "gate.c", "-o", "libgate.so"], cwd=folder, check=True)
    (folder / "model.py").write_text("""
@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((2, 3), "float32")):
        y = R.call_dps_packed("gate", (x, R.prim_value(T.float32(0.5))), out_ty=R.Tensor((2, 3), "float32"))
        return y
""")
    names = names_of_dialect({"ctypes": ctypes})
    names["model"] = sunmao.compile(str(folder / "model.py"))
    return names


def script_names(folder: Path) -> dict[str, Any]:
    return names_of_dialect({})


def first_names(folder: Path) -> dict[str, Any]:
    (folder / "tests").symlink_to(ROOT / "tests")
    return {}


SUPPOSED: dict[str, Callable[[Path], dict[str, Any]]] = {
    "custom-ops.md": op_names,
    "parameters.md": poisoned_names,
    "python.md": python_names,
    "script.md": script_names,
    "start.md": first_names,
    "tuning.md": script_names,
}


def test_every_page_with_programs_is_tested() -> None:
    pages = {path.name for path in DOCS.glob("*.md") if programs(path.name)}
    assert pages == {*SUPPOSED, *WITH_OTHERS, *PARTS, *OWN_TESTS}


@pytest.mark.parametrize("page", SUPPOSED)
def test_programs_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = SUPPOSED[page](tmp_path)
    left_out = WITH_OTHERS.get(page, set()) | PARTS.get(page, set())
    found = programs(page)
    assert left_out < set(range(len(found)))
    for i in range(len(found)):
        if i not in left_out:
            run_program(page, i, names, tmp_path)


def shell_lines(page: str) -> list[str]:
    return re.findall(r"^    \$ (.*?)(?: {3,}#.*)?$", (DOCS / page).read_text(), re.MULTILINE)


SHELL_PAGES = ("command_line.md", "start.md", "tuning.md", "view.md")


@pytest.fixture
def shell_folder(tmp_path: Path) -> Path:
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    for name in ("mlp.onnx", "mlp.pt2"):
        shutil.copy(MODELS / name, tmp_path)
    for name in ("model.onnx", "a.onnx"):
        shutil.copy(MODELS / "mlp.onnx", tmp_path / name)
    for name in ("model.pt2", "b.pt2"):
        shutil.copy(MODELS / "mlp.pt2", tmp_path / name)
    (tmp_path / "model.py").write_text(CONVOLUTIONS)
    compile_model("mlp.onnx", tmp_path / "model.sunmao", "--dim", "batch=1..64")
    shutil.copy(tmp_path / "model.sunmao", tmp_path / "resnet50.sunmao")
    compile_model("mlp.onnx", tmp_path / "bert.sunmao", "--dim", "batch=1..256")
    return tmp_path


@pytest.mark.parametrize("page", SHELL_PAGES)
def test_lines_of_a_shell_run(page: str, shell_folder: Path) -> None:
    """In the order of the page: lines read what earlier ones have written."""
    lines = shell_lines(page)
    assert lines
    for line in lines:
        line = line.replace("--dim seq=", "--dim batch=")  # the model at hand has another symbol
        if line.startswith("sunmao bench"):
            line = line.replace(" --seconds 0.1", "") + " --seconds 0.01"
        environment = {"PATH": f"{BINARY.parent}:/usr/bin:/bin"}
        done = subprocess.run(
            line,
            shell=True,
            cwd=shell_folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT,
            check=False,
        )
        assert done.returncode == 0, f"{page}: {line}\n{done.stdout}{done.stderr}"
