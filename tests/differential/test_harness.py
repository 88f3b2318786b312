"""The harness itself: results that differ are found, and each kind of outcome is told from the others."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_case
import outcome
import pytest
import torch
import torch_case
import zoo_table
from comparing import Array, difference
from export_files import save_examples
from torch_arrays import arrays_of, to_array


class Small(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.linear(x)) + 1


def _export(folder: Path, module: torch.nn.Module, error: float = 0.0) -> Path:
    """Exports a module, with expected outputs that are off by `error`."""
    x = torch.randn(2, 4)
    torch.export.save(torch.export.export(module, (x,), strict=False), folder / "model.pt2")
    with torch.no_grad():
        want = [a + np.float32(error) for a in arrays_of(module(x))]
    save_examples(folder, 1e-4, [{"input": [to_array(x)], "output": want}])
    return folder


def test_right_results_pass(tmp_path: Path) -> None:
    assert outcome.outcome_of(_export(tmp_path, Small())).kind == "pass"


def test_wrong_results_are_found(tmp_path: Path) -> None:
    found = outcome.outcome_of(_export(tmp_path, Small(), error=0.01))
    assert found.kind == "wrong" and "allowed 0.0001" in found.detail


def test_an_unknown_op_is_refused_with_a_code(tmp_path: Path) -> None:
    class Rare(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.special.bessel_j0(x)

    found = outcome.outcome_of(_export(tmp_path, Rare()))
    assert found.kind == "refused" and found.detail.startswith("error[E")


def test_a_process_that_dies_is_a_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "HERE", tmp_path)
    (tmp_path / "outcome.py").write_text("import os\nos.abort()\n")
    assert outcome.outcome_of(tmp_path).kind == "crashed"


def test_a_process_that_does_not_end_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "HERE", tmp_path)
    monkeypatch.setattr(outcome, "SECONDS", 1)
    (tmp_path / "outcome.py").write_text("import time\ntime.sleep(60)\n")
    assert outcome.outcome_of(tmp_path).kind == "hung"


@pytest.mark.parametrize(
    ("kind", "expected", "worse"),
    [
        ("pass", "refused", False),
        ("refused", "refused", False),
        ("refused", "pass", True),
        ("wrong", "refused", True),
        ("crashed", "pass", True),
        ("skipped", "pass", False),
    ],
)
def test_what_is_worse_than_the_table(kind: str, expected: str, worse: bool) -> None:
    assert outcome.Outcome(kind).is_worse_than(expected) is worse


def test_outcomes_of_another_build_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zoo_table, "OUTCOMES", tmp_path)
    zoo_table.note("a", "raw", outcome.Outcome("pass", build=outcome.build_of()))
    zoo_table.note("b", "raw", outcome.Outcome("pass", build="another"))
    assert list(zoo_table.noted()) == ["a"] and zoo_table.stale() == 1


def test_half_types_are_judged_by_float64() -> None:
    precise = np.linspace(1, 2, 7)
    torchs = (precise + 2e-3).astype(np.float16)
    example: dict[str, list[Array]] = {"output": [torchs], "precise": [precise]}
    assert not outcome._compare([(precise - 3e-3).astype(np.float16)], example, 1e-4)
    assert "against float64" in outcome._compare([(precise + 9e-3).astype(np.float16)], example, 1e-4)


@pytest.mark.parametrize(
    ("got", "want"),
    [
        (np.array([1, 2]), np.array([1, 3])),
        (np.array([1.0]), np.array([np.nan])),
        (np.array([np.inf]), np.array([-np.inf])),
        (np.array([1.0], np.float32), np.array([1.0])),
        (np.array([[1.0]]), np.array([1.0])),
        (np.array([1.0, 100.02]), np.array([1.0, 100.0])),
        (np.array([True]), np.array([False])),
    ],
)
def test_differences(got: Array, want: Array) -> None:
    assert difference(got, want, 1e-4)
    assert not difference(want, want, 0)


def test_a_torch_case_must_have_its_target() -> None:
    case = torch_case.Case(torch.relu, torch_case.T(3))
    torch_case.run("aten.relu.default", case)
    with pytest.raises(AssertionError, match="in no form of the program"):
        torch_case.run("aten.sin.default", case)


def test_a_torch_case_runs_at_other_sizes() -> None:
    case = torch_case.Case(torch.add, torch_case.T(4, 3), torch_case.T(4, 3), dynamic={0: {0: (2, 8)}, 1: {0: (2, 8)}})
    torch_case.run("aten.add.Tensor", case)
    fixed = torch_case.Case(lambda x: x.reshape(4, 3), torch_case.T(4, 3), dynamic={0: {0: (2, 8)}})
    with pytest.raises(AssertionError, match="is not dynamic"):
        torch_case.run("aten.reshape.default", fixed)


def test_an_onnx_case_finds_what_differs() -> None:
    onnx_case.run("Relu", onnx_case.Case([onnx_case.T(2, 3)], dynamic={0: {0: "n"}}))
    onnx_case.run("Add", onnx_case.Case([onnx_case.T(2, 3), onnx_case.W(3)], engine="ort"))
    with pytest.raises(AssertionError, match="error"):
        onnx_case.run(
            "Relu", onnx_case.Case([onnx_case.T(2, 3)], reference=lambda x: np.maximum(x, 0) + np.float32(0.1))
        )
