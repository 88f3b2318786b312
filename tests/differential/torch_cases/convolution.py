"""Convolutions."""

from __future__ import annotations

import torch
from aten_calls import Cases
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
HALF = torch.float16
SIZES = {1: (9,), 2: (7, 9), 3: (5, 6, 4)}
BATCH = {0: {0: (2, 8)}}


def conv(target: str, spatial: int, *args: object, groups: int = 1, bias: bool = True, transposed: bool = False,
         single: bool = False) -> None:  # fmt: skip
    op = torch.ops.aten
    for part in target.split(".")[1:]:
        op = getattr(op, part)
    lead = (4,) if single else (2, 4)
    kernel = (3, 2, 2)[:spatial]
    weight = T(4, 6 // groups, *kernel) if transposed else T(6, 4 // groups, *kernel)
    weights = [weight, T(6)] if bias else [weight]
    CASES.setdefault(target, []).append(
        Case(lambda x, w, b=None: op(x, w, b, *args), T(*lead, *SIZES[spatial]), weights=weights)
    )


for n in (1, 2, 3):
    target = f"aten.conv{n}d.default"
    conv(target, n)
    conv(target, n, bias=False)
    conv(target, n, [2], [1], [2], single=True)
    conv(target, n, [1, 2, 1][:n], [2, 0, 1][:n], [1, 2, 1][:n], 2, groups=2)
    for mode in ("same", "valid"):
        conv(f"aten.conv{n}d.padding", n, [1], mode, [2])
    conv(f"aten.conv{n}d.padding", n, [2], "valid", [1], 2, groups=2)
    target = f"aten.conv_transpose{n}d.{'default' if n == 1 else 'input'}"
    conv(target, n, transposed=True)
    conv(target, n, [2], [1], [1], transposed=True, bias=False)
    conv(target, n, [2, 3, 2][:n], [1, 0, 1][:n], [1, 2, 0][:n], 2, [1, 1, 2][:n], groups=2, transposed=True)
    conv(target, n, [2], transposed=True, single=True)
    for transposed in (False, True):
        rest = ([2] * n, [1] * n, [1] * n, transposed, [1 if transposed else 0] * n, 1)
        conv("aten.convolution.default", n, *rest, transposed=transposed)
        conv("aten._convolution.default", n, *rest, False, False, False, False, transposed=transposed)
CASES["aten.conv2d.default"] += [
    Case(lambda x, w, b: aten.conv2d.default(x, w, b), T(3, 4, 7, 7), weights=[T(6, 4, 3, 3), T(6)], dynamic=BATCH),
    Case(
        lambda x, w, b: aten.conv2d.default(x, w, b, [1, 1], [1, 1], [1, 1], 4),
        T(1, 4, 7, 7),
        weights=[T(4, 1, 3, 3), T(4)],
    ),
    Case(lambda x, w: aten.conv2d.default(x, w), T(1, 4, 5, 5, dtype=HALF), weights=[T(6, 4, 3, 3, dtype=HALF)]),
    Case(lambda x, w: aten.conv2d.default(x, w), T(0, 4, 5, 5), weights=[T(6, 4, 3, 3)]),
]
CASES["aten.conv1d.default"].append(
    Case(lambda x, w: aten.conv1d.default(x, w, None, [2]), T(1, 4, 9), weights=[T(6, 4, 3)], dynamic={0: {2: (4, 16)}})
)

CASES["aten.conv_tbc.default"] = [
    Case(lambda x, w, b, p=p: aten.conv_tbc.default(x, w, b, p), T(7, 2, 3), T(3, 3, 4), T(4)) for p in (0, 2)
]
