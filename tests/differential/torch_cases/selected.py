"""Ops whose result is as large as data decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from aten_calls import Cases
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
INT, BOOL = torch.int64, torch.bool
X, MASK, KEYS = T(3, 4), T(3, 4, dtype=BOOL), T(9, dtype=INT, high=4)
NOTHING = T(value=torch.zeros(3, 4))
BATCH = {0: {0: (2, 8)}}


def select(key: str, fn: Callable[..., Any], *args: T, dynamic: bool = False) -> None:
    CASES.setdefault(key, []).append(Case(fn, *args, dynamic=BATCH if dynamic else None))


for args in ([MASK], [NOTHING], [T(value=torch.tensor([0.0, float("nan"), -0.0, 2.0]))], [T(value=torch.tensor(3))]):
    select("aten.nonzero.default", aten.nonzero.default, *args)
    select("aten.argwhere.default", aten.argwhere.default, *args)
    select("aten.nonzero_numpy.default", aten.nonzero_numpy.default, *args)
    select("aten.where.default", aten.where.default, *args)
select("aten.nonzero.default", aten.nonzero.default, MASK, dynamic=True)

for size in (0, 3, 30):
    select("aten.nonzero_static.default", lambda x, size=size: aten.nonzero_static.default(x, size=size), MASK)
select("aten.nonzero_static.default", lambda x: aten.nonzero_static.default(x, size=4, fill_value=7), NOTHING)
select("aten.nonzero_static.default", lambda x: aten.nonzero_static.default(x, size=9), MASK, dynamic=True)

select("aten.masked_select.default", aten.masked_select.default, X, MASK)
select("aten.masked_select.default", aten.masked_select.default, X, T(4, dtype=BOOL))
select("aten.masked_select.default", aten.masked_select.default, T(4), MASK)

UNIQUE = "aten._unique2.default"
select(UNIQUE, lambda x: aten._unique2.default(x, True, True, True), T(3, 4, dtype=INT, high=4))
select(UNIQUE, lambda x: aten._unique2.default(x, True, True)[:2], KEYS)
select(UNIQUE, lambda x: aten._unique2.default(x, True, False, True)[::2], KEYS)
select(UNIQUE, lambda x: aten._unique2.default(x)[0], T(value=torch.tensor([2.0, float("nan"), -1.0, float("nan")])))
select(UNIQUE, lambda x: aten._unique2.default(x, True, True, True), T(dtype=INT))
for dim in (0, -1):
    select("aten.unique_dim.default", lambda x, dim=dim: aten.unique_dim.default(x, dim, True, True, True),
           T(5, 2, 3, dtype=INT, high=2))  # fmt: skip
select("aten.unique_dim.default", lambda x: aten.unique_dim.default(x, 1)[0], T(2, 9, dtype=INT, high=2))

CONSECUTIVE = "aten.unique_consecutive.default"
select(CONSECUTIVE, lambda x: aten.unique_consecutive.default(x, True, True), T(12, dtype=INT, high=2))
select(
    CONSECUTIVE, lambda x: aten.unique_consecutive.default(x)[0], T(value=torch.tensor([1.0, 1.0, float("nan")] * 2))
)
select(CONSECUTIVE, lambda x: aten.unique_consecutive.default(x, True, True, 1), T(2, 9, dtype=INT, high=2))

BINCOUNT = "aten.bincount.default"
select(BINCOUNT, aten.bincount.default, KEYS)
select(BINCOUNT, lambda x: aten.bincount.default(x, None, 9), KEYS)
select(BINCOUNT, aten.bincount.default, KEYS, T(9))
select(BINCOUNT, lambda x: aten.bincount.default(x, x), KEYS)

TIMES = T(4, dtype=INT, high=4)
select("aten.repeat_interleave.Tensor", aten.repeat_interleave.Tensor, TIMES)
select("aten.repeat_interleave.Tensor", lambda r: aten.repeat_interleave.Tensor(r, output_size=6),
       T(value=torch.tensor([1, 0, 3, 2])))  # fmt: skip
SELF = "aten.repeat_interleave.self_Tensor"
select(SELF, lambda x, r: aten.repeat_interleave.self_Tensor(x, r, 0), T(4, 3), TIMES)
select(SELF, lambda x, r: aten.repeat_interleave.self_Tensor(x, r, -1), T(2, 4), TIMES)
select(SELF, aten.repeat_interleave.self_Tensor, T(4), T(1, dtype=INT, high=4))
