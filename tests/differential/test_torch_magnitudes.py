"""Ops of PyTorch on numbers of all magnitudes, from denormal to the largest, infinities and NaN, in float16, bfloat16
and float32: what PyTorch computes in one op has the precision that PyTorch gives it.

A result is right that lies within two units in the last place of PyTorch's, or of what PyTorch computes in float64: in
narrow floats PyTorch rounds between the steps of some ops, which compiled code need not do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sunmao
import torch
import torch.nn.functional as F
from comparing import Array, outputs_of
from torch_arrays import tensors_of, to_array

Function = Callable[[torch.Tensor, torch.Tensor], Any]
HALVES = (torch.float16, torch.bfloat16)
# The exponents of the least denormal and the largest number, and the bits of the fraction.
FORMATS = {torch.float16: (-24, 15, 10), torch.bfloat16: (-133, 127, 7), torch.float32: (-149, 127, 23)}

NUMBERS: dict[str, Function] = {
    "times": lambda x, y: (x * 0.1, x * 1.1, 0.3 * x),
    "over": lambda x, y: (x / 0.1, x / 0.3, 0.3 / x),
    "more": lambda x, y: (x + 0.1, x - 1.1, 0.3 - x),
    "quotient down": lambda x, y: (torch.div(x, 0.1, rounding_mode="floor"), x // 0.3),
    "quotient cut": lambda x, y: torch.div(x, 0.1, rounding_mode="trunc"),
    "threshold": lambda x, y: (F.threshold(x, 0.1, 7.0), F.threshold(x, -0.3, 0.3)),
    "shrink": lambda x, y: (F.hardshrink(x, 0.3), F.softshrink(x, 0.3)),
    "limits": lambda x, y: (F.hardtanh(x, -0.3, 0.1), x.clamp(-0.1, 1.1)),
    "leaky": lambda x, y: (F.leaky_relu(x, 0.1), F.elu(x, 0.3), F.celu(x, 1.1), F.selu(x)),
    "angles": lambda x, y: (torch.deg2rad(x), torch.rad2deg(x)),
}
PARTS: dict[str, Function] = {
    "alpha": lambda x, y: (torch.add(x, y, alpha=1.1), torch.sub(x, y, alpha=0.3)),
    "lerp": lambda x, y: (torch.lerp(x, y, 0.3), torch.lerp(x, y, 0.7), torch.lerp(x, y, 1.0)),
    "addc": lambda x, y: (torch.addcmul(x, x, y, value=1.1), torch.addcdiv(x, x, y, value=0.3)),
    "two": lambda x, y: (torch.atan2(x, y), torch.hypot(x, y), torch.copysign(x, y)),
    "rests": lambda x, y: (torch.fmod(x, y), torch.remainder(x, y), torch.div(x, y, rounding_mode="floor")),
    "tails": lambda x, y: (torch.erfc(x), torch.special.erfc(y * 3), torch.expm1(x), torch.log1p(x)),
    "logarithms": lambda x, y: (torch.logaddexp(x, y), torch.logaddexp2(x, y), torch.xlogy(x, y)),
    "soft": lambda x, y: (F.softplus(x), F.logsigmoid(x), F.mish(x), F.silu(x), torch.sigmoid(x)),
    "hard": lambda x, y: (F.hardswish(x), F.hardsigmoid(x), F.relu6(x)),
    "gates": lambda x, y: (F.glu(torch.cat([x, y], -1)), F.gelu(x), F.gelu(x, approximate="tanh")),
    "unary": lambda x, y: (x.reciprocal(), x.square(), x.frac(), x.nan_to_num(), x.sign(), x.round(decimals=1)),
    "likelihoods": lambda x, y: (
        F.poisson_nll_loss(x, y.abs(), reduction="none"),
        F.soft_margin_loss(x, y.sign(), reduction="none"),
        F.binary_cross_entropy(x.sigmoid().nan_to_num(0.5), y.sigmoid().nan_to_num(0.5), reduction="none"),
    ),
    "losses": lambda x, y: (
        F.l1_loss(x, y, reduction="none"),
        F.smooth_l1_loss(x, y, reduction="none", beta=0.7),
        F.huber_loss(x, y, reduction="none", delta=0.7),
    ),
}
ROWS: dict[str, Function] = {
    "means": lambda x, y: (x.mean(-1), x.softmax(-1), x.log_softmax(-1)),
    "norms": lambda x, y: (x.norm(dim=-1), torch.linalg.vector_norm(x, 3, -1), torch.linalg.matrix_norm(x)),
    "distances": lambda x, y: (F.pairwise_distance(x, y), torch.dist(x, y), torch.dist(x, y, p=1)),
    "cosine": lambda x, y: F.cosine_similarity(x, y, dim=-1),
    "sums of exp": lambda x, y: (x.logsumexp(-1), x.logcumsumexp(-1)),
    "layers": lambda x, y: (F.rms_norm(x, (6,)), F.rms_norm(x, (6,), eps=1e-3), F.layer_norm(x, (6,))),
    "spread": lambda x, y: (x.std(-1), x.var(-1)),
    "weight norm": lambda x, y: torch._weight_norm(x, y[:, :1], 0),
}
# Sums of squares stay within float32, and what cancels is compared at this scale at least.
ROW_EXPONENTS, CANCELLING = (-60, 60), {"cosine": 0.25, "likelihoods": 4.0}
CASES = [
    *((name, NUMBERS[name], t) for name in NUMBERS for t in HALVES),
    *((name, PARTS[name], t) for name in PARTS for t in FORMATS),
    *((name, ROWS[name], t) for name in ROWS for t in HALVES),
]


class Applied(torch.nn.Module):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
        return self.fn(x, y)


def drawn(dtype: torch.dtype, generator: torch.Generator, limits: tuple[int, int]) -> torch.Tensor:
    """Draws 48 rows of 6 numbers: of all magnitudes, of magnitudes that lie together, near 1, and with special ones."""
    lowest, highest = max(FORMATS[dtype][0], limits[0]), min(FORMATS[dtype][1], limits[1])

    def draw(low: float, high: float, *shape: int) -> torch.Tensor:
        return torch.rand(shape, generator=generator, dtype=torch.float64) * (high - low) + low

    exponents = torch.cat([draw(lowest, highest, 16, 6), draw(lowest, highest, 16, 1) + draw(-2, 2, 16, 6)])
    wide = torch.exp2(exponents.clamp(lowest, highest + 0.99))
    sign = torch.where(draw(0, 1, 48, 6) < 0.5, -1.0, 1.0)
    x = (torch.cat([wide, draw(0, 3, 16, 6)]) * sign).to(dtype)
    special = torch.tensor([float("inf"), -float("inf"), float("nan"), 0.0, -0.0, 2.0**lowest], dtype=dtype)
    x[46] = special
    x[47, 1:3] = special[:2]
    return x


def spacing(values: Array, dtype: torch.dtype) -> Array:
    lowest, highest, bits = FORMATS[dtype]
    finite = np.where(np.isfinite(values) & (values != 0), np.abs(values), 2.0**lowest)
    return np.maximum(np.exp2(np.clip(np.floor(np.log2(finite)), lowest, highest) - bits), 2.0**lowest)


def near(got: Array, want: Array, scale: Array, dtype: torch.dtype, spacings: float) -> Array:
    with np.errstate(invalid="ignore"):
        close = np.abs(got - want) <= np.maximum(spacings * spacing(want, dtype), spacing(scale, dtype))
    return close | (got == want) | (np.isnan(got) & np.isnan(want))


@pytest.mark.parametrize(("name", "fn", "dtype"), CASES, ids=[f"{name}-{str(t)[6:]}" for name, _, t in CASES])
def test_magnitudes(name: str, fn: Function, dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(len(name))
    limits = ROW_EXPONENTS if name in ROWS else (-1100, 1100)
    x, y = drawn(dtype, generator, limits), drawn(dtype, generator, limits)[torch.randperm(48, generator=generator)]
    module = Applied(fn)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = sunmao.compile(module, (x, y), opt_level=1, threads=1)
        given = [to_array(t).astype(np.float64) for t in tensors_of(module(x, y))]
        precise = [to_array(t.to(dtype)).astype(np.float64) for t in tensors_of(module(x.double(), y.double()))]
    got = [a.astype(np.float64) for a in outputs_of(model(to_array(x), to_array(y)))]
    assert len(got) == len(given)
    spacings = 2 if dtype in HALVES else 8
    for i, (a, b, c) in enumerate(zip(got, given, precise, strict=True)):
        # In float32, steps may round once or twice: what cancels is compared at the scale of the first operand.
        scale = np.full(b.shape, CANCELLING.get(name, 0.0))
        if dtype == torch.float32 and b.shape == tuple(x.shape):
            scale = to_array(x).astype(np.float64)
        right = near(a, b, scale, dtype, spacings) | near(a, c, scale, dtype, spacings)
        places = [tuple(int(k) for k in p) for p in np.argwhere(~right)[:5]]
        found = [f"{p}: {a[p]} for {b[p]} (float64: {c[p]}) of {x[p[:2]]}, {y[p[:2]]}" for p in places]
        assert right.all(), f"result {i}, {np.count_nonzero(~right)} of {right.size} wrong: " + "; ".join(found)
