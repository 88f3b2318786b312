"""Pooling."""

from __future__ import annotations

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
BATCH = {0: {0: (2, 8)}}
IMAGE = {1: T(2, 3, 9), 2: T(2, 3, 9, 8), 3: T(2, 3, 7, 8, 6)}
SINGLE = {1: T(3, 9), 2: T(3, 9, 8), 3: T(3, 7, 8, 6)}

for n in (1, 2, 3):
    for name in (f"max_pool{n}d", f"max_pool{n}d_with_indices"):
        target = f"aten.{name}.default"
        add(CASES, target, [IMAGE[n]], [3])
        add(CASES, target, [SINGLE[n]], [2])
        add(CASES, target, [IMAGE[n]], [2, 3, 2][:n], [1, 2, 2][:n], [1])
        add(CASES, target, [IMAGE[n]], [3], [2], [1], [2], True)
        add(CASES, target, [IMAGE[n]], [3], [2], [0], [1], True)
    target = f"aten.avg_pool{n}d.default"
    add(CASES, target, [IMAGE[n]], [3])
    add(CASES, target, [SINGLE[n]], [2, 3, 2][:n], [1, 2, 1][:n])
    add(CASES, target, [IMAGE[n]], [3], [2], [1])
    add(CASES, target, [IMAGE[n]], [3], [2], [1], False, False)
    add(CASES, target, [IMAGE[n]], [3], [2], [1], True, True)
    add(CASES, target, [IMAGE[n]], [3], [2], [1], True, False)
    if n > 1:
        add(CASES, target, [IMAGE[n]], [3], [2], [1], False, True, 5)
        add(CASES, target, [IMAGE[n]], [3], [2], [1], False, False, 5)
    for size in ([1] * n, [3, 4, 2][:n]):
        add(CASES, f"aten.adaptive_avg_pool{n}d.default", [IMAGE[n]], size)
        add(CASES, f"aten.adaptive_avg_pool{n}d.default", [SINGLE[n]], size)
        if n > 1:
            add(CASES, f"aten._adaptive_avg_pool{n}d.default", [IMAGE[n]], size)
    add(CASES, f"aten.adaptive_max_pool{n}d.default", [T(2, 3, *(8, 6, 4)[:n])], [4, 3, 2][:n])
    add(CASES, f"aten.adaptive_max_pool{n}d.default", [SINGLE[n]], [4, 3, 5][:n])
    CASES[f"aten.adaptive_max_pool{n}d.default"].append(
        Case(
            lambda x, op=getattr(aten, f"adaptive_max_pool{n}d").default, size=[3, 2, 2][:n]: op(x, size),
            T(2, 3, *(8, 7, 5)[:n]),
            dynamic={0: {2: (4, 9)}},
        )
    )
for name in ("max_pool2d", "avg_pool2d"):
    CASES[f"aten.{name}.default"].append(
        Case(lambda x, op=getattr(aten, name).default: op(x, [2]), T(3, 2, 6, 6), dynamic=BATCH)
    )
CASES["aten.max_unpool2d.default"] = [
    Case(lambda x: aten.max_unpool2d.default(*aten.max_pool2d_with_indices.default(x, [2]), [6, 8]), T(2, 3, 6, 8)),
    Case(lambda x: aten.max_unpool2d.default(*aten.max_pool2d_with_indices.default(x, [2]), [6, 8]), T(3, 6, 8)),
]
CASES["aten.max_unpool3d.default"] = [
    Case(
        lambda x: aten.max_unpool3d.default(*aten.max_pool3d_with_indices.default(x, [2]), [4, 6, 4], [2] * 3, [0] * 3),
        T(2, 3, 4, 6, 4),
    )
]
