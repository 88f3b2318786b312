"""Views by strides."""

from __future__ import annotations

from collections.abc import Callable

import torch
from aten_calls import Cases
from torch_case import Case, T

CASES: Cases = {}

X = T(4, 6)


def case(target: str, fn: Callable[..., object], *args: T, **options: object) -> None:
    CASES.setdefault(target, []).append(Case(fn, *args, **options))  # type: ignore[arg-type]


VIEWS = (
    ((4, 6), (6, 1), 0),  # the tensor itself
    ((24,), (1,), 0),
    ((6, 4), (1, 6), 0),  # its axes in another order
    ((2, 3, 4), (3, 1, 6), 0),
    ((3, 6), (6, 1), 6),  # a part
    ((3, 1, 5), (6, 1, 1), 1),
    ((5, 4, 6), (0, 6, 1), 0),  # repeated
    ((2, 6), (12, 1), 3),  # with gaps
    ((9, 4), (2, 1), 0),  # windows
    ((), (), 7),
    ((0, 3), (6, 1), 0),
    ((4,), (7,), 0),  # a diagonal
)
for size, stride, offset in VIEWS:
    case("aten.as_strided.default", lambda x, a=(size, stride, offset): x.as_strided(*a), X)
    case("aten.as_strided_copy.default", lambda x, a=(size, stride, offset): torch.as_strided_copy(x, *a), X)
    if 0 not in stride and stride != (2, 1):
        case(
            "aten.as_strided_scatter.default",
            lambda x, y, a=(size, stride, offset): torch.as_strided_scatter(x, y, *a),
            X,
            T(*size),
        )


def written(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    base = x * 2
    view = base.as_strided((2, 3), (12, 2), 1)
    view.mul_(3)
    base.add_(1)
    return base, view


case("aten.as_strided.default", written, X)
case("aten.as_strided.default", lambda x: x.t().as_strided((6, 4), (4, 1)), X)
case("aten.as_strided.default", lambda x: x[2:].as_strided((2, 2), (2, 2)), X)
case("aten.as_strided.default", lambda x: x[1].as_strided((2, 2), (2, 1), 8), X)
case("aten.as_strided.default", lambda z: z.as_strided((3, 2), (1, 3), 2), T(4, 6, dtype=torch.complex64))
# Sizes that only a run knows.
case("aten.as_strided.default", lambda x: x.as_strided((x.shape[0], 3), (6, 2)), X, dynamic={0: {0: (2, 9)}})
case("aten.as_strided.default", lambda x: x.as_strided((6, x.shape[0]), (1, 6)), X, dynamic={0: {0: (2, 9)}})
case("aten.as_strided.default", lambda x: x.as_strided((x.shape[0] - 3, 4), (1, 1)), T(9), dynamic={0: {0: (5, 20)}})
case("aten.as_strided.default", lambda x: x.as_strided(x.shape, x.stride()), X, dynamic={0: {0: (2, 9)}})
