"""Scaled dot product attention."""

from __future__ import annotations

import torch
from aten_calls import Cases
from torch_case import Case, T

CASES: Cases = {}

BOOL, HALF = torch.bool, torch.float16
sdpa = torch.ops.aten.scaled_dot_product_attention.default
flash = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
math = torch.ops.aten._scaled_dot_product_attention_math.default
Q, K, V = T(2, 3, 5, 4), T(2, 3, 6, 4), T(2, 3, 6, 7)
MASK = T(value=torch.tensor([[[[True, False, True, True, False, True]] * 5]]))
HIDES_ALL = torch.tensor([[True] * 6, [False] * 6, [False, True] * 3, [False] * 6, [True] * 6])
BATCH = {0: {0: (2, 8)}, 1: {0: (2, 8)}, 2: {0: (2, 8)}}

CASES["aten.scaled_dot_product_attention.default"] = [
    Case(lambda q, k, v: sdpa(q, k, v), Q, K, V),
    Case(lambda q, k, v: sdpa(q, k, v, scale=0.3), Q, K, V),
    Case(lambda q, k, v: sdpa(q, k, v, is_causal=True), Q, K, V),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), Q, K, V, MASK),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), Q, K, V, T(2, 3, 5, 6)),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), Q, K, V, T(5, 6)),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), Q, K, V, T(value=HIDES_ALL)),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), Q, K, V, T(value=torch.where(HIDES_ALL, 0.5, -float("inf")))),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), Q, K, V, T(3, 1, 6)),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), Q, K, V, T(2, 1, 1, 6, dtype=BOOL)),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), Q, K, V, T(2, 1, 5, 1)),
    Case(lambda q, k, v: sdpa(q, k, v), T(2, 5, 4), T(2, 6, 4), T(2, 6, 7)),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), T(2, 5, 4), T(2, 6, 4), T(2, 6, 7), T(2, 5, 6)),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), T(2, 5, 4), T(2, 6, 4), T(2, 6, 7), T(5, 6)),
    Case(lambda q, k, v: sdpa(q, k, v), T(5, 4), T(6, 4), T(6, 7)),
    Case(lambda q, k, v: sdpa(q, k, v), T(2, 2, 3, 5, 4), T(2, 2, 3, 6, 4), T(2, 2, 3, 6, 7)),
    Case(lambda q, k, v, m: sdpa(q, k, v, m), T(2, 2, 3, 5, 4), T(2, 2, 3, 6, 4), T(2, 2, 3, 6, 7), T(2, 1, 1, 5, 6)),
    Case(lambda q, k, v: sdpa(q, k, v, enable_gqa=True), T(2, 6, 5, 4), T(2, 3, 6, 4), T(2, 3, 6, 7)),
    Case(
        lambda q, k, v: sdpa(q, k, v), T(2, 3, 5, 8, dtype=HALF), T(2, 3, 6, 8, dtype=HALF), T(2, 3, 6, 8, dtype=HALF)
    ),
    Case(lambda q, k, v: sdpa(q, k, v), T(3, 2, 5, 4), T(3, 2, 6, 4), T(3, 2, 6, 4), dynamic=BATCH),
]
SAME = [T(2, 3, 5, 4), T(2, 3, 6, 4), T(2, 3, 6, 4)]
CASES["aten._scaled_dot_product_flash_attention_for_cpu.default"] = [
    Case(lambda q, k, v: flash(q, k, v)[0], *SAME),
    Case(lambda q, k, v: flash(q, k, v, 0.0, True, scale=0.3)[0], *SAME),
    Case(lambda q, k, v, m: flash(q, k, v, attn_mask=m)[0], *SAME, T(2, 3, 5, 6)),
]
CASES["aten._scaled_dot_product_attention_math.default"] = [
    Case(lambda q, k, v: math(q, k, v)[0], Q, K, V),
    Case(lambda q, k, v, m: math(q, k, v, m, scale=0.3)[0], Q, K, V, T(5, 6)),
]
