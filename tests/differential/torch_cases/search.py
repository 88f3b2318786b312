"""Places of elements, and orders of size."""

from __future__ import annotations

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

INT, BOOL = torch.int64, torch.bool
X = T(3, 4, 5)
TIES = T(4, 6, dtype=INT, low=0, high=3)
NAN = T(value=torch.tensor([[1.0, float("nan"), 2.0], [3.0, 5.0, 4.0]]))
BATCH = {0: {0: (2, 8)}}

for name in ("argmax", "argmin"):
    for args in ((), (1,), (-1, True), (0, False)):
        add(CASES, f"aten.{name}.default", [X], *args)
    for spec in (TIES, NAN):
        add(CASES, f"aten.{name}.default", [spec], 1)
    add(CASES, f"aten.{name}.default", [T()])
for name in ("max", "min"):
    for args in ((1,), (-1, True)):
        add(CASES, f"aten.{name}.dim", [X], *args)
    for spec in (TIES, NAN, T(3, 3, dtype=BOOL)):
        add(CASES, f"aten.{name}.dim", [spec], 1)
    add(CASES, f"aten.{name}.dim", [T()], 0)
CASES["aten.max.dim"].append(Case(lambda x: torch.ops.aten.max.dim(x, 0), T(3, 2), dynamic=BATCH))
for args in ((), (0,), (1, True)):
    add(CASES, "aten.sort.default", [X], *args)
    add(CASES, "aten.argsort.default", [X], *args)
add(CASES, "aten.sort.default", [NAN], 1)
add(CASES, "aten.sort.default", [T(9, dtype=BOOL)])
add(CASES, "aten.sort.default", [T()])
for descending in (False, True):
    add(CASES, "aten.sort.stable", [TIES], stable=True, dim=0, descending=descending)
    add(CASES, "aten.argsort.stable", [TIES], stable=True, dim=1, descending=descending)
add(CASES, "aten.msort.default", [X])
for args in ((2,), (3, 0), (2, -2, False)):
    add(CASES, "aten.topk.default", [X], *args)
add(CASES, "aten.topk.default", [T(2, 5, dtype=INT, low=0, high=99)], 2)
CASES["aten.topk.default"].append(Case(lambda x: tuple(x.topk(2)), T(3, 5), dynamic=BATCH))
for args in ((1,), (3, 0), (2, -2, True)):
    add(CASES, "aten.kthvalue.default", [X], *args)
add(CASES, "aten.median.default", [X])
add(CASES, "aten.median.default", [NAN])
for args in ((1,), (-1, True)):
    add(CASES, "aten.median.dim", [X], *args)
EDGES = T(value=torch.tensor([-1.0, 0.0, 0.5, 2.0]))
VALUES = T(value=torch.tensor([[-2.0, -1.0, 0.0], [0.25, 2.0, 3.0]]))
for options in ({}, {"right": True}, {"out_int32": True}):
    add(CASES, "aten.bucketize.Tensor", [VALUES, EDGES], **options)
    add(CASES, "aten.searchsorted.Tensor", [EDGES, VALUES], **options)
add(CASES, "aten.searchsorted.Tensor", [EDGES, VALUES], side="right")
add(CASES, "aten.bucketize.Tensor", [T(5, dtype=INT), EDGES])
CASES["aten.bucketize.Scalar"] = [
    Case(lambda e, r=r: torch.ops.aten.bucketize.Scalar(0, e, right=r), EDGES) for r in (False, True)
]
add(CASES, "aten.searchsorted.Scalar", [EDGES], 0.5)
add(CASES, "aten.searchsorted.Scalar", [EDGES], 0.5, right=True)
add(CASES, "aten.histc.default", [T(50, low=-2, high=2)], 8, -1, 1)
for name in ("cummax", "cummin"):
    for dim in (0, 1, -1):
        add(CASES, f"aten.{name}.default", [X], dim)
    for spec in (TIES, NAN, T(3, 3, dtype=BOOL)):
        add(CASES, f"aten.{name}.default", [spec], 1)
    add(CASES, f"aten.{name}.default", [T(value=torch.tensor([-float("inf"), -float("inf"), 1.0, float("inf")]))], 0)
for args in ((0.3,), (0.3, 1), (0.75, -1, True), (0.0, 0), (1.0, 0)):
    add(CASES, "aten.quantile.scalar", [X], *args)
for way in ("lower", "higher", "nearest", "midpoint"):
    add(CASES, "aten.quantile.scalar", [X], 0.4, 1, interpolation=way)
add(CASES, "aten.quantile.scalar", [NAN], 0.4, 1)
CASES["aten.quantile.default"] = [
    Case(
        lambda x, q, d=d: torch.ops.aten.quantile.default(x, q, d), X, weights=[T(value=torch.tensor([0.2, 0.5, 0.9]))]
    )
    for d in (None, 1)
]
