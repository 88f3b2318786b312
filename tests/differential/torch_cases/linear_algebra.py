"""Systems of equations, determinants, distances, cross products."""

from __future__ import annotations

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
_g = torch.Generator().manual_seed(3)
_m = torch.randn(2, 4, 4, generator=_g)
A = T(value=_m + 3 * torch.eye(4))
SYMMETRIC = T(value=_m @ _m.mT + torch.eye(4))
LOWER = T(value=(_m + 3 * torch.eye(4)).tril())
UPPER = T(value=(_m + 3 * torch.eye(4)).triu())
TOLERANCE = 1e-4

for name in ("linalg_det", "det", "linalg_slogdet", "slogdet", "linalg_inv", "inverse"):
    add(CASES, f"aten.{name}.default", [A])
add(CASES, "aten.logdet.default", [SYMMETRIC])
# Determinants beyond float32, and below it.
for scale in (1e3, 1e-3):
    add(CASES, "aten.slogdet.default", [T(value=scale * torch.eye(20))])
add(CASES, "aten.logdet.default", [T(value=torch.stack([torch.eye(3), -torch.eye(3), torch.zeros(3, 3)]))])
CASES["aten._linalg_det.default"] = [Case(lambda x: aten._linalg_det.default(x)[0], A)]
CASES["aten._linalg_slogdet.default"] = [Case(lambda x: aten._linalg_slogdet.default(x)[:2], A)]
add(CASES, "aten.linalg_inv_ex.default", [A])
add(CASES, "aten.linalg_det.default", [T(value=torch.tensor([[2.0]]))])
for upper in (False, True):
    add(CASES, "aten.linalg_cholesky.default", [SYMMETRIC], upper=upper)
    add(CASES, "aten.linalg_cholesky_ex.default", [SYMMETRIC], upper=upper)
    add(CASES, "aten.cholesky.default", [SYMMETRIC], upper)
for left in (True, False):
    b = T(2, 4, 3) if left else T(2, 3, 4)
    add(CASES, "aten.linalg_solve.default", [A, b], left=left)
    for name in ("_linalg_solve_ex", "linalg_solve_ex"):
        op = getattr(aten, name).default
        CASES.setdefault(f"aten.{name}.default", []).append(
            Case(lambda a, b, op=op, on_left=left: op(a, b, left=on_left)[0], A, b)
        )
    for upper, a in ((False, LOWER), (True, UPPER)):
        add(CASES, "aten.linalg_solve_triangular.default", [a, b], upper=upper, left=left)
        add(CASES, "aten.linalg_solve_triangular.default", [a, b], upper=upper, left=left, unitriangular=True)
add(CASES, "aten.linalg_solve.default", [T(value=A.value[0]), T(4)])
add(CASES, "aten.linalg_solve.default", [A, T(2, 4)])
add(CASES, "aten.linalg_solve.default", [A, T(4, 2)])
for upper, a in ((False, LOWER), (True, UPPER)):
    for transpose in (False, True):
        CASES.setdefault("aten.triangular_solve.default", []).append(
            Case(lambda b, a, u=upper, t=transpose: aten.triangular_solve.default(b, a, u, t)[0], T(2, 4, 3), a)
        )
    add(CASES, "aten.cholesky_solve.default", [T(2, 4, 3), a], upper)
for order in (0.0, 1.0, 2.0, 3.0, float("inf")):
    add(CASES, "aten.cdist.default", [T(3, 4), T(5, 4)], order)
    add(CASES, "aten.cdist.default", [T(2, 3, 4), T(1, 5, 4)], order)
    add(CASES, "aten._cdist_forward.default", [T(2, 3, 4), T(2, 5, 4)], order, None)
    add(CASES, "aten.dist.default", [T(3, 4), T(4)], order)
    for name in ("pdist", "_pdist_forward"):
        add(CASES, f"aten.{name}.default", [T(4, 3)], order)
add(CASES, "aten._euclidean_dist.default", [T(3, 4), T(5, 4)])
add(CASES, "aten.linalg_cross.default", [T(2, 3), T(2, 3)])
add(CASES, "aten.linalg_cross.default", [T(3, 2), T(3, 1)], dim=0)
add(CASES, "aten.cross.default", [T(3, 3), T(3, 3)])
add(CASES, "aten.cross.default", [T(3, 3), T(3, 3)], 1)
add(CASES, "aten.linalg_vecdot.default", [T(2, 3), T(2, 3)])
add(CASES, "aten.linalg_vecdot.default", [T(2, 3), T(2, 1)], dim=0)
for name in ("linalg_multi_dot", "chain_matmul"):
    op = getattr(aten, name).default
    CASES[f"aten.{name}.default"] = [Case(lambda *x, op=op: op(list(x)), T(2, 3), T(3, 4), T(4, 2))]
CASES["aten.linalg_multi_dot.default"].append(Case(lambda *x: torch.linalg.multi_dot(x), T(3), T(3, 4), T(4)))
add(CASES, "aten.linalg_tensorinv.default", [T(value=_m[0].reshape(2, 2, 2, 2))])
add(CASES, "aten.linalg_tensorinv.default", [T(value=_m[0].reshape(4, 2, 2))], 1)
add(CASES, "aten.linalg_tensorsolve.default", [T(value=_m[0].reshape(2, 2, 4)), T(2, 2)])
add(CASES, "aten.linalg_tensorsolve.default", [T(value=_m[0].reshape(2, 4, 2).contiguous()), T(2, 2)], [1])
add(CASES, "aten.linalg_vander.default", [T(2, 3)])
add(CASES, "aten.linalg_vander.default", [T(3)], N=5)
for order in (1, -1, 2, -2, float("inf"), -float("inf")):
    CASES.setdefault("aten.linalg_matrix_norm.default", []).append(
        Case(lambda x, o=order: torch.linalg.matrix_norm(x, o), T(2, 3, 4))
    )
    CASES.setdefault("aten.linalg_cond.default", []).append(Case(lambda x, o=order: torch.linalg.cond(x, o), A))
    CASES.setdefault("aten.linalg_norm.default", []).append(
        Case(lambda x, o=order: torch.linalg.norm(x, o, dim=(2, 0), keepdim=True), T(2, 3, 4))
    )
CASES["aten.linalg_cond.default"].append(Case(torch.linalg.cond, T(3, 5)))
CASES["aten.linalg_cond.p_str"] = [Case(lambda x, o=o: torch.linalg.cond(x, o), A) for o in ("fro", "nuc")]
CASES["aten.linalg_norm.ord_str"] = [Case(lambda x, o=o: torch.linalg.norm(x, o), T(3, 4)) for o in ("fro", "nuc")]
add(CASES, "aten.linalg_matrix_norm.str_ord", [T(2, 3, 4)], "nuc", [0, 2], True)
add(CASES, "aten.nuclear_norm.default", [T(3, 4)])
add(CASES, "aten.nuclear_norm.dim", [T(2, 3, 4)], [0, 2], True)
for cases in CASES.values():
    for case in cases:
        case.tol = TOLERANCE
