"""Every step of the pipeline can be stopped at, read back and compiled on, to the same artifact."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
from sunmao_binary import ROOT, write_tensors
from sunmao_binary import sunmao as run

PIPELINE = re.findall(r'then\("([a-z-]+)"', (ROOT / "src/compiler/pipeline.cpp").read_text())
TARGETS = ("--target", "x86-64-v3,x86-64-v4")

KERNELS = """
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(
        x: R.Tensor(("n", 3, 9, 9), "float32"),
        w: R.Tensor((8, 3, 3, 3), "float32"),
        g: R.Tensor((49,), "float32"),
        a: R.Tensor((49, 2000), "float32"),
    ):
        R.func_attr({"num_input": 1})
        n = T.int64()
        with R.dataflow():
            c = R.nn.conv2d(x, w)
            p = R.nn.max_pool2d(c, pool_size=[3, 3], strides=[2, 2])
            f = R.reshape(c, (n, 8, 49))
            s = R.nn.softmax(f, axis=-1)
            r = R.nn.layer_norm(s, g, g, axes=[-1])
            m = R.matmul(r, R.permute_dims(r, [0, 2, 1]))
            i = R.argmax(m, axis=-1)
            e = R.erf(R.sum(p, axis=[2, 3]))
            d = R.matmul(r, a)
            R.output(m, i, e, d)
        return (m, i, e, d)
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    """Returns a model and its weights, as the command line takes them."""
    folder = tmp_path_factory.mktemp("kernels")
    (folder / "kernels.py").write_text(KERNELS)
    draw = np.random.default_rng(1)
    shapes = {"w": (8, 3, 3, 3), "g": (49,), "a": (49, 2000)}
    weights = {name: draw.standard_normal(shape).astype("f4") for name, shape in shapes.items()}
    return folder / "kernels.py", "--weights", write_tensors(folder / "w.safetensors", weights)


def compiled(path: Path, *arguments: object) -> None:
    done = run("compile", *arguments, *TARGETS, "-o", path)
    assert done.returncode == 0, done.stderr


def entries_of(path: Path) -> dict[str, Any]:
    """Returns what an artifact holds, without the lines that calls come from: those of a stage are others."""
    with zipfile.ZipFile(path) as archive:
        entries: dict[str, Any] = {name: archive.read(name) for name in archive.namelist()}
    entries["manifest.json"] = json.loads(entries["manifest.json"])
    entries["manifest.json"].pop("calls")
    return entries


@pytest.fixture(scope="module")
def at_once(tmp_path_factory: pytest.TempPathFactory, model: tuple[object, ...]) -> dict[str, Any]:
    """Returns what the artifact holds that is compiled without a stop."""
    path = tmp_path_factory.mktemp("artifact") / "m.sunmao"
    compiled(path, *model)
    return entries_of(path)


@pytest.mark.parametrize("step", dict.fromkeys(PIPELINE))
def test_a_stage_compiles_on_to_the_same_artifact(
    tmp_path: Path, model: tuple[object, ...], at_once: dict[str, Any], step: str
) -> None:
    compiled(tmp_path / "stage.py", *model, "--stop-after", step)
    compiled(tmp_path / "again.sunmao", tmp_path / "stage.py", *model[1:])
    assert entries_of(tmp_path / "again.sunmao") == at_once


def test_each_step_keeps_the_numbers(tmp_path: Path, model: tuple[object, ...]) -> None:
    done = run("compile", *model, *TARGETS, "--verify=each", "--validate=each", "-o", tmp_path / "m.sunmao")
    assert done.returncode == 0, done.stderr
    assert "validated" in done.stderr
    assert "not validated" not in done.stderr


def test_a_changed_form_is_what_runs(tmp_path: Path) -> None:
    kernel = """
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Module:
    @R.function
    def main(x: R.Tensor((40,), "float32")):
        y = R.add(x, R.const(1, "float32"))
        return y
"""
    (tmp_path / "m.py").write_text(kernel)
    stage, target = tmp_path / "stage.py", ("--target", "x86-64-v3")
    assert run("compile", tmp_path / "m.py", *target, "--stop-after", "simplify-loops", "-o", stage).returncode == 0
    before, form = stage.read_text().split("def add_x86_64_v3(")
    form = form.replace("T.Broadcast(B[()], 8)", "T.Broadcast(B[()], 8) + T.Broadcast(T.float32(4), 8)")
    stage.write_text(before + "def add_x86_64_v3(" + form)
    assert run("compile", stage, *target, "-o", tmp_path / "m.sunmao").returncode == 0
    np.testing.assert_array_equal(sunmao.load(tmp_path / "m.sunmao")(np.zeros(40, "f4")), np.full(40, 5, "f4"))


def test_a_kernel_without_a_form_is_an_error(tmp_path: Path, model: tuple[object, ...]) -> None:
    done = run("compile", *model, "--disable", "add-target-forms", "-o", tmp_path / "m.sunmao")
    assert done.returncode == 1
    assert "error[E0543]: the kernel" in done.stderr
    assert not (tmp_path / "m.sunmao").exists()
