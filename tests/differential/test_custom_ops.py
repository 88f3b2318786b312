"""Ops that `torch.library` registers: kernels in scripts, in C and in Python give what PyTorch gives."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import torch
from sunmao import torch_backend
from sunmao.compat import relax
from sunmao.compat.script import tirx as T
from sunmao.torch_backend import Statistics, backend
from torch import nn

ROOT = Path(__file__).parents[2]


@torch.library.custom_op("sunmao_test::swish", mutates_args=())
def torch_swish(x: torch.Tensor, beta: float = 1.0) -> torch.Tensor:
    return x / (1 + torch.exp(-beta * x))


@torch_swish.register_fake
def _(x: torch.Tensor, beta: float = 1.0) -> torch.Tensor:
    return torch.empty_like(x)


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(8, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch_swish(torch_swish(self.inner(x), 1.5)) + 1


@T.prim_func(private=True)
def swish_kernel(x_handle: T.handle, beta: T.float32, y_handle: T.handle):
    n, m = T.int64(), T.int64()
    x = T.match_buffer(x_handle, (n, m), "float32")
    y = T.match_buffer(y_handle, (n, m), "float32")
    for i, j in T.grid(n, m):
        with T.sblock("swish"):
            vi, vj = T.axis.remap("SS", [i, j])
            y[vi, vj] = x[vi, vj] / (T.float32(1) + T.exp(-beta * x[vi, vj]))


def same_type(x: Any, beta: float = 1.0) -> Any:
    return x.ty


def fill(x: np.ndarray, beta: float, y: np.ndarray) -> None:
    y[:] = x / (1 + np.exp(-beta * x))


IN_SCRIPT = sunmao.custom_op("swish", swish_kernel, torch="sunmao_test::swish", defaults={"beta": 1.0})
IN_PYTHON = sunmao.custom_op("swish", fill, shape=same_type, torch="sunmao_test.swish.default")


def built(folder: Path, *arguments: str) -> Path:
    """Returns what the C compiler makes of the kernel."""
    made = folder / ("swish.o" if "-c" in arguments else "libswish.so")
    source = ROOT / "tests" / "custom_ops" / "swish.c"
    flags = ["-O2", "-fPIC", "-fno-stack-protector", f"-I{ROOT / 'include'}"]
    subprocess.run(["cc", *flags, *arguments, str(source), "-o", str(made)], check=True)
    return made


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> Any:
    library = ctypes.CDLL(str(built(tmp_path_factory.mktemp("c"), "-shared")))
    return sunmao.custom_op("swish", library.swish, shape=same_type, torch="sunmao_test::swish")


@pytest.fixture(params=["script", "python", "c"])
def op(request: pytest.FixtureRequest, in_c: Any) -> Any:
    return {"script": IN_SCRIPT, "python": IN_PYTHON, "c": in_c}[request.param]


@pytest.fixture
def net() -> Net:
    torch.manual_seed(0)
    return Net().eval()


def close(got: Any, want: torch.Tensor) -> None:
    torch.testing.assert_close(torch.as_tensor(got), want, rtol=1e-5, atol=1e-6)


def test_a_module_with_a_custom_op_is_compiled(op: Any, net: Net) -> None:
    model = sunmao.compile(net, torch.randn(2, 8), dims={"x": {0: "batch"}}, ops=[op])
    with torch.no_grad():
        for batch in (1, 5):
            x = torch.randn(batch, 8)
            close(model(x), net(x))
    assert model.host_functions == ([] if op is IN_SCRIPT else ["swish"])


def test_programs_in_memory_and_in_files_are_read_alike(op: Any, net: Net, tmp_path: Path) -> None:
    x = torch.randn(3, 8)
    with torch.no_grad():
        program = torch.export.export(net, (x,))
        torch.export.save(program, tmp_path / "net.pt2")
        for model in (program, tmp_path / "net.pt2"):
            close(sunmao.compile(model, ops=[op])(x), net(x))
    mod = relax.frontend.torch.from_exported_program(program, ops=[op])
    assert mod.script().count("R.call_tir(" if op is IN_SCRIPT else 'R.call_dps_packed("swish"') == 2


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("SUNMAO_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(torch_backend, "statistics", Statistics())
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error", sunmao.CompileWarning)
        yield


@pytest.mark.usefixtures("fresh")
def test_torch_compile_takes_custom_ops(op: Any, net: Net) -> None:
    x = torch.randn(3, 8)
    for _ in range(2):
        compiled = torch.compile(net, backend=backend, options={"ops": [op]})
        with torch.no_grad():
            close(compiled(x), net(x))
        torch._dynamo.reset()
    counted = torch_backend.statistics
    # What is read by a function of Python is compiled each time.
    assert (counted.compiled, counted.loaded) == ((1, 1) if op is IN_SCRIPT else (2, 0))


@pytest.mark.usefixtures("fresh")
def test_graphs_that_are_kept_know_their_ops(net: Net) -> None:
    doubled = sunmao.custom_op(
        "swish", sunmao.parse_module(str(IN_SCRIPT.module).replace("T.exp(", "T.float32(2) * T.exp(")),
        torch="sunmao_test::swish", defaults={"beta": 1.0},
    )  # fmt: skip
    results = []
    for chosen in (IN_SCRIPT, doubled):
        torch._dynamo.reset()
        with torch.no_grad():
            results.append(torch.compile(net, backend=backend, options={"ops": [chosen]})(torch.ones(3, 8)))
    assert not torch.allclose(*results)
    assert torch_backend.statistics.compiled == 2


def test_a_saved_artifact_takes_the_function_again(in_c: Any, net: Net, tmp_path: Path) -> None:
    x = torch.randn(3, 8)
    sunmao.compile(net, x, ops=[in_c]).save(tmp_path / "net.sunmao")
    model = sunmao.load(tmp_path / "net.sunmao")
    with pytest.raises(sunmao.Error, match="E0923") as caught:
        model(x)
    assert 'model.register_function("swish", function); it is called as swish(float32[2], 1.5, out float32[2])' in str(
        caught.value
    )
    model.register_function("swish", in_c.function)
    with torch.no_grad():
        close(model(x), net(x))


def test_an_object_file_is_part_of_the_artifact(net: Net, tmp_path: Path) -> None:
    x = torch.randn(3, 8)
    op = sunmao.custom_op("swish", shape=same_type, torch="sunmao_test::swish")
    model = sunmao.compile(net, x, ops=[op, built(tmp_path, "-c")], target=["x86-64-v2", "host"])
    assert model.host_functions == []
    model.save(tmp_path / "net.sunmao")
    with torch.no_grad():
        for isa in ("", "x86-64-v2"):
            close(sunmao.load(tmp_path / "net.sunmao", isa=isa)(x), net(x))


def test_a_kernel_says_why_it_fails(in_c: Any) -> None:
    class Negative(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch_swish(x, -1.0)

    model = sunmao.compile(Negative(), torch.ones(2, 2), ops=[in_c])
    with pytest.raises(sunmao.Error, match="E0923.*`swish` failed: beta is negative"):
        model(torch.ones(2, 2))


def test_one_artifact_has_ops_of_pytorch_onnx_a_script_and_c_and_a_c_program_runs_it(tmp_path: Path) -> None:
    example = ROOT / "examples" / "custom_ops"
    gate, artifact = tmp_path / "gate.o", tmp_path / "ops.sunmao"
    flags = ["-O2", "-fPIC", "-fno-stack-protector", f"-I{ROOT / 'include'}", "-c", str(example / "gate.c")]
    subprocess.run(["cc", *flags, "-o", str(gate)], check=True)
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, str(example / "make_artifact.py"), str(gate), str(artifact)]
    subprocess.run(command, check=True, env=environment)
    program = Path(os.environ.get("SUNMAO_BUILD_DIR", ROOT / "build" / "release")) / "examples" / "run_custom_ops"
    lines = subprocess.run(
        [str(program), str(artifact)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    x = np.array([-1, -0.5, 0, 0.5, 1, 2], "float32")
    swished = x / (1 + np.exp(-2 * x))
    want = np.where(swished < 0.5, 0, swished) + 100
    assert sorted(line.split()[0] for line in lines) == ["from_onnx", "from_script", "from_torch"]
    for line in lines:
        np.testing.assert_allclose([float(word) for word in line.split()[1:]], want, rtol=1e-5)
