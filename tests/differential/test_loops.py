"""Maps and scans over few rows are read in place; over others they become loops. What a run decides is kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import torch
from torch._higher_order_ops import map as map_rows
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

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


class Sums(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return scan(lambda total, row: (total * 0.5 + row, total.sum()), torch.zeros(2), x)


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


@pytest.mark.parametrize("module", [Cumulative(), Cumulative(reverse=True), Nested()], ids=["scan", "reverse", "map"])
def test_rows_that_only_a_run_counts(tmp_path: Path, module: torch.nn.Module) -> None:
    """They become a loop, which gives no rows for an input without any."""
    inputs = [X, torch.randn(2, 3), torch.randn(8, 3)]
    check_kept(tmp_path / "m.pt2", module, inputs, dynamic_shapes=({0: torch.export.Dim.AUTO},))


def test_rows_of_nothing(tmp_path: Path) -> None:
    program = torch.export.export(Nested(), (X,), dynamic_shapes=({0: torch.export.Dim.AUTO},))
    torch.export.save(program, tmp_path / "m.pt2")
    assert sunmao.compile(tmp_path / "m.pt2").flat(np.zeros((0, 3), "float32")).shape == (0, 3)


def test_more_rows_than_are_read_one_by_one(tmp_path: Path) -> None:
    x = torch.rand(60_000, 2) - 0.5
    check_kept(tmp_path / "m.pt2", Sums(), [x])


class Branches(torch.nn.Module):
    """A branch inside of a branch, with weights, a tensor from outside, and two results."""

    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> Any:
        shift = x.mean(0)

        def high(y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return self.left(y) + shift, y.sum(1)

        def low(y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            steep = torch.cond(y.max() > 1, lambda z: z.exp(), lambda z: z.clone(), (y,))
            return self.right(steep), steep.mean(1)

        return torch.cond(x.sum() > 0, high, low, (x,))


class Newton(torch.nn.Module):
    """A loop with a branch in its step, which ends by what it computes; a weight and a size of the input go with it."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(3) + 1)

    def forward(self, x: torch.Tensor) -> Any:
        def goes_on(i: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return torch.logical_and((y * y - x).abs().max() > 1e-3, i < 50)

        def step(i: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            even = torch.cond(i % 2 == 0, lambda z: z * 1, lambda z: (z + x / z) / 2, (y,))
            return i + 1, (even + x / even) / 2

        i, root = while_loop(goes_on, step, (torch.zeros((), dtype=torch.int64), torch.ones_like(x)))
        return i, root * self.scale


def check_kept(path: Path, module: torch.nn.Module, inputs: list[torch.Tensor], **export: Any) -> None:
    program = torch.export.export(module.eval(), (inputs[0],), **export).run_decompositions()
    torch.export.save(program, path)
    model = sunmao.compile(path)
    for x in inputs:
        with torch.no_grad():
            expected = torch.utils._pytree.tree_leaves(module(x))
        result = model.flat(x.numpy())
        got = result if isinstance(result, tuple) else (result,)
        assert len(got) == len(expected)
        for g, e in zip(got, expected, strict=True):
            np.testing.assert_allclose(g, e.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("is_dynamic", [False, True], ids=["static", "dynamic"])
def test_branches_that_data_decides(tmp_path: Path, is_dynamic: bool) -> None:
    inputs = [torch.rand(5, 3), torch.rand(5, 3) - 2, torch.tensor([[-9.0, 2, 1]]).repeat(5, 1)]
    if is_dynamic:
        inputs.append(-torch.rand(7, 3))
    shapes = {"dynamic_shapes": ({0: torch.export.Dim("rows", max=9)},)} if is_dynamic else {}
    check_kept(tmp_path / "m.pt2", Branches(), inputs, **shapes)


def test_loops_that_data_ends(tmp_path: Path) -> None:
    check_kept(tmp_path / "m.pt2", Newton(), [torch.rand(5, 3) * 9 + 1, torch.ones(5, 3)])


class ViewsReadFirstInBodies(torch.nn.Module):
    """Views of what was written in place, which bodies are the first to read."""

    def __init__(self, is_loop: bool) -> None:
        super().__init__()
        self.is_loop = is_loop

    def forward(self, x: torch.Tensor) -> Any:
        y = x.clone()
        first, _ = y.split(2)
        turned = y.t()
        y.add_(1)
        if not self.is_loop:
            chosen = torch.cond(x.sum() > 0, lambda a, b: a * b.sum(), lambda a, b: a - b.sum(), (first * 1, turned))
            return chosen + first

        def goes_on(i: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
            return (i < 3) & (turned.sum() * 0 < 1)

        def step(i: torch.Tensor, z: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return i + 1, z + turned.sum()

        _, r = while_loop(goes_on, step, (torch.tensor(0), first * 1))
        return r + turned.mean()


@pytest.mark.parametrize("is_loop", [False, True], ids=["cond", "while_loop"])
def test_views_that_bodies_read_first(tmp_path: Path, is_loop: bool) -> None:
    module = ViewsReadFirstInBodies(is_loop)
    program = torch.export.export(module, (torch.rand(4, 3),))
    torch.export.save(program, tmp_path / "m.pt2")
    model = sunmao.compile(tmp_path / "m.pt2")
    for x in (torch.rand(4, 3), -torch.rand(4, 3)):
        np.testing.assert_allclose(model.flat(x.numpy()), module(x).numpy(), rtol=1e-5, atol=1e-5)
