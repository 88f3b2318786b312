"""Functions and modules under torch.compile with Sunmao as its backend give what PyTorch gives."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
import torch.utils._pytree as pytree
from sunmao import torch_backend
from torch import nn
from torch_compiled import Layers, agree, compiled, counts

pytestmark = pytest.mark.usefixtures("fresh_graphs")


def test_a_module_returns_what_it_returned() -> None:
    module = Layers().eval()
    x = torch.randn(3, 8)
    with torch.no_grad():
        made = compiled(module)
        agree(module, made, x)
        assert made(x)["x"] is x
    assert counts() == (1, 0, 0)


def test_sizes_and_integers_change_without_compiling_again() -> None:
    module = Layers().eval()
    made = compiled(module, dynamic=True)
    with torch.no_grad():
        for rows, scale in [(3, 5), (5, 7), (9, 2), (5, -2), (4, 0)]:
            agree(module, made, torch.randn(rows, 8), scale)
    assert counts() == (1, 0, 0)


def test_weights_that_change_are_prepared_again() -> None:
    module = Layers().eval()
    made = compiled(module)
    x = torch.randn(3, 8)
    with torch.no_grad():
        agree(module, made, x)
        module.a.weight.mul_(2)
        agree(module, made, x)
        module.load_state_dict({name: value + 1 for name, value in module.state_dict().items()})
        agree(module, made, x)
        module.b.weight.data = torch.randn(64, 64)
        agree(module, made, x)
    assert counts() == (1, 0, 0)


def test_weights_are_taken_as_they_are_where_nothing_is_frozen() -> None:
    module = Layers().eval()
    made = compiled(module, options={"freeze": False})
    x = torch.randn(3, 8)
    with torch.no_grad():
        agree(module, made, x)
        module.a.weight.data.mul_(2)  # what counts no writes
        agree(module, made, x)
    assert counts() == (1, 0, 0)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("dynamic", [False, None])
def test_attention(causal: bool, dynamic: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    capture = torch_backend.captured

    def watched(module: Any, *rest: Any) -> Any:
        seen.extend(str(node.target) for node in module.graph.nodes if "attention" in str(node.target))
        return capture(module, *rest)

    def attention(x: torch.Tensor) -> torch.Tensor:
        return nn.functional.scaled_dot_product_attention(x, x * 2, x + 1, is_causal=causal)

    monkeypatch.setattr(torch_backend, "captured", watched)
    module = compiled(attention, dynamic=dynamic)
    for rows in [16, 9]:
        agree(attention, module, torch.randn(2, 4, rows, 8))
    assert set(seen) == {"aten._scaled_dot_product_flash_attention_for_cpu.default"}
    seen.clear()
    for rows in [16, 9]:
        x = torch.randn(2, 4, rows, 8)
        leaves = [x.clone().requires_grad_() for _ in range(2)]
        for call, leaf in zip([attention, module], leaves, strict=True):
            (call(leaf) ** 2).sum().backward()
        torch.testing.assert_close(leaves[0].grad, leaves[1].grad, rtol=1e-4, atol=1e-4)
    assert not seen, "its gradient is known of its parts"


def test_gradients() -> None:
    module = Layers()
    other = copy.deepcopy(module)
    made = compiled(other)
    x = torch.randn(6, 8)
    for _ in range(2):
        for m, call in ((module, module), (other, made)):
            m.zero_grad()
            call(x)["y"].sum().backward()
            torch.optim.SGD(m.parameters(), 1e-3).step()
        for p, q in zip(module.parameters(), other.parameters(), strict=True):
            torch.testing.assert_close(p, q, rtol=1e-4, atol=1e-4)
    assert counts() == (2, 0, 0)  # forward and backward


def test_statistics_of_batch_norms_are_written() -> None:
    module = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU()).train()
    other = copy.deepcopy(module)
    x = torch.randn(4, 3, 9, 9)
    with torch.no_grad():
        agree(module, compiled(other), x)
    for (name, value), found in zip(module.state_dict().items(), other.state_dict().values(), strict=True):
        torch.testing.assert_close(found, value, msg=lambda text, name=name: f"{name}: {text}")
    assert counts() == (1, 0, 0)


def test_graphs_break() -> None:
    seen = []

    def broken(x: torch.Tensor) -> torch.Tensor:
        y = torch.sin(x) * 2
        seen.append(float(y.sum()))  # a graph break
        return y @ y.t() if seen[-1] > 0 else y + 1

    made = compiled(broken)
    agree(broken, made, torch.ones(3, 4))
    agree(broken, made, -torch.ones(3, 4))
    assert len(seen) == 4 and counts()[0] >= 2 and counts()[2] == 0


def test_complex_numbers_and_constants() -> None:
    table = torch.arange(12.0).reshape(3, 4)

    def spectrum(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.fft.rfft(x) * 2, x @ table.t() + torch.tensor([1.0, 2.0, 3.0])

    agree(spectrum, compiled(spectrum), torch.randn(5, 4))
    assert counts() == (1, 0, 0)


@pytest.mark.parametrize("name", ["bert", "resnet50", "lstm", "llama"])
def test_whole_models(name: str) -> None:
    from models import entries

    built = entries()[name].build()
    made = compiled(built.module)
    with torch.no_grad():
        got = pytree.tree_leaves(made(*built.args, **built.kwargs))
        want = pytree.tree_leaves(built.module(*built.args, **built.kwargs))
    for x, y in zip(got, want, strict=True):
        torch.testing.assert_close(x, y, rtol=1e-3, atol=1e-4)
    assert counts()[2] == 0
