"""Models of PyTorch become libraries: each weight is in the file once, and what is loaded gives PyTorch's numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sunmao.compat import relax, runtime
from sunmao.compat.relax.frontend.torch import from_exported_program
from vision_ops import torchvision


def exported(module: torch.nn.Module, x: torch.Tensor, **options: Any) -> Any:
    return from_exported_program(torch.export.export(module.eval(), (x,)), **options)


def run(path: Path, *args: Any) -> np.ndarray[Any, Any]:
    vm = relax.VirtualMachine(runtime.load_module(str(path)), runtime.cpu())
    result = vm["main"](*args)
    return (result if hasattr(result, "numpy") else result[0]).numpy()


@pytest.mark.parametrize("rank", [2, 3, 4])
@pytest.mark.parametrize("mode", ["bytecode", "compiled"])
def test_linear(rank: int, mode: str, tmp_path: Path) -> None:
    module, x = torch.nn.Linear(128, 512), torch.randn(*[2] * (rank - 1), 128)
    path = tmp_path / "linear.so"
    relax.build(exported(module, x), target="llvm", exec_mode=mode).export_library(str(path))
    assert path.stat().st_size < 330_000
    np.testing.assert_allclose(run(path, x.numpy()), module(x).detach().numpy(), atol=1e-4)


def test_weights_that_stay_parameters_are_in_no_library(tmp_path: Path) -> None:
    module, x = torch.nn.Linear(128, 512), torch.randn(2, 128)
    made = exported(module, x, keep_params_as_input=True)
    bare, params = relax.frontend.detach_params(made)
    path = tmp_path / "linear.so"
    relax.build(relax.transform.LiftTransformParams()(bare)).export_library(str(path))
    assert path.stat().st_size < 100_000
    vm = relax.VirtualMachine(runtime.load_module(str(path)), runtime.cpu())
    prepared = vm["main_transform_params"](params["main"])
    y = vm["main"](x.numpy(), *prepared)
    np.testing.assert_allclose(y[0].numpy(), module(x).detach().numpy(), atol=1e-4)


def test_convnext_base(tmp_path: Path) -> None:
    torch.manual_seed(1)
    module, x = torchvision().models.convnext_base(), torch.randn(1, 3, 64, 64)
    weights = sum(p.numel() * p.element_size() for p in module.parameters())
    path = tmp_path / "convnext.so"
    relax.build(exported(module, x)).export_library(str(path))
    assert path.stat().st_size < 1.01 * weights + 4_000_000
    np.testing.assert_allclose(run(path, x.numpy()), module(x).detach().numpy(), rtol=1e-3, atol=1e-4)
