"""Maps and scans over a known number of rows are read in place; loops that only a run can count are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import torch
from sunmao.errors import Error
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops.scan import scan

X = torch.randn(5, 3)


class Cumulative(torch.nn.Module):
    """Two carried values, one of which is returned as it is, and a weight of the module."""

    def __init__(self, reverse: bool = False) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.randn(3, 3))
        self.reverse = reverse

    def forward(self, x: torch.Tensor) -> Any:
        def step(carry: Any, row: torch.Tensor) -> Any:
            total, count = carry
            total = torch.tanh(row @ self.weight) + total
            return (total, count + 1), (total * 2, row.sum())

        return scan(step, (torch.zeros(3), torch.zeros(())), x, reverse=self.reverse)


class Nested(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return map_rows(lambda row: map_rows(lambda number: number * number + 1, row).cumsum(0), x)


@pytest.mark.parametrize("module", [Cumulative(), Cumulative(reverse=True), Nested()], ids=["scan", "reverse", "map"])
@pytest.mark.parametrize("is_core", [False, True], ids=["raw", "core"])
def test_rows_of_a_known_number(tmp_path: Path, module: torch.nn.Module, is_core: bool) -> None:
    module.eval()
    program = torch.export.export(module, (X,))
    if is_core:
        program = program.run_decompositions()
    torch.export.save(program, tmp_path / "m.pt2")
    result = sunmao.compile(tmp_path / "m.pt2").flat(X.numpy())
    with torch.no_grad():
        expected = torch.utils._pytree.tree_leaves(module(X))
    got = result if isinstance(result, tuple) else (result,)
    assert len(got) == len(expected)
    for g, e in zip(got, expected, strict=True):
        np.testing.assert_allclose(g, e.numpy(), rtol=1e-5, atol=1e-6)


def test_rows_that_only_a_run_counts_are_refused(tmp_path: Path) -> None:
    program = torch.export.export(Nested(), (X,), dynamic_shapes=({0: torch.export.Dim.AUTO},))
    torch.export.save(program, tmp_path / "m.pt2")
    with pytest.raises(Error, match="`higher_order.map_impl over a number of rows that is 0 or not known`") as caught:
        sunmao.compile(tmp_path / "m.pt2")
    assert caught.value.code == "E0707"
