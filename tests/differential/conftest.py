"""Keeps PyTorch to one thread, as pytest-xdist has a process for each core; the fixture of torch.compile's tests."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import sunmao
import torch
from sunmao import torch_backend

torch.set_num_threads(1)


@pytest.fixture
def fresh_graphs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Gives a test of torch.compile a cache of its own, and counts from zero; graphs that are refused fail it."""
    monkeypatch.setenv("SUNMAO_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(torch_backend, "statistics", torch_backend.Statistics())
    torch._dynamo.reset()
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", sunmao.CompileWarning)
        yield
