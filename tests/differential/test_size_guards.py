"""What a program assumes of sizes: a run accepts the sizes that PyTorch's own check accepts, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import torch
from sunmao.errors import RunError

AUTO = torch.export.Dim.AUTO


class Checked(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        torch._check(x.shape[0] % 4 == 0)
        torch._check(x.shape[0] * 2 <= y.shape[0])
        torch._check(y.shape[0] < 100)
        torch._check(x.shape[0] != 12)
        return x.sum() + y


class Branch(torch.nn.Module):
    """The branch that was taken while exporting stands in the program."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x + y.sum() if x.shape[0] > y.shape[0] else x - y.sum()


class Nested(torch.nn.Module):
    def forward(self, x: dict[str, list[torch.Tensor]], *, z: torch.Tensor) -> torch.Tensor:
        torch._check(x["a"][1].shape[0] >= 5)
        torch._check(z.shape[0] % 3 == 1)
        return x["a"][0] + x["a"][1].sum() + z.sum()


def _accepts(call: Any, *sizes: int) -> Any:
    """Returns the result; None where the sizes are refused."""
    try:
        return call(*sizes)
    except (AssertionError, RuntimeError, RunError) as error:
        assert not isinstance(error, RunError) or error.code in ("E0905", "E0906"), error
        return None


def _compare(program: Any, folder: Path, sizes: list[tuple[int, ...]], make: Any) -> None:
    torch.export.save(program, folder / "m.pt2")
    model = sunmao.compile(folder / "m.pt2")
    outcomes = set()
    for at in sizes:
        args, kwargs = make(*at)
        flat = [t.numpy() for t in torch.utils._pytree.tree_leaves((args, kwargs))]
        want = _accepts(lambda *_, a=args, k=kwargs: program.module()(*a, **k))
        got = _accepts(lambda *_, f=flat: model.flat(*f))
        assert (want is None) == (got is None), at
        if want is not None:
            np.testing.assert_allclose(got, want.numpy(), rtol=1e-5)
        outcomes.add(want is None)
    assert outcomes == {True, False}, "sizes of both kinds are tried"


def test_checks_of_the_program(tmp_path: Path) -> None:
    program = torch.export.export(
        Checked(), (torch.ones(8), torch.ones(20)), dynamic_shapes=({0: AUTO}, {0: AUTO})
    )  # fmt: skip
    sizes = [(8, 16), (8, 15), (6, 30), (12, 40), (16, 99), (16, 100), (4, 8)]
    _compare(program, tmp_path, sizes, lambda a, b: ((torch.rand(a), torch.rand(b)), {}))


def test_a_branch_on_sizes(tmp_path: Path) -> None:
    program = torch.export.export(
        Branch(), (torch.ones(8), torch.ones(4)), dynamic_shapes=({0: AUTO}, {0: AUTO})
    )  # fmt: skip
    _compare(program, tmp_path, [(8, 4), (4, 8), (5, 5), (6, 5)], lambda a, b: ((torch.rand(a), torch.rand(b)), {}))


def test_arguments_that_are_nested_or_named(tmp_path: Path) -> None:
    def make(a: int, b: int) -> Any:
        return ({"a": [torch.rand(3), torch.rand(a)]},), {"z": torch.rand(b)}

    args, kwargs = make(7, 4)
    program = torch.export.export(
        Nested(), args, kwargs, dynamic_shapes={"x": {"a": [None, {0: AUTO}]}, "z": {0: AUTO}}
    )  # fmt: skip
    _compare(program, tmp_path, [(7, 4), (5, 7), (4, 4), (9, 6), (9, 10)], make)


@pytest.mark.parametrize("offset", [0, 1])
def test_dimensions_derived_from_another(tmp_path: Path, offset: int) -> None:
    class Halves(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[offset:].reshape((x.shape[0] - offset) // 2, 2, -1).sum(1)

    half = torch.export.Dim("half", min=3, max=6)
    shapes = ({0: 2 * half + offset if offset else 2 * half},)
    program = torch.export.export(Halves(), (torch.ones(8 + offset, 3),), dynamic_shapes=shapes)
    sizes = [(6 + offset,), (7 + offset,), (12 + offset,), (14 + offset,), (4 + offset,)]
    _compare(program, tmp_path, sizes, lambda a: ((torch.rand(a, 3),), {}))
