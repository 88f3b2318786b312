"""Padding."""

from __future__ import annotations

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

HALF, BOOL = torch.float16, torch.bool
X = T(2, 3, 4, 5, 6)

for pad in ([1, 2], [0, 1, 2, 0], [-1, 2, 0, -1]):
    add(CASES, "aten.constant_pad_nd.default", [X], pad)
    add(CASES, "aten.constant_pad_nd.default", [X], pad, 1.5)
    add(CASES, "aten.pad.default", [X], pad)
    add(CASES, "aten.pad.default", [X], pad, "constant", 2.5)
add(CASES, "aten.constant_pad_nd.default", [T(3, dtype=torch.int64)], [1, 1], 7)
add(CASES, "aten.constant_pad_nd.default", [T(3, dtype=BOOL)], [1, 1], True)
add(CASES, "aten.constant_pad_nd.default", [T(3)], [0, 0])
for mode in ("reflect", "replicate", "circular"):
    for n in (1, 2, 3):
        add(CASES, "aten.pad.default", [T(2, 3, *(4, 5, 6)[:n])], [1, 2, 3, 0, 2, 1][: 2 * n], mode)
for n in (1, 2, 3):
    for name in ("reflection", "replication"):
        for lead in ((2, 3), (3,)):
            add(CASES, f"aten.{name}_pad{n}d.default", [T(*lead, *(4, 5, 6)[:n])], [1, 2, 3, 0, 2, 1][: 2 * n])
add(CASES, "aten._pad_circular.default", [T(2, 3, 4)], [2, 1])
for pad in ([-1, 2], [2, -1], [-2, -1], [-1, 5]):  # what is cut off does not come back
    add(CASES, "aten._pad_circular.default", [T(2, 3, 6)], pad)
CASES["aten.pad.default"].append(
    Case(lambda x: torch.nn.functional.pad(x, (1, 2)), T(3, 4), dynamic={0: {0: (2, 8), 1: (2, 8)}})
)
