"""Activations."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, add_pair
from torch_case import Case, T

CASES: Cases = {}

INT, HALF = torch.int64, torch.float16
WIDE = T(40, low=-9, high=9)

for name in ("relu", "relu6", "silu", "selu", "gelu", "leaky_relu", "hardtanh", "elu", "celu", "hardsigmoid",
             "hardswish", "mish"):  # fmt: skip
    add_pair(CASES, f"aten.{name}.default", [WIDE])
    add(CASES, f"aten.{name}.default", [T(9, dtype=HALF)])
for name in ("softplus", "log_sigmoid", "hardshrink", "softshrink"):
    add(CASES, f"aten.{name}.default", [WIDE])
    add(CASES, f"aten.{name}.default", [T(9, dtype=HALF)])
CASES["aten.log_sigmoid_forward.default"] = [Case(lambda x: torch.ops.aten.log_sigmoid_forward.default(x)[0], WIDE)]
add(CASES, "aten.relu.default", [T(9, dtype=INT, low=-5, high=5)])
add_pair(CASES, "aten.gelu.default", [WIDE], approximate="tanh")
add_pair(CASES, "aten.leaky_relu.default", [WIDE], 0.2)
add_pair(CASES, "aten.hardtanh.default", [WIDE], -2, 0.5)
add_pair(CASES, "aten.elu.default", [WIDE], 0.5, 2, 1.5)
add_pair(CASES, "aten.celu.default", [WIDE], 0.5)
add_pair(CASES, "aten.threshold.default", [WIDE], 1.0, -3.0)
add(CASES, "aten.softplus.default", [WIDE], 2, 3)
add(CASES, "aten.hardshrink.default", [WIDE], 2)
add(CASES, "aten.softshrink.default", [WIDE], 2)
for args in ([T(2, 3, 4), T(3)], [T(2, 3), T(1)], [T(5), T(1)]):
    add(CASES, "aten.prelu.default", args)
add(CASES, "aten._prelu_kernel.default", [T(2, 3, 4), T(1, 3, 1)])
add(CASES, "aten.glu.default", [T(2, 6)])
add(CASES, "aten.glu.default", [T(4, 3)], 0)
for name in ("softmax", "log_softmax"):
    for dim in (0, 1, -1):
        add(CASES, f"aten.{name}.int", [T(2, 3, 4)], dim)
        add(CASES, f"aten._{name}.default", [T(2, 3, 4)], dim, False)
    add(CASES, f"aten.{name}.int", [T(2, 3, dtype=HALF)], 1, torch.float32)
    add(CASES, f"aten.{name}.int", [T(2, 3, dtype=INT)], 1, torch.float32)
    add(CASES, f"aten.{name}.int", [T()], 0)
BLOCKED = T(value=torch.tensor([[0.0, -float("inf")], [-float("inf"), -float("inf")]]))
add(CASES, "aten._safe_softmax.default", [BLOCKED], -1)
add(CASES, "aten._safe_softmax.default", [T(2, 3, dtype=HALF)], 0, torch.float32)
