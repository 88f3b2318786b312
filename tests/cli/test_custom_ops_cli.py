"""`--ops`: custom ops in scripts and object files, from the command line."""

import json
import subprocess
from pathlib import Path

import numpy as np
import onnx_bytes
import pytest
from onnx_bytes import node, value
from sunmao_binary import ROOT, read_tensors, sunmao

EXAMPLE = ROOT / "examples" / "custom_ops"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ops") / "model.onnx"
    nodes = [node("Swish", ["x"], ["h"], "my.domain"), node("Gate", ["h"], ["y"], "my.domain", least=0.25)]
    path.write_bytes(onnx_bytes.model(nodes, [value("x", ["n", 3])], ["y"]))
    return path


@pytest.fixture(scope="module")
def gate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled_c(tmp_path_factory.mktemp("c") / "gate.o", (EXAMPLE / "gate.c").read_text())


def compiled_c(path: Path, text: str, *flags: str) -> Path:
    source = path.with_suffix(".c")
    source.write_text(text)
    standard = ["-O2", "-fPIC", "-fno-stack-protector", "-fno-math-errno", f"-I{ROOT / 'include'}"]
    subprocess.run(["cc", *standard, *flags, "-c", str(source), "-o", str(path)], check=True)
    return path


def test_an_artifact_carries_kernels_of_scripts_and_of_c(model: Path, gate: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.sunmao"
    made = sunmao(
        "compile", model, "--ops", EXAMPLE / "ops.py", "--ops", gate, "-o", path, "--target", "x86-64-v2,host"
    )
    assert made.returncode == 0, made.stderr
    x = np.linspace(-2, 2, 6, dtype="float32").reshape(2, 3)
    np.save(tmp_path / "x.npy", x)
    h = x / (1 + np.exp(-x))
    for file in ([path], [model, "--ops", EXAMPLE / "ops.py", "--ops", gate]):
        run = sunmao("run", *file, "--input", f"x={tmp_path / 'x.npy'}", "--output", tmp_path / "y.safetensors")
        assert run.returncode == 0, run.stderr
        np.testing.assert_allclose(
            read_tensors(tmp_path / "y.safetensors")["output.0"], np.where(h < 0.25, 0, h), rtol=1e-6
        )
    manifest = json.loads(sunmao("inspect", path, "--json").stdout)["manifest"]
    assert manifest["ops"] == ["gate"]
    program = sunmao("inspect", path, "--bytecode").stdout
    assert "gate(float32[2], 0.25, out float32[2]) -> float32[2]" in program


def test_without_its_kernel_a_run_names_it(model: Path) -> None:
    run = sunmao("run", model, "--ops", EXAMPLE / "ops.py")
    assert run.returncode != 0
    assert "E0924" in run.stderr and 'sunmao_register_op(session, "gate"' in run.stderr
    assert "gate(float32[2], 0.25, out float32[2]) -> float32[2]" in run.stderr


def test_nodes_and_stages_are_shown(model: Path) -> None:
    nodes = sunmao("inspect", model, "--nodes", "--ops", EXAMPLE / "ops.py")
    assert nodes.returncode == 0 and "my.domain::Swish" in nodes.stdout, nodes.stderr
    script = sunmao("opt", model, "--ops", EXAMPLE / "ops.py").stdout
    assert "R.call_tir(cls.swish_kernel" in script and 'R.call_dps_packed("gate"' in script
    unread = sunmao("compile", model)
    assert unread.returncode == 3 and "E0604" in unread.stderr


GATE = """
#include "sunmao/op.h"
{before}
int gate(void* data, const sunmao_op_call* call) {{
  {body}
  return 0;
}}
"""

REFUSED = {
    "a library": (
        "float expf(float);",
        "((float*)call->outputs[0].data)[0] = expf((float)call->values[0].real);",
        "calls `expf`, which no artifact has",
    ),
    "a variable": (
        "static int count;",
        "++count; ((float*)call->outputs[0].data)[0] = count;",
        "has data that it writes",
    ),
    "a table of addresses": (
        "int f(void); int g(void); int f(void) {return 1;} int g(void) {return 2;} int (*const t[])(void) = {f, g};",
        "((float*)call->outputs[0].data)[0] = t[call->input_count]();",
        "has constants that hold addresses",
    ),
    "thread-local data": (
        "static _Thread_local int n;",
        "((float*)call->outputs[0].data)[0] = ++n;",
        "has thread-local data",
    ),
    "an initialiser": (
        '__attribute__((constructor)) static void f(void) { __asm__ volatile(""); }',
        "",
        "has initialisers",
    ),
    "another name": (
        "#define gate other",
        "",
        "has no kernel that the model calls: it has `other`, and the model calls `gate`",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_E1008_what_an_artifact_cannot_carry(case: str, model: Path, tmp_path: Path) -> None:
    before, body, words = REFUSED[case]
    made = compiled_c(tmp_path / "gate.o", GATE.format(before=before, body=body))
    refused = sunmao("compile", model, "--ops", EXAMPLE / "ops.py", "--ops", made, "-o", tmp_path / "m.sunmao")
    assert refused.returncode != 0 and "E1008" in refused.stderr and words in refused.stderr, refused.stderr
    assert not (tmp_path / "m.sunmao").exists()


def test_E1008_what_is_no_object_file(model: Path, gate: Path, tmp_path: Path) -> None:
    (tmp_path / "text.o").write_text("int gate;")
    cut = tmp_path / "cut.o"
    cut.write_bytes(gate.read_bytes()[: gate.stat().st_size // 2])
    for file in (tmp_path / "text.o", cut):
        refused = sunmao("compile", model, "--ops", EXAMPLE / "ops.py", "--ops", file)
        assert refused.returncode != 0 and "E1008" in refused.stderr, refused.stderr


def test_memory_functions_are_part_of_the_artifact(model: Path, tmp_path: Path) -> None:
    """Compilers call them on their own."""
    body = """
  const size_t bytes = call->inputs[0].shape[0] * call->inputs[0].shape[1] * sizeof(float);
  char* y = call->outputs[0].data;
  memset(y, 0xff, bytes);
  memcpy(y, call->inputs[0].data, bytes);
  if (memcmp(y, call->inputs[0].data, bytes) != 0) return 1;
  memmove(y + 4, y, bytes - 4);
  if (memcmp(y, y + 4, 4) != 0) return 2;
  memmove(y, y + 4, bytes - 4);"""
    flags = ["-fno-builtin"]
    made = compiled_c(tmp_path / "gate.o", GATE.format(before="#include <string.h>", body=body), *flags)
    x = np.arange(6, dtype="float32").reshape(2, 3) + 1
    np.save(tmp_path / "x.npy", x)
    y = tmp_path / "y.safetensors"
    run = sunmao(
        "run", model, "--ops", EXAMPLE / "ops.py", "--ops", made, "--input", f"x={tmp_path / 'x.npy'}", "--output", y
    )
    assert run.returncode == 0, run.stderr
    h = x / (1 + np.exp(-x))
    want = h.copy().ravel()
    want[5] = want[4]
    np.testing.assert_allclose(read_tensors(y)["output.0"].ravel(), want, rtol=1e-6)


def test_E0004_ops_are_for_models(model: Path, gate: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.sunmao"
    sunmao("compile", model, "--ops", EXAMPLE / "ops.py", "--ops", gate, "-o", path)
    for command in ("run", "inspect", "profile"):
        refused = sunmao(command, path, "--ops", EXAMPLE / "ops.py")
        assert refused.returncode == 2 and "E0004" in refused.stderr, refused.stderr
    refused = sunmao("opt", model, "--ops", gate)
    assert refused.returncode == 2 and "E0004" in refused.stderr
