"""What tests of torch.compile share: functions with Sunmao as backend, compared with PyTorch, and counts of graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.utils._pytree as pytree
from sunmao import torch_backend
from torch import nn


def counts() -> tuple[int, int, int]:
    s = torch_backend.statistics
    return s.compiled, s.loaded, s.refused


def compiled(module: Any, **options: Any) -> Any:
    return torch.compile(module, backend=torch_backend.backend, **options)


def agree(module: Callable[..., Any], other: Callable[..., Any], *args: Any, tolerance: float = 1e-5) -> None:
    got, want = pytree.tree_flatten(other(*args)), pytree.tree_flatten(module(*args))
    assert got[1] == want[1]
    for x, y in zip(got[0], want[0], strict=True):
        torch.testing.assert_close(x, y, rtol=tolerance, atol=tolerance)


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(8, 64), nn.Linear(64, 64)
        self.register_buffer("shift", torch.ones(64))

    def forward(self, x: torch.Tensor, scale: int = 3) -> Any:
        y = self.b(self.a(x).relu()) + self.shift
        return {"rows": x.shape[0] + 1, "y": y.relu() * scale, "turned": y.t(), "x": x, "none": None}
