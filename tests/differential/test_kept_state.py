"""State of PyTorch modules that sessions keep: a KV cache and running statistics, against the modules themselves."""

from pathlib import Path

import numpy as np
import pytest
import sunmao
import torch

POSITIONS, HEADS, WIDTH = 16, 2, 8


class Attention(torch.nn.Module):
    """One step of attention over a cache that it writes at a position."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = torch.nn.Linear(HEADS * WIDTH, 3 * HEADS * WIDTH)
        for name in ("k", "v"):
            self.register_buffer(name, torch.zeros(1, HEADS, POSITIONS, WIDTH))

    def forward(self, x: torch.Tensor, at: torch.Tensor) -> torch.Tensor:
        q, k, v = (t.view(1, HEADS, 1, WIDTH) for t in self.qkv(x).chunk(3, dim=-1))
        self.k.index_copy_(2, at, k)
        self.v.index_copy_(2, at, v)
        seen = (torch.arange(POSITIONS) <= at)[None, :]
        return torch.nn.functional.scaled_dot_product_attention(q, self.k, self.v, seen)


class Statistics(torch.nn.Module):
    """Normalises by statistics that each call updates."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("var", torch.ones(4))
        self.register_buffer("count", torch.tensor(0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        self.var.mul_(0.9).add_(x.var(0), alpha=0.1)
        self.count += 1
        return (x - self.mean) / torch.sqrt(self.var + 1e-5)


def close(got: np.ndarray, expected: torch.Tensor) -> None:
    np.testing.assert_allclose(got, expected.detach().numpy(), rtol=1e-5, atol=1e-5)


@torch.no_grad()
def test_a_KV_cache(tmp_path: Path) -> None:
    torch.manual_seed(1)
    module = Attention().eval()
    step = (torch.randn(1, HEADS * WIDTH), torch.tensor([0]))
    model = sunmao.compile(module, step, keep_state=True)
    assert sorted(info.name for info in model.kept_states) == ["k", "v"]
    fork = None
    for at in range(POSITIONS):
        x = torch.randn(1, HEADS * WIDTH)
        close(model(x, torch.tensor([at])), module(x, torch.tensor([at])))
        if at == POSITIONS // 2:
            fork = model.copy()
            model.save_state(tmp_path / "cache")
            half = module.k.clone()
    state = model.state()
    close(state["k"], module.k)
    close(state["v"], module.v)
    assert fork is not None
    close(fork.state()["k"], half)
    model.load_state(tmp_path / "cache")
    close(model.state()["k"], half)
    model.reset_state()
    assert not model.state()["v"].any()


@torch.no_grad()
def test_an_artifact_of_a_program_file(tmp_path: Path) -> None:
    module = Attention().eval()
    step = (torch.randn(1, HEADS * WIDTH), torch.tensor([0]))
    torch.export.save(torch.export.export(module, step), tmp_path / "step.pt2")
    made = sunmao.compile(tmp_path / "step.pt2", keep_state=True)
    assert made.states == {}
    made.save(tmp_path / "step.sunmao")
    model = sunmao.load(tmp_path / "step.sunmao")
    for at in range(3):
        x = torch.randn(1, HEADS * WIDTH)
        close(model(x, torch.tensor([at])), module(x, torch.tensor([at])))


@torch.no_grad()
@pytest.mark.parametrize("keep_state", [True, None])
def test_running_statistics(keep_state: bool | None) -> None:
    torch.manual_seed(2)
    module, reference = Statistics(), Statistics()
    model = sunmao.compile(module, (torch.randn(6, 4),), keep_state=keep_state)
    for _ in range(5):
        x = 3 * torch.randn(6, 4) + 1
        close(model(x), reference(x))
    got = model.state()
    close(got["mean"], reference.mean)
    close(got["var"], reference.var)
    assert int(got["count"]) == 5
    model.reset_state()
    np.testing.assert_array_equal(model.state()["var"], np.ones(4, "float32"))


class WritesParameter(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(3), requires_grad=False)
        self.register_buffer("c", torch.ones(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.w.add_(x)
        self.c.add_(self.w)
        return self.c.clone()


@torch.no_grad()
@pytest.mark.parametrize("keep_state", [True, None])
def test_a_parameter_that_is_written(keep_state: bool | None) -> None:
    x = torch.ones(3)
    module = WritesParameter()
    model = sunmao.compile(WritesParameter(), (x,), keep_state=keep_state)
    for _ in range(3):
        close(model(x), module(x))
