"""What a run of a program of PyTorch refuses because PyTorch does, and arguments that a module writes into."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import torch

COMPILE: dict[str, Any] = {"opt_level": 1, "threads": 1}
DIVISIONS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "floor": lambda x, y: x // y,
    "trunc": lambda x, y: torch.div(x, y, rounding_mode="trunc"),
    "remainder": lambda x, y: x % y,
    "fmod": torch.fmod,
}


class Applied(torch.nn.Module):
    def __init__(self, fn: Callable[..., Any]) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, *args: torch.Tensor) -> Any:
        return self.fn(*args)


@pytest.mark.parametrize("name", DIVISIONS)
@pytest.mark.parametrize("dtype", [torch.int64, torch.uint8])
def test_integers_are_not_divided_by_0(name: str, dtype: torch.dtype) -> None:
    x, good = torch.tensor([7, 8, 9] * 20, dtype=dtype), torch.tensor([2, 3, 4] * 20, dtype=dtype)
    bad = good.clone()
    bad[41] = 0
    program = torch.export.export(Applied(DIVISIONS[name]), (x, good))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        DIVISIONS[name](x, bad)
    module = sunmao.relax.frontend.torch.from_exported_program(program)
    model = sunmao.compile(Applied(DIVISIONS[name]), (x, good), **COMPILE)
    for run in (model, lambda *args: sunmao.evaluate(module, *args)):
        with pytest.raises(sunmao.Error, match="a divisor or a step cannot be 0") as caught:
            run(x.numpy(), bad.numpy())
        assert caught.value.code == "E0919"
    np.testing.assert_array_equal(model(x.numpy(), good.numpy()), DIVISIONS[name](x, good).numpy())


def test_a_constant_divisor_is_not_checked() -> None:
    module = sunmao.relax.frontend.torch.from_exported_program(
        torch.export.export(Applied(lambda x: (x // 3, x % 4)), (torch.arange(5),))
    )
    assert "nonzero_divisor" not in module.script()


def test_a_written_argument_is_a_further_result(tmp_path: Path) -> None:
    def write(x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x * 2

    def write_and_name(x: torch.Tensor) -> dict[str, torch.Tensor]:
        return {"twice": write(x)}

    x = np.arange(3, dtype="float32")
    twice, written = sunmao.compile(Applied(write), (torch.zeros(3),), **COMPILE)(x)
    named, written_too = sunmao.compile(Applied(write_and_name), (torch.zeros(3),), **COMPILE)(x)
    torch.export.save(torch.export.export(Applied(write), (torch.zeros(3),)), tmp_path / "write.pt2")
    stored, written_there = sunmao.compile(tmp_path / "write.pt2", **COMPILE)(x)
    for result in (twice, named["twice"], stored):
        np.testing.assert_array_equal(result, (x + 1) * 2)
    for result in (written, written_too, written_there):
        np.testing.assert_array_equal(result, x + 1)
