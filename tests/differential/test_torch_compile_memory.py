"""Under torch.compile arguments and results lie in memory as they do in eager mode: views, strides, writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from sunmao import torch_backend
from torch import nn
from torch_compiled import agree, compiled, counts

pytestmark = pytest.mark.usefixtures("fresh_graphs")


def chunks(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x.chunk(2, -1)[1], x[:, x.shape[1] // 2 :], x.transpose(0, 2), x + 1


def views_of_a_result(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x.transpose(0, 1) + 1
    return y, y.transpose(0, 1).reshape(-1), y[:, y.shape[1] // 2 :], y.transpose(0, 1).view(x.shape[0], -1)


def views_of_complex_numbers(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    z = torch.complex(x, x + 1)
    return z, torch.view_as_real(z)[:, x.shape[1] // 2 :], z[..., 1:].mT


def repeats(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return x.expand(3, *x.shape), x.unsqueeze(0).expand(x.shape[1], -1, -1, -1)


@pytest.mark.parametrize("function", [chunks, views_of_a_result, views_of_complex_numbers, repeats])
@pytest.mark.parametrize("dynamic", [False, True])
def test_views_share_the_memory_that_they_share_in_pytorch(function: Callable[..., Any], dynamic: bool) -> None:
    """They have the sizes, strides and offsets that they have there, so that more can be written through them."""
    module = compiled(function, dynamic=dynamic)
    for rows in [3, 5]:
        mine = torch.randn(rows, 4, 6)
        theirs = mine.clone()
        got, want = module(mine), function(theirs)
        for x, y in zip(got, want, strict=True):
            assert x.stride() == y.stride() and x.storage_offset() == y.storage_offset()
            torch.testing.assert_close(x, y)
        if function is not repeats:  # of which several elements are one
            for results in [got, want]:
                results[0][..., 0].fill_(7)
        torch.testing.assert_close(mine, theirs)
        for x, y in zip(got, want, strict=True):
            torch.testing.assert_close(x, y)


@pytest.mark.parametrize("dynamic", [False, True])
def test_results_have_the_order_of_eager_mode(dynamic: bool) -> None:
    def function(x: torch.Tensor, image: torch.Tensor) -> tuple[torch.Tensor, ...]:
        turned = x.transpose(1, 2) * 2
        torch._dynamo.graph_break()
        joined = turned.transpose(1, 2).view(x.shape[0], -1)  # which is no view of a tensor in row-major order
        return joined, turned, (x + 1).transpose(0, 1), torch.relu(image), x.mT.contiguous(), torch.complex(x, x).mT

    module = compiled(function, dynamic=dynamic)
    for rows in [3, 5]:
        image = torch.randn(rows, 4, 6, 7).to(memory_format=torch.channels_last)
        args = torch.randn(rows, 4, 6), image
        got, want = module(*args), function(*args)
        for x, y in zip(got, want, strict=True):
            assert x.stride() == y.stride()
            torch.testing.assert_close(x, y)


def test_gradients_pass_through_views() -> None:
    def function(x: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        y = x @ w.T
        return y, y[:, y.shape[1] // 2 :].transpose(0, 1)

    module = compiled(function, dynamic=True)
    for rows in [3, 5]:
        x, w = torch.randn(rows, 8), torch.randn(6, 8)
        grads = []
        for call in [module, function]:
            leaf, weight = x.clone().requires_grad_(), w.clone().requires_grad_()
            first, second = call(leaf, weight)
            (first.sum() + (second * second).sum()).backward()
            grads.append((first, second, leaf.grad, weight.grad))
        torch.testing.assert_close(grads[0], grads[1])


def test_layouts_of_arguments_do_not_matter() -> None:
    module = nn.Conv2d(3, 8, 3).eval()
    made = compiled(module)
    with torch.no_grad():
        agree(module, made, torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last))
        agree(module, made, torch.randn(2, 8, 8, 3).permute(0, 3, 1, 2)[:, :, ::2])
    assert counts()[2] == 0


def test_contiguous_arguments_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    made = compiled(lambda x: x + 1)
    x = torch.randn(4, 4)
    made(x)
    taken: list[Any] = []
    convert = torch_backend.to_tensor
    monkeypatch.setattr(torch_backend, "to_tensor", lambda value: taken.append(convert(value)) or taken[-1])
    result = made(x)
    assert [t.numpy().ctypes.data for t in taken] == [x.data_ptr()]
    torch.testing.assert_close(result, x + 1)


def test_arguments_that_a_function_writes() -> None:
    def append(cache: torch.Tensor, row: torch.Tensor, at: int) -> torch.Tensor:
        cache[at] = row * 2
        return cache.sum(0)

    made = compiled(append, dynamic=True)
    mine, theirs = torch.zeros(6, 4), torch.zeros(6, 4)
    for at in (2, 4, 5):
        row = torch.randn(4)
        torch.testing.assert_close(made(mine, row, at), append(theirs, row, at))
        torch.testing.assert_close(mine, theirs)
    assert counts()[2] == 0
