"""Random ops. What is compared holds for all numbers that they may draw: bounds, order, what is certain, what is kept.
Distributions are in test_random_models.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from aten_calls import Cases, overload
from torch_case import Case, T

CASES: Cases = {}

INT, HALF, DOUBLE = torch.int64, torch.float16, torch.float64
BATCH = {0: {0: (2, 8)}}
Tensor = torch.Tensor


def within(low: float, high: float) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
    """Gives what is true of numbers in [low, high), and zeros of their shape and dtype."""
    return lambda y: ((y >= low) & (y < high), torch.where(y == y, 0, y))


def finite(y: Tensor) -> tuple[Tensor, Tensor]:
    return torch.isfinite(y), torch.where(torch.isfinite(y), 0, y)


def drawn(target: str, check: Callable[[Tensor], Any], *args: Any, **options: Any) -> None:
    """Adds a case of an op that takes no tensor."""
    op = overload(target)
    CASES.setdefault(target, []).append(Case(lambda x: (check(op(*args, **options)), x * 2), T(2)))


def of(target: str, check: Callable[..., Any], tensors: list[T], *args: Any, **options: Any) -> None:
    """Adds a case of an op on tensors; `check` is given the result and the tensors."""
    op = overload(target)
    CASES.setdefault(target, []).append(Case(lambda *x: check(op(*x, *args, **options), *x), *tensors))


def fills(name: str, check: Callable[[Tensor], Any], tensor: T, *args: Any) -> None:
    """Adds a case of an op that draws values for a tensor, and of the one in place, seen through a view."""
    op, in_place = overload(f"aten.{name}.default"), overload(f"aten.{name}_.default")
    CASES.setdefault(f"aten.{name}.default", []).append(Case(lambda x: check(op(x, *args)), tensor))

    def write(x: Tensor) -> Any:
        copy = x * 1
        view = copy.view(-1)
        in_place(copy, *args)
        return check(copy), (copy.view(-1) == view).all()

    CASES.setdefault(f"aten.{name}_.default", []).append(Case(write, tensor))


for dtype in (None, DOUBLE, HALF, torch.bfloat16):
    drawn("aten.rand.default", within(0, 1), [3, 4], dtype=dtype)
    drawn("aten.randn.default", finite, [3, 4], dtype=dtype)
    of("aten.rand_like.default", lambda y, x: within(0, 1)(y), [T(3, 4)], dtype=dtype)
    of("aten.randn_like.default", lambda y, x: finite(y), [T(3, 4)], dtype=dtype)
drawn("aten.rand.default", within(0, 1), [])
CASES["aten.rand.default"].append(Case(lambda x: within(0, 1)(torch.rand(x.shape[0], 2)), T(3, 2), dynamic=BATCH))
CASES["aten.randn_like.default"].append(Case(lambda x: finite(torch.randn_like(x)), T(3, 2), dynamic=BATCH))
for dtype in (None, torch.int8, torch.float32, torch.bool):
    drawn("aten.randint.default", within(0, 2), 2, [3, 4], dtype=dtype)
    drawn("aten.randint.low", within(1, 2), 1, 2, [3, 4], dtype=dtype)
drawn("aten.randint.low", within(1 << 40, 1 << 41), 1 << 40, 1 << 41, [3])
drawn("aten.randint.low", within(-(1 << 62), 1 << 62), -(1 << 62), (1 << 62) - 1, [3])
CASES["aten.randint.default"].append(
    Case(lambda x: (y := torch.randint(x.shape[0], (50,)), y < x.shape[0], y >= 0)[1:], T(3, 2), dynamic=BATCH)
)
of("aten.randint_like.default", lambda y, x: within(0, 9)(y), [T(3, 4)], 9)
of("aten.randint_like.default", lambda y, x: within(0, 9)(y), [T(3, 4)], 9, dtype=INT)
of("aten.randint_like.low_dtype", lambda y, x: within(-3, 9)(y), [T(3, 4, dtype=INT)], -3, 9)
drawn("aten.randperm.default", lambda y: y.sort()[0], 50)
drawn("aten.randperm.default", lambda y: y.sort()[0], 7, dtype=torch.int32)
drawn("aten.randperm.default", lambda y: y, 1)
CASES["aten.randperm.default"].append(Case(lambda x: torch.randperm(x.shape[0]).sort()[0], T(3, 2), dynamic=BATCH))

CERTAIN = T(value=torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]]))
for dtype in (torch.float32, HALF, DOUBLE):
    of("aten.bernoulli.default", lambda y, x: y, [T(value=torch.tensor([0.0, 1.0, 1.0], dtype=dtype))])
for p in (0.0, 1.0):
    of("aten.bernoulli.p", lambda y, x: y, [T(3, 4)], p)
of("aten.bernoulli.p", lambda y, x: (y == 0) | (y == 1), [T(3, 4)], 0.5)
of("aten.bernoulli.Tensor", lambda y, x, p: y, [T(2, 3, dtype=INT), CERTAIN])
of("aten.bernoulli.Tensor", lambda y, x, p: y, [T(2, 3), T(value=torch.tensor([0.0, 1.0, 1.0], dtype=DOUBLE))])
CASES["aten.bernoulli_.float"] = [Case(lambda x: (x * 1).bernoulli_(p=1.0) * x, T(3, 4))]
CASES["aten.bernoulli_.Tensor"] = [Case(lambda x, p: (x * 1).bernoulli_(p) * x, T(2, 3), CERTAIN)]
CASES["aten.bernoulli.p"].append(
    Case(lambda x: (x[:, :1] * 0).bernoulli(1.0) * x, T(3, 2), dynamic=BATCH),
)

NONE = T(3, low=0, high=0)
of("aten.normal.Tensor_Tensor", lambda y, m, s: y, [T(2, 3), NONE])
of("aten.normal.Tensor_Tensor", lambda y, m, s: torch.isfinite(y), [T(2, 1), T(3, positive=True)])
of("aten.normal.Tensor_float", lambda y, m: y, [T(2, 3)], 0.0)
of("aten.normal.Tensor_float", lambda y, m: finite(y), [T(2, 3, dtype=DOUBLE)])
CASES["aten.normal.float_Tensor"] = [Case(lambda s: torch.normal(2.5, s), NONE)]
drawn("aten.normal.float_float", lambda y: y, 2.5, 0.0, [2, 3])
drawn("aten.normal.float_float", finite, 2.5, 3.0, [2, 3], dtype=DOUBLE)
for dtype in (torch.float32, HALF, DOUBLE):
    tensor = T(3, 4, dtype=dtype)
    fills("uniform", within(0, 1), tensor)
    fills("uniform", within(-2, 3), tensor, -2.0, 3.0)
    fills("exponential", lambda y: y > 0, tensor, 2.0)
    fills("geometric", lambda y: (y >= 1, y == y.round()), tensor, 0.3)
    fills("log_normal", lambda y: y > 0, tensor)
    fills("random", lambda y: (y >= 0, y == y.round()), tensor)
fills("geometric", lambda y: (y >= 1, y * 0), T(3, 4, dtype=INT), 0.9)
fills("cauchy", finite, T(3, 4), 1.0, 2.0)
for dtype in (INT, torch.uint8, torch.int32, torch.bool):
    of("aten.random.default", lambda y, x: (y >= 0, y == y), [T(3, 4, dtype=dtype)])
of("aten.random.to", lambda y, x: within(0, 5)(y), [T(3, 4)], 5)
of("aten.random.to", lambda y, x: y, [T(3, 4, dtype=INT)], 1)
CASES["aten.random_.to"] = [Case(lambda x: (x * 1).random_(1), T(3, 4))]
CASES["aten.normal_.default"] = [
    Case(lambda x: ((y := x * 1).normal_(2.5, 0.0), y.t())[1], T(2, 3)),
    Case(lambda x: finite((x * 1).normal_()), T(2, 3, dtype=HALF)),
]
of("aten.normal_functional.default", lambda y, x: y, [T(2, 3)], 2.5, 0.0)

ONE_CLASS = T(value=torch.tensor([[0.0, 0.0, 3.0], [0.5, 0.0, 0.0]]))
of("aten.multinomial.default", lambda y, x: y, [ONE_CLASS], 1)
of("aten.multinomial.default", lambda y, x: y, [ONE_CLASS], 5, True)
of("aten.multinomial.default", lambda y, x: y.sort()[0], [T(2, 6, positive=True)], 6)
of("aten.multinomial.default", lambda y, x: y.sort()[0], [T(value=torch.tensor([0.1, 0.0, 0.2, 0.4]))], 3)
of("aten.multinomial.default", lambda y, x: y, [T(value=torch.tensor([0.0, 0.0, 2.0]))], 4, True)
CASES["aten.multinomial.default"].append(
    Case(lambda x: torch.multinomial(x.abs(), 3, True) < 4, T(3, 4), dynamic=BATCH),
)

# Dropout in training: what is kept is scaled, and each element is kept or dropped.
LARGE = T(40, 5, low=1, high=2)
IMAGE = T(6, 5, 3, 4, low=1, high=2)


def scaled(y: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    return torch.where(y == 0, x * 1.25, y), y.sum() < 1.25 * x.sum()


def whole_channels(y: Tensor, x: Tensor) -> tuple[Any, ...]:
    dropped = (y == 0).sum((2, 3))
    return *scaled(y, x), (dropped == 0) | (dropped == 12)


def shifted(y: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Of alpha dropout, for p = 0.2."""
    least = -1.7580993408473766
    factor = ((least * least * 0.2 + 1) * 0.8) ** -0.5
    kept = (x - least * 0.2) * factor
    dropped = (least - least * 0.2) * factor
    is_dropped = (y - dropped).abs() < 1e-5
    return torch.where(is_dropped, kept, y), is_dropped.any()


for name, check, tensor in (
    ("dropout", scaled, LARGE),
    ("feature_dropout", whole_channels, IMAGE),
    ("alpha_dropout", shifted, LARGE),
    ("feature_alpha_dropout", shifted, IMAGE),
):
    plain, in_place = overload(f"aten.{name}.default"), overload(f"aten.{name}_.default")
    for share, of_share in ((0.2, check), (0.0, lambda y, x: y), (1.0, lambda y, x: y)):
        CASES.setdefault(f"aten.{name}.default", []).append(
            Case(lambda x, op=plain, p=share, c=of_share: c(op(x, p, True), x), tensor, tol=1e-4)
        )
        CASES.setdefault(f"aten.{name}_.default", []).append(
            Case(lambda x, op=in_place, p=share, c=of_share: c(op(x * 1, p, True), x), tensor, tol=1e-4)
        )
# The result of dropout in training is a new tensor: writes to it do not change what it came from.
CASES["aten.dropout.default"] += [
    Case(lambda x: (y := x * 1, torch.dropout(y, 0.2, True).mul_(0), y)[1:], LARGE),
    Case(lambda x: (y := x * 1, torch.dropout(y, 0.2, False).mul_(0), y)[1:], LARGE),
    Case(lambda x: scaled(torch.dropout(x, 0.2, True), x), T(40, 2, low=1, high=2), dynamic={0: {0: (2, 99)}}),
]
CASES["aten.native_dropout.default"] = [
    Case(lambda x: (r := torch.native_dropout(x, 0.2, True), scaled(r[0], x), (r[0] != 0) == r[1])[1:], LARGE),
    Case(lambda x: torch.native_dropout(x, 1.0, True), LARGE),
    Case(lambda x: torch.native_dropout(x, 0.0, True), LARGE),
]


def slopes(y: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    slope = y / x
    return torch.where(x > 0, y, 0), (x > 0) | ((slope > 0.1249) & (slope < 0.3334))


CASES["aten.rrelu.default"] = [Case(lambda x: slopes(torch.rrelu(x, training=True), x), T(40))]
CASES["aten.rrelu_.default"] = [Case(lambda x: slopes(torch.rrelu_(x * 1, training=True), x), T(40))]
CASES["aten.rrelu_with_noise_functional.default"] = [
    Case(lambda x: slopes(torch.rrelu(x, training=True), x), T(40)),
    Case(lambda x: torch.rrelu(x, training=False), T(40)),
]
