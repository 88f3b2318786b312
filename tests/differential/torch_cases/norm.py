"""Normalisation layers."""

from __future__ import annotations

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
HALF = torch.float16
POSITIVE = T(3, positive=True)
BATCH = {0: {0: (2, 8)}}

for name, rest in (("layer_norm", ()), ("native_layer_norm", (1e-5,))):
    op = getattr(aten, name).default
    CASES[f"aten.{name}.default"] = [
        Case(lambda x, w, b, op=op, r=rest: op(x, [4], w, b, *r), T(2, 3, 4), weights=[T(4), T(4)]),
        Case(lambda x, w, b, op=op: op(x, [3, 4], w, b, 0.1), T(2, 3, 4), weights=[T(3, 4), T(3, 4)]),
        Case(lambda x, w, op=op, r=rest: op(x, [4], w, None, *r), T(2, 3, 4), weights=[T(4)]),
        Case(lambda x, op=op: op(x, [4], None, None, 1e-3), T(2, 3, 4)),
        Case(lambda x, w, b, op=op, r=rest: op(x, [4], w, b, *r), T(3, 2, 4), weights=[T(4), T(4)], dynamic=BATCH),
    ]
CASES["aten.layer_norm.default"].append(Case(lambda x: aten.layer_norm.default(x, [64]), T(3, 64, dtype=HALF)))
CASES["aten.rms_norm.default"] = [
    Case(lambda x, w: aten.rms_norm.default(x, [4], w, 1e-2), T(2, 3, 4), weights=[T(4)]),
    Case(lambda x: aten.rms_norm.default(x, [3, 4]), T(2, 3, 4)),
]
CASES["aten._fused_rms_norm.default"] = [
    Case(lambda x, w: aten._fused_rms_norm.default(x, [4], w, 1e-2), T(2, 3, 4), weights=[T(4)])
]
for shape in ((2, 6), (2, 6, 5), (2, 6, 4, 3)):
    CASES.setdefault("aten.group_norm.default", []).append(
        Case(lambda x, w, b: aten.group_norm.default(x, 3, w, b, 0.01), T(*shape), weights=[T(6), T(6)])
    )
CASES["aten.group_norm.default"].append(Case(lambda x: aten.group_norm.default(x, 2), T(2, 6, 5)))
CASES["aten.native_group_norm.default"] = [
    Case(
        lambda x, w, b: aten.native_group_norm.default(x, w, b, 2, 6, 12, 3, 0.01), T(2, 6, 4, 3), weights=[T(6), T(6)]
    ),
    Case(lambda x: aten.native_group_norm.default(x, None, None, 2, 6, 12, 2, 0.01), T(2, 6, 4, 3)),
]
CASES["aten.instance_norm.default"] = [
    Case(
        lambda x, w, b: aten.instance_norm.default(x, w, b, None, None, True, 0.1, 0.01, False),
        T(2, 3, 4, 5),
        weights=[T(3), T(3)],
    ),
    Case(lambda x: aten.instance_norm.default(x, None, None, None, None, True, 0.1, 1e-5, False), T(2, 3, 5)),
    Case(
        lambda x, m, v: aten.instance_norm.default(x, None, None, m, v, False, 0.1, 1e-5, False),
        T(2, 3, 5),
        weights=[T(3), POSITIVE],
    ),
]
for shape in ((4, 3), (2, 3, 5), (2, 3, 4, 5)):
    CASES.setdefault("aten.batch_norm.default", []).append(
        Case(lambda x, w, b, m, v: aten.batch_norm.default(x, w, b, m, v, False, 0.1, 0.01, False), T(*shape),
             weights=[T(3), T(3), T(3), POSITIVE])
    )  # fmt: skip
CASES["aten.batch_norm.default"] += [
    Case(
        lambda x, m, v: aten.batch_norm.default(x, None, None, m, v, False, 0.1, 1e-5, False),
        T(2, 3, 5),
        weights=[T(3), POSITIVE],
    ),
    Case(
        lambda x, w, b: aten.batch_norm.default(x, w, b, None, None, True, 0.1, 0.01, False),
        T(4, 3, 5),
        weights=[T(3), T(3)],
    ),
]
CASES["aten._native_batch_norm_legit_no_training.default"] = [
    Case(lambda x, w, b, m, v: aten._native_batch_norm_legit_no_training.default(x, w, b, m, v, 0.1, 0.01), T(2, 3, 5),
         weights=[T(3), T(3), T(3), POSITIVE])
]  # fmt: skip
CASES["aten._native_batch_norm_legit.no_stats"] = [
    Case(
        lambda x, w, b: aten._native_batch_norm_legit.no_stats(x, w, b, True, 0.1, 0.01),
        T(4, 3, 5),
        weights=[T(3), T(3)],
    )
]
CASES["aten._native_batch_norm_legit_functional.default"] = [
    Case(
        lambda x, w, b, m, v: aten._native_batch_norm_legit_functional.default(x, w, b, m, v, True, 0.2, 0.01),
        T(4, 3, 5),
        weights=[T(3), T(3), T(3), POSITIVE],
    )
]
for name in ("_native_batch_norm_legit", "native_batch_norm"):
    op = getattr(aten, name).default
    CASES[f"aten.{name}.default"] = [
        Case(
            lambda x, w, b, m, v, op=op: op(x, w, b, m, v, False, 0.1, 0.01),
            T(2, 3, 5),
            weights=[T(3), T(3), T(3), POSITIVE],
        )
    ]
for dim in (0, 1, -1):
    shape = [1, 1, 1]
    shape[dim] = (4, 3, 1)[dim]
    add(CASES, "aten._weight_norm.default", [T(4, 3, 2), T(*shape)], dim)
add(CASES, "aten._weight_norm_interface.default", [T(4, 3, 2), T(4, 1, 1)], 0)
