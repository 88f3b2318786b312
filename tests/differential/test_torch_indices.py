"""Indices out of range in PyTorch's programs: what PyTorch refuses is E0919, evaluated and compiled."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sunmao
import torch
from onnx_case import evaluator
from sunmao.errors import Error
from torch.nn import functional
from torch_arrays import to_array

Call = Callable[[torch.Tensor], torch.Tensor]
X, U = torch.arange(12.0).reshape(4, 3), torch.ones(2, 3)


def of_column(call: Callable[[torch.Tensor], torch.Tensor]) -> Call:
    """A call whose index has the rank of the data."""
    return lambda i: call(i[:, None])


CALLS: dict[str, Call] = {
    "embedding": lambda i: functional.embedding(i, X),
    "index_select": lambda i: X.index_select(0, i),
    "gather": of_column(lambda i: X.gather(0, i)),
    "take_along_dim": of_column(lambda i: torch.take_along_dim(X, i, 0)),
    "take": lambda i: X.reshape(-1)[:4].take(i),
    "index": lambda i: X[i],
    "one_hot": lambda i: functional.one_hot(i, 4),
    "scatter": of_column(lambda i: X.scatter(0, i, 7.0)),
    "scatter_add": of_column(lambda i: X.scatter_add(0, i, U)),
    "scatter_reduce": of_column(lambda i: X.scatter_reduce(0, i, U, "mean", include_self=False)),
    "index_add": lambda i: X.index_add(0, i, U),
    "index_copy": lambda i: X.index_copy(0, i, U),
    "index_fill": lambda i: X.index_fill(0, i, 9.0),
    "index_put": lambda i: X.index_put((i,), U),
    "put": lambda i: X.reshape(-1)[:4].put(i, torch.ones(2)),
    "nll_loss": lambda i: functional.nll_loss(X[:2].repeat(1, 2)[:, :4], i),
}


class Function(torch.nn.Module):
    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call

    def forward(self, i: torch.Tensor) -> torch.Tensor:
        return self.call(i)


def outcome(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except Error as e:
        assert e.code == "E0919", e
    except (IndexError, RuntimeError):
        pass
    return None


@pytest.mark.parametrize("name", CALLS)
def test_what_pytorch_refuses(tmp_path: Path, name: str) -> None:
    good = torch.tensor([3, 1])
    program = torch.export.export(Function(CALLS[name]), (good,))
    torch.export.save(program, tmp_path / "m.pt2")
    runs = [evaluator(tmp_path / "m.pt2"), sunmao.compile(tmp_path / "m.pt2", threads=1).flat]
    for places in ([3, 1], [-1, 0], [0, 4], [-5, 0], [2, 99_999_999]):
        index = torch.tensor(places)
        want = outcome(lambda index=index: to_array(CALLS[name](index)))
        for run in runs:
            got = outcome(lambda run=run, index=index: run(to_array(index)))
            assert (got is None) == (want is None), index
            if want is not None:
                np.testing.assert_allclose(got[0] if isinstance(got, list | tuple) else got, want)


def test_a_full_cache(tmp_path: Path) -> None:
    class Cache(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("keys", torch.zeros(1, 4, 2))

        def forward(self, key: torch.Tensor, place: torch.Tensor) -> torch.Tensor:
            self.keys.index_copy_(1, place, key)
            return self.keys.sum(1)

    example = torch.ones(1, 1, 2), torch.tensor([0])
    torch.export.save(torch.export.export(Cache(), example), tmp_path / "m.pt2")
    model = sunmao.compile(tmp_path / "m.pt2", keep_state=True)
    for step in range(4):
        model(np.ones((1, 1, 2), "float32"), np.array([step]))
    with pytest.raises(Error) as error:
        model(np.ones((1, 1, 2), "float32"), np.array([4]))
    assert error.value.code == "E0919"


def test_squeezed_axes_that_a_run_would_decide(tmp_path: Path) -> None:
    class Squeeze(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x + 1).squeeze()

    n = torch.export.Dim("n", min=1, max=64)
    program = torch.export.export(Squeeze(), (torch.ones(3, 1, 2),), dynamic_shapes=({0: n},))
    torch.export.save(program, tmp_path / "m.pt2")
    for run in (evaluator(tmp_path / "m.pt2"), sunmao.compile(tmp_path / "m.pt2").flat):
        got = run(np.ones((5, 1, 2), "float32"))
        assert np.asarray(got[0] if isinstance(got, list | tuple) else got).shape == (5, 2)
        with pytest.raises(Error) as error:
            run(np.ones((1, 1, 2), "float32"))
        assert error.value.code in ("E0905", "E0906")
