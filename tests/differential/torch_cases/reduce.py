"""Reductions and scans."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, add_pair
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
INT, INT32, BYTE, HALF, BOOL = torch.int64, torch.int32, torch.uint8, torch.float16, torch.bool
X = T(2, 3, 4)
BATCH = {0: {0: (2, 8)}}
NAN = T(value=torch.tensor([[1.0, float("nan"), 2.0], [float("nan"), float("nan"), 4.0]]))

for name, dims in (("sum", "dim_IntList"), ("mean", "dim")):
    add(CASES, f"aten.{name}.default", [X])
    add(CASES, f"aten.{name}.default", [X], dtype=torch.float64)
    for dim, keep in (([1], False), ([0, -1], True), (None, False), ([], False)):
        add(CASES, f"aten.{name}.{dims}", [X], dim, keep)
    add(CASES, f"aten.{name}.{dims}", [T(3, dtype=HALF)], [0], dtype=torch.float32)
    add(CASES, f"aten.{name}.{dims}", [T()], [0])
    add(CASES, f"aten.{name}.{dims}", [T(4096, dtype=HALF)], [0])
    CASES[f"aten.{name}.{dims}"].append(
        Case(lambda x, op=getattr(getattr(aten, name), dims): op(x, [0]), T(3, 2), dynamic=BATCH)
    )
for dtype in (INT32, BYTE, BOOL):
    for name in ("sum", "prod"):
        add(CASES, f"aten.{name}.default", [T(9, dtype=dtype, low=1, high=4)])
add(CASES, "aten.sum.dim_IntList", [T(2, 9, dtype=BYTE, low=100, high=200)], [1])
add(CASES, "aten.sum.dim_IntList", [T(2, 0)], [1])
add(CASES, "aten.prod.default", [X])
for args in ((1,), (-1, True)):
    add(CASES, "aten.prod.dim_int", [X], *args)
add(CASES, "aten.prod.dim_int", [T(2, 3, dtype=INT32, low=1, high=4)], 1)
add(CASES, "aten.nansum.default", [NAN])
add(CASES, "aten.nansum.default", [NAN], [1], True)
add(CASES, "aten.nanmean.default", [NAN])
add(CASES, "aten.nanmean.default", [NAN], [0])
for name in ("amax", "amin"):
    for args in ((), ([1],), ([0, 2], True)):
        add(CASES, f"aten.{name}.default", [X], *args)
    add(CASES, f"aten.{name}.default", [NAN], [1])
    add(CASES, f"aten.{name}.default", [T(2, 3, dtype=BOOL)], [1])
for name in ("max", "min"):
    add(CASES, f"aten.{name}.default", [X])
    add(CASES, f"aten.{name}.default", [T(5, dtype=INT)])
add(CASES, "aten.aminmax.default", [X])
add(CASES, "aten.aminmax.default", [X], dim=1, keepdim=True)
for name in ("any", "all"):
    for spec in (T(2, 3, dtype=BOOL), T(2, 3, dtype=INT, low=0, high=2), T(2, 3, dtype=BYTE, low=0, high=2), NAN):
        add(CASES, f"aten.{name}.default", [spec])
        add(CASES, f"aten.{name}.dim", [spec], 1)
        add(CASES, f"aten.{name}.dim", [spec], 0, True)
        add(CASES, f"aten.{name}.dims", [spec], [0, 1])
        add(CASES, f"aten.{name}.dims", [spec], [-1], True)
    add(CASES, f"aten.{name}.default", [T(0, dtype=BOOL)])
SPARSE = T(2, 3, 4, dtype=INT, low=0, high=2)
add(CASES, "aten.count_nonzero.default", [SPARSE])
add(CASES, "aten.count_nonzero.default", [SPARSE], 1)
add(CASES, "aten.count_nonzero.dim_IntList", [SPARSE], [0, 2])
for args in (([1],), ([0, 2], True), ([0, 1, 2],)):
    add(CASES, "aten.logsumexp.default", [X], *args)
add(CASES, "aten.logsumexp.default", [T(value=torch.tensor([[-float("inf")] * 2, [1e4, 2.0]]))], [1])
add(CASES, "aten.logsumexp.default", [T()], [0])
for name in ("cumsum", "cumprod"):
    add_pair(CASES, f"aten.{name}.default", [X], 1)
    add(CASES, f"aten.{name}.default", [X], -1)
    add(CASES, f"aten.{name}.default", [T(2, 9, dtype=BYTE, low=1, high=3)], 1)
    add(CASES, f"aten.{name}.default", [T(5, dtype=BOOL)], 0)
    add(CASES, f"aten.{name}.default", [T(5)], 0, dtype=torch.float64)
    add(CASES, f"aten.{name}.default", [T()], 0)
add(CASES, "aten.logcumsumexp.default", [X], 1)
NAN, INF = float("nan"), float("inf")
ROWS = torch.tensor([[0, 200, 1, -INF], [-INF, -INF, -INF, 0], [1, INF, 2, 3], [-3, 2, NAN, INF], [-INF, INF, -INF, 1]])
for dtype in (torch.float32, torch.float64, torch.float16):
    add(CASES, "aten.logcumsumexp.default", [T(value=ROWS.to(dtype))], 1)

for name in ("var", "std", "var_mean", "std_mean"):
    add(CASES, f"aten.{name}.default", [X])
    add(CASES, f"aten.{name}.default", [X], False)
    for args in (([1],), ([0, -1], False, True), (None, True, True)):
        add(CASES, f"aten.{name}.dim", [X], *args)
    for correction in (0, 1, 2, 0.5):
        add(CASES, f"aten.{name}.correction", [X], [1], correction=correction)
    add(CASES, f"aten.{name}.correction", [X])
    add(CASES, f"aten.{name}.correction", [X], [0], correction=1, keepdim=True)
    add(CASES, f"aten.{name}.correction", [T(1, 3)], [0])
    CASES[f"aten.{name}.correction"].append(
        Case(lambda x, op=getattr(aten, name).correction: op(x, [0]), T(3, 2), dynamic=BATCH)
    )
for order in (0, 1, 2, 3, 0.5, float("inf"), -float("inf")):
    add(CASES, "aten.linalg_vector_norm.default", [X], order)
    add(CASES, "aten.linalg_vector_norm.default", [X], order, [1], True)
    add(CASES, "aten.norm.Scalar", [X], order)
    add(CASES, "aten.norm.ScalarOpt_dim", [X], order, [1, -1])
add(CASES, "aten.linalg_vector_norm.default", [T(64, dtype=HALF)])
add(CASES, "aten.linalg_vector_norm.default", [T(64, dtype=HALF)], dtype=torch.float32)
add(CASES, "aten.norm.ScalarOpt_dim", [X], None, [1], True)
add(CASES, "aten.norm.ScalarOpt_dim_dtype", [X], 3, [1], True, dtype=torch.float64)
add(CASES, "aten.norm.ScalarOpt_dtype", [X], 3, dtype=torch.float64)
add(CASES, "aten.linalg_norm.default", [X])
add(CASES, "aten.linalg_norm.default", [T(5)], 3)
add(CASES, "aten.linalg_norm.default", [X], 1, [1], True)
add(CASES, "aten.linalg_norm.default", [X], None, [0, 1])
add(CASES, "aten.linalg_matrix_norm.str_ord", [X])
add(CASES, "aten.linalg_matrix_norm.str_ord", [X], "fro", [0, 1], True)

for size in ((2, 3, 4), (2, 1, 4), (3, 4), (1, 1), ()):
    CASES.setdefault("aten.sum_to_size.default", []).append(Case(lambda x, s=size: x.sum_to_size(s), T(2, 3, 4)))
for p in (1, 2, float("inf")):
    add_pair(CASES, "aten.renorm.default", [T(3, 4, 2)], p, 1, 1.5)
