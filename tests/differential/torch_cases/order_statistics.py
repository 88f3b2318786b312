"""Medians of numbers, and the most frequent elements."""

from __future__ import annotations

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

INT, BOOL = torch.int64, torch.bool
X = T(3, 4, 5)
TIES = T(4, 6, dtype=INT, low=0, high=3)
_nan = float("nan")
NAN = T(value=torch.tensor([[1.0, _nan, 2.0, 4.0], [_nan, 5.0, _nan, 3.0], [7.0, 6.0, -1.0, 0.5]]))
ROWS_OF_NAN = T(value=torch.tensor([[_nan, _nan], [1.0, _nan]]))
BATCH = {0: {0: (2, 8)}}

for spec in (
    X,
    NAN,
    ROWS_OF_NAN,
    T(7, dtype=INT, high=99),
    T(),
    T(5, dtype=torch.float16),
    T(2, 3, dtype=torch.float64),
):
    add(CASES, "aten.nanmedian.default", [spec])
for args in ((1,), (-1, True), (0,)):
    add(CASES, "aten.nanmedian.dim", [X], *args)
    add(CASES, "aten.nanmedian.dim", [NAN], *args)
CASES["aten.nanmedian.dim"] += [
    Case(lambda x: torch.nanmedian(x, 1)[0], ROWS_OF_NAN),  # of equal elements, and of none, the place is open
    Case(lambda x: torch.nanmedian(x, 1)[0], TIES),
    Case(lambda x: tuple(torch.nanmedian(x, 1)), T(3, 5), dynamic=BATCH),
    Case(lambda x: tuple(torch.nanmedian(x, 0)), T(3, 5), dynamic=BATCH),
    Case(lambda x: tuple(torch.nanmedian(x, 0)), T()),
]
add(CASES, "aten.nanmedian.dim", [T(value=torch.tensor([[3, 1, 2], [9, 7, 8]]))], 1)

for spec in (X, TIES, T(3, 9, dtype=BOOL), T(4, 5, 6, dtype=torch.int32, high=4), T()):
    add(CASES, "aten.mode.default", [spec])
for args in ((1,), (0, True), (-2, False)):
    add(CASES, "aten.mode.default", [T(4, 7, dtype=INT, low=-2, high=2)], *args)
    add(CASES, "aten.mode.default", [X], *args)
CASES["aten.mode.default"] += [
    Case(lambda x: tuple(torch.mode(x.round(), 1)), T(3, 9), dynamic=BATCH),
    Case(lambda x: tuple(torch.mode(x, 1)), T(value=torch.full((2, 3), _nan))),
    Case(lambda x: tuple(torch.mode(x, 1)), T(value=torch.tensor([[float("inf"), 1.0, float("inf")]]))),
]
