"""The zoo's exports: what no exporter writes is left out, and a model that does not run in PyTorch is an error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import export
import pytest
import torch
from models import Built, Entry


class Broken(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.reshape(7)


def unbuildable() -> Built:
    raise TypeError("no such option")


@pytest.mark.parametrize(
    ("builder", "error"),
    [(unbuildable, TypeError), (lambda: Built(Broken().eval(), (torch.zeros(3),)), RuntimeError)],
)
def test_a_model_that_does_not_run_is_an_error(
    builder: Callable[[], Built], error: type[Exception], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "folder_of", lambda entry, form: tmp_path / f"{entry.name}.{form}")
    with pytest.raises(error):
        export.export(Entry("broken", "hand", builder), "core")
    assert not list(tmp_path.iterdir())
