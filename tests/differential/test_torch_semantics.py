"""What tests/ops states with NumPy about compositions and float8 is what PyTorch computes."""

import numpy as np
import pytest
import torch
from compositions import REDUCTIONS, batch_norm, close, computed, floats, scatter_reduce
from test_small_dtypes import FLOAT8, bits, both, many_floats, module


def test_batch_norm_in_training() -> None:
    x, (gamma, beta, mean), var = floats(2, 3, 4, 4), floats(3, 3, seed=1), np.abs(floats(3, seed=2)) + 1
    got = computed(batch_norm, x, gamma, beta, mean, var)
    running = [torch.tensor(mean), torch.tensor(var)]
    tensors = [torch.tensor(a) for a in (x, gamma, beta)]
    out = torch.ops.aten._native_batch_norm_legit(*tensors, *running, True, 0.25, 1e-3)
    for a, b in zip(got, [out[0], *running, *out[1:]], strict=True):
        close(a, b.numpy())


@pytest.mark.parametrize("with_self", [True, False])
@pytest.mark.parametrize("kind", REDUCTIONS)
def test_scatter_reduce(kind: str, with_self: bool) -> None:
    x, src = floats(3, 2), floats(4, 2, seed=1)
    index = np.array([[0, 2], [0, 2], [1, 2], [0, 2]])
    given = torch.tensor(x), torch.tensor(index), torch.tensor(src)
    want = given[0].scatter_reduce(0, given[1], given[2], kind, include_self=with_self)
    close(computed(scatter_reduce(kind, with_self), x, index, src), want.numpy())


@pytest.mark.parametrize("name", [name for name in FLOAT8 if hasattr(torch, name)])
def test_codes_of_float8(name: str) -> None:
    x = many_floats()
    expected = torch.from_numpy(x).to(getattr(torch, name)).view(torch.uint8).numpy()
    for got in both(module("float32", name, len(x)), x):
        np.testing.assert_array_equal(bits(got), expected)
