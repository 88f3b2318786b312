"""Ops with effects, which a decomposed program orders by tokens."""

from __future__ import annotations

from pathlib import Path

import sunmao
import torch
from comparing import differences, outputs_of
from torch_arrays import to_array


class Inverse(torch.nn.Module):
    def forward(self, a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.inverse(a), torch.linalg.solve(a, b)


def test_checks_of_matrices_are_left_out(tmp_path: Path) -> None:
    matrix, right = torch.eye(3) * 2 + 0.5, torch.arange(6.0).view(3, 2)
    program = torch.export.export(Inverse(), (matrix, right)).run_decompositions()
    assert any("with_effects" in str(node.target) for node in program.graph.nodes)
    torch.export.save(program, tmp_path / "model.pt2")
    model = sunmao.compile(tmp_path / "model.pt2", opt_level=1, threads=1)
    got = outputs_of(model.flat(to_array(matrix), to_array(right)))
    assert not differences(got, [to_array(t) for t in Inverse()(matrix, right)], 1e-5)
