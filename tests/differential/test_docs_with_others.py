"""Programs of pages that need PyTorch or the package onnx run, with what the page supposes to be there, and give what
the other library gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import sunmao
import torch
from onnx import TensorProto, helper
from page_programs import WITH_OTHERS, names_of_dialect, programs, run_program
from sunmao.torch_backend import backend
from torch import nn

Names = dict[str, Any]


@torch.library.custom_op("mylib::swish", mutates_args=())
def swish_of_torch(x: torch.Tensor, beta: float = 1.0) -> torch.Tensor:
    return x / (1 + torch.exp(-beta * x))


@swish_of_torch.register_fake
def _(x: torch.Tensor, beta: float = 1.0) -> torch.Tensor:
    return torch.empty_like(x)


class Swish(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return swish_of_torch(x)


def agree(got: Any, want: torch.Tensor) -> None:
    np.testing.assert_allclose(np.asarray(got), want.detach().numpy(), rtol=1e-5, atol=1e-6)


def custom_op_names(folder: Path) -> Names:
    """The page's script of ops as a file, its kernel, a model that uses the op, and a file of that."""
    script = programs("custom-ops.md")[0]
    (folder / "ops.py").write_text(script)
    names = names_of_dialect({"torch": torch, "module": Swish(), "x": torch.randn(3, 4)})
    run_program("custom-ops.md", 0, names, folder)
    names["swish_kernel"] = names["Ops"]["swish_kernel"]
    names["program"] = torch.export.export(names["module"], (names["x"],))
    torch.export.save(names["program"], folder / "model.pt2")
    return names


def check_custom_ops(names: Names) -> None:
    x = names["x"]
    want = names["module"](x)
    for model in (sunmao.compile("model.pt2", ops=["ops.py"]), names["model"], sunmao.compile(names["mod"])):
        agree(model(x), want)
    agree(names["fast"](x), want)


def frontend_names(folder: Path) -> Names:
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [3]) for n in "xy")
    node = helper.make_node("Swish", ["x"], ["y"], domain="my.domain")
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("my.domain", 1)]
    model = helper.make_model(helper.make_graph([node], "g", [x], [y]), opset_imports=opsets)
    onnx.checker.check_model(model)
    return {"model": model}


def check_frontends(names: Names) -> None:
    x = torch.tensor([-1.0, 0.0, 2.0])
    agree(sunmao.compile(names["mod"])(x.numpy()), x * torch.sigmoid(x))


def python_names(folder: Path) -> Names:
    return {"torch": torch, "module": nn.Sequential(nn.Linear(4, 3), nn.ReLU()), "x": torch.randn(2, 4)}


def check_python(names: Names) -> None:
    agree(names["y"], names["module"](names["x"]))


CASES: dict[str, tuple[Callable[[Path], Names], Callable[[Names], None]]] = {
    "custom-ops.md": (custom_op_names, check_custom_ops),
    "frontends.md": (frontend_names, check_frontends),
    "python.md": (python_names, check_python),
}


def test_every_page_with_such_programs_is_tested() -> None:
    assert set(CASES) == set(WITH_OTHERS)


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    """Names the backend, which an installed package brings with it."""
    if "sunmao" not in torch._dynamo.list_backends():
        torch._dynamo.register_backend(backend, name="sunmao")


@pytest.mark.parametrize("page", CASES)
def test_programs_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUNMAO_CACHE_DIR", str(tmp_path / "cache"))
    names_before, check = CASES[page]
    names = names_before(tmp_path)
    for number in sorted(WITH_OTHERS[page]):
        run_program(page, number, names, tmp_path)
    check(names)
