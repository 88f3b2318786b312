"""Copies, conversions of dtype, dropout, new tensors."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, add_pair, call
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
INT, HALF, BOOL = torch.int64, torch.float16, torch.bool
BATCH = {0: {0: (2, 8)}}
LARGE = T(9, low=-300, high=300)

for dtype in (torch.float64, HALF, torch.bfloat16, INT, torch.int32, torch.int8, BOOL, torch.float32):
    add(CASES, "aten.to.dtype", [LARGE], dtype)
    add(CASES, "aten._to_copy.default", [LARGE], dtype=dtype)
    add(CASES, "aten.to.dtype_layout", [LARGE], dtype=dtype, device=torch.device("cpu"))
add(CASES, "aten.to.dtype", [T(5, dtype=BOOL)], torch.float32)
add(CASES, "aten.to.device", [LARGE], torch.device("cpu"), INT)
add(CASES, "aten.to.other", [LARGE, T(2, dtype=INT)])
add(CASES, "aten.type_as.default", [LARGE, T(2, dtype=HALF)])
for name in ("clone", "lift_fresh_copy", "alias_copy", "detach_copy", "alias", "contiguous", "detach", "resolve_conj",
             "resolve_neg", "real", "conj", "conj_physical"):  # fmt: skip
    add(CASES, f"aten.{name}.default", [T(2, 3)])
CASES["aten.alias.default"].append(Case(lambda x: (y := x * 1, aten.alias.default(y).add_(1))[0], T(3)))
CASES["aten.detach_.default"] = [Case(lambda x: aten.detach_.default(x * 1), T(2, 3))]
add(CASES, "aten.copy.default", [T(2, 3), T(3, dtype=INT)])
add(CASES, "aten.copy.default", [T(2, 3, dtype=INT), T(2, 1, low=-3, high=3)])
CASES["aten.copy_.default"] = [
    Case(lambda x, y: (z := x * 1, z[0].copy_(y))[0], T(2, 3), T(3)),
    Case(lambda x, y: (x * 1).copy_(y), T(2, 3), T(3, dtype=INT)),
]
for name in ("dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"):
    add(CASES, f"aten.{name}.default", [T(2, 3)], 0.5, False)
    CASES[f"aten.{name}_.default"] = [
        Case(lambda x, op=getattr(aten, f"{name}_").default: op(x * 1, 0.5, False), T(2, 3))
    ]
add(CASES, "aten.native_dropout.default", [T(2, 3)], 0.5, False)
add_pair(CASES, "aten.rrelu.default", [T(9)])
add_pair(CASES, "aten.rrelu.default", [T(9)], 0.5, 0.7)

for args in ((5,), (2.5,)):
    CASES.setdefault("aten.arange.default", []).append(Case(lambda x, a=args: aten.arange.default(*a) + x.sum(), T(2)))
CASES["aten.arange.default"] += [
    Case(lambda x: aten.arange.default(5, dtype=torch.float32) * x, T(5)),
    Case(lambda x: torch.arange(x.shape[0]), T(3, 2), dynamic=BATCH),
]
CASES["aten.arange.start"] = [
    Case(lambda x: aten.arange.start(2, 7) + x, T(5)),
    Case(lambda x: aten.arange.start(0.5, 5) + x, T(5)),
    Case(lambda x: aten.arange.start(2, x.shape[0] + 3, dtype=torch.int32), T(3, 2), dynamic=BATCH),
]
CASES["aten.arange.start_step"] = [
    Case(lambda x: aten.arange.start_step(1, 10, 2) + x, T(5)),
    Case(lambda x: aten.arange.start_step(10, 0, -2) + x, T(5)),
    Case(lambda x: aten.arange.start_step(0, 1, 0.2) + x, T(5)),
    Case(lambda x: aten.arange.start_step(0, x.shape[0] * 2, 2), T(3, 2), dynamic=BATCH),
]


def made(target: str, *args: object, **options: object) -> None:
    """Adds a case whose result does not depend on the input's elements."""
    op = call(target, *args, **options)
    CASES.setdefault(target, []).append(Case(lambda x: (op(), x * 2), T(2)))


for dtype in (None, INT, HALF, BOOL):
    made("aten.full.default", [2, 3], 1, dtype=dtype)
    made("aten.zeros.default", [2, 3], dtype=dtype)
    made("aten.ones.default", [2, 3], dtype=dtype)
made("aten.full.default", [2], 2.5)
made("aten.full.default", [2], float("-inf"))
made("aten.full.default", [], torch.finfo(torch.float32).min)
made("aten.full.default", [3], True)
made("aten.scalar_tensor.default", 2.5)
made("aten.scalar_tensor.default", 2, dtype=INT)
made("aten.scalar_tensor.default", float("-inf"), dtype=HALF)
CASES["aten.full.default"].append(Case(lambda x: torch.full((x.shape[0], 2), 3), T(3, 2), dynamic=BATCH))
CASES["aten.full.default"].append(Case(lambda x: torch.full((2,), x.shape[0]), T(3, 2), dynamic=BATCH))
for name in ("zeros_like", "ones_like"):
    add(CASES, f"aten.{name}.default", [T(2, 3)])
    add(CASES, f"aten.{name}.default", [T(2, 3)], dtype=INT)
    CASES[f"aten.{name}.default"].append(Case(call(f"aten.{name}.default"), T(3, 2), dynamic=BATCH))
add(CASES, "aten.full_like.default", [T(2, 3)], 2.5)
add(CASES, "aten.full_like.default", [T(2, 3, dtype=INT)], 2)
add(CASES, "aten.full_like.default", [T(2, 3)], 1, dtype=BOOL)
add(CASES, "aten.new_full.default", [T(2)], [3, 2], 2.5)
for name in ("new_zeros", "new_ones"):
    add(CASES, f"aten.{name}.default", [T(2, dtype=INT)], [3, 2])
    add(CASES, f"aten.{name}.default", [T(2)], [3, 2], dtype=BOOL)
CASES["aten.new_full.default"].append(Case(lambda x: x.new_full((x.shape[0],), 7), T(3, 2), dynamic=BATCH))
for target in ("aten.empty.memory_format", "aten.empty_strided.default", "aten.empty_permuted.default"):
    strides = {"aten.empty_strided.default": ([3, 1],), "aten.empty_permuted.default": ([0, 1],)}.get(target, ())
    CASES[target] = [Case(lambda x, t=target, s=strides: call(t, [2, 3], *s)().zero_() + x, T(3))]
CASES["aten.empty_like.default"] = [Case(lambda x: aten.empty_like.default(x).fill_(2) + x, T(3))]
CASES["aten.new_empty.default"] = [Case(lambda x: aten.new_empty.default(x, [2, 3]).fill_(2) + x, T(3))]
CASES["aten.new_empty_strided.default"] = [
    Case(lambda x: aten.new_empty_strided.default(x, [2, 3], [3, 1]).fill_(2) + x, T(3))
]
add(CASES, "aten.fill.Scalar", [T(2, 3)], 2.5)
add(CASES, "aten.fill.Tensor", [T(2, 3), T()])
CASES["aten.fill_.Scalar"] = [Case(lambda x: (z := x * 1, z[0].fill_(3))[0], T(2, 3))]
CASES["aten.fill_.Tensor"] = [Case(lambda x, y: (z := x * 1, z[0].fill_(y))[0], T(2, 3), T())]
add(CASES, "aten.zero.default", [T(2, 3)])
CASES["aten.zero_.default"] = [Case(lambda x: (z := x * 1, z[:, 1:].zero_())[0], T(2, 3))]
made("aten.eye.default", 3)
made("aten.eye.default", 3, dtype=INT)
made("aten.eye.m", 3, 2)
made("aten.linspace.default", 0.5, 2, 7)
made("aten.linspace.default", 0, 10, 5, dtype=INT)
made("aten.linspace.default", 1, 2, 1)
made("aten.logspace.default", 0, 2, 5)
made("aten.logspace.default", 0, 3, 4, 2)
for name in ("tril_indices", "triu_indices"):
    made(f"aten.{name}.default", 3, 4)
    made(f"aten.{name}.default", 4, 3, 1, dtype=torch.int32)
made("aten.hann_window.default", 6)
made("aten.hann_window.periodic", 6, False)
made("aten.hamming_window.default", 6)
made("aten.hamming_window.periodic", 6, False)
made("aten.hamming_window.periodic_alpha", 6, True, 0.6)
made("aten.hamming_window.periodic_alpha_beta", 6, False, 0.6, 0.4)
for name in ("to_sparse.default", "_to_sparse.default", "to_sparse.sparse_dim", "_to_sparse.sparse_dim"):
    dims = (2,) if name.endswith("sparse_dim") else ()
    sparse = call(f"aten.{name}", *dims)
    CASES[f"aten.{name}"] = [Case(lambda x, sparse=sparse: aten.to_dense.default(sparse(x)), T(3, 4))]
for name in ("aten.to_dense.default", "aten._to_dense.default"):
    CASES[name] = [Case(lambda x, dense=call(name): dense(aten.to_sparse.default(x)) + x, T(3, 4))]
