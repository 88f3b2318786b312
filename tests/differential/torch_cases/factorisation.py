"""Factorisations of matrices. What a factorisation leaves open, signs of vectors and bases of equal values, is compared
by the product of the factors, and by how far they are from orthonormal."""

from __future__ import annotations

from collections.abc import Callable

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

F64 = torch.float64
aten = torch.ops.aten
_g = torch.Generator().manual_seed(7)
_m = torch.randn(2, 4, 4, generator=_g)
SQUARE = T(value=_m)
SYMMETRIC = T(value=_m @ _m.mT + torch.eye(4))
INDEFINITE = T(value=_m + _m.mT)
LOW_RANK = T(value=torch.randn(5, 2, generator=_g) @ torch.randn(2, 3, generator=_g))
EQUAL_VALUES = T(value=torch.diag(torch.tensor([2.0, 2.0, -1.0, 0.0])))
ZEROS = T(value=torch.zeros(3, 2))
WIDE, TALL, BATCH = T(3, 5), T(6, 3), T(2, 3, 4, 3)
DYNAMIC = {0: {0: (2, 7)}}


def case(target: str, fn: Callable[..., object], *args: T, **options: object) -> None:
    CASES.setdefault(target, []).append(Case(fn, *args, tol=1e-4, **options))  # type: ignore[arg-type]


def excess(q: torch.Tensor) -> torch.Tensor:
    """How far columns are from orthonormal: 1 beside it, so that rounding is small."""
    return 1 + (q.mT @ q - torch.eye(q.shape[-1], dtype=q.dtype)).abs().amax()


def orthonormal(u: torch.Tensor, s: torch.Tensor, vh: torch.Tensor) -> tuple[torch.Tensor, ...]:
    count = s.shape[-1]
    return u[..., :count] * s.unsqueeze(-2) @ vh[..., :count, :], s, excess(u), excess(vh.mT)


for a in (SQUARE, WIDE, TALL, BATCH, LOW_RANK, T(4, 4, dtype=F64), T(1, 1)):
    for mode in ("reduced", "complete"):
        if a is not LOW_RANK:  # columns of Q beyond the rank are open
            add(CASES, "aten.linalg_qr.default", [a], mode)
        case(
            "aten.linalg_qr.default",
            lambda x, mode=mode: (lambda q, r: (q @ r, excess(q)))(*torch.linalg.qr(x, mode)),
            a,
        )
    for full in (False, True):
        case("aten.linalg_svd.default", lambda x, f=full: orthonormal(*aten.linalg_svd.default(x, f)), a)
        case("aten._linalg_svd.default", lambda x, f=full: orthonormal(*aten._linalg_svd.default(x, f)), a)
    add(CASES, "aten.linalg_svdvals.default", [a])
case("aten.linalg_qr.default", lambda x: torch.linalg.qr(x, "r")[1], TALL)
add(CASES, "aten.qr.default", [TALL])
add(CASES, "aten.qr.default", [TALL], False)
add(CASES, "aten.linalg_qr.default", [T(3, 4, 2)])
CASES["aten.linalg_qr.default"].append(Case(aten.linalg_qr.default, T(3, 4, 2), dynamic=DYNAMIC))
CASES["aten.linalg_qr.default"].append(Case(aten.linalg_qr.default, T(4, 2), dynamic=DYNAMIC))
case("aten.linalg_svd.default", lambda x: orthonormal(*torch.linalg.svd(x)), ZEROS)
case(
    "aten.linalg_svd.default",
    lambda x: orthonormal(*torch.linalg.svd(x, full_matrices=False)),
    T(3, 4, 2),
    dynamic=DYNAMIC,
)
case("aten.linalg_svdvals.default", torch.linalg.svdvals, T(4, 3), dynamic=DYNAMIC)
for some in (False, True):
    case("aten.svd.default", lambda x, some=some: (lambda u, s, v: orthonormal(u, s, v.mT))(*torch.svd(x, some)), TALL)
case("aten.svd.default", lambda x: tuple(torch.svd(x, compute_uv=False)), TALL)
case("aten._linalg_svd.default", lambda x: aten._linalg_svd.default(x, False, False)[1], TALL)


for a in (SQUARE, WIDE, TALL, BATCH, ZEROS, T(4, 4, dtype=F64), T(1, 1)):
    add(CASES, "aten.geqrf.default", [a])
    for name in ("linalg_householder_product", "orgqr"):
        if a is not WIDE:
            case(f"aten.{name}.default", lambda x, op=getattr(aten, name).default: op(*torch.geqrf(x)), a)
    for is_left in (False, True):
        for is_transposed in (False, True):
            case(
                "aten.ormqr.default",
                lambda x, left=is_left, turned=is_transposed: aten.ormqr.default(
                    *torch.geqrf(x),
                    torch.arange(2.0 * x.shape[-2], dtype=x.dtype)
                    .reshape((-1, 2) if left else (2, -1))
                    .expand(*x.shape[:-2], *((-1, 2) if left else (2, -1))),
                    left,
                    turned,
                ),
                a,
            )


def spectral(values: torch.Tensor, vectors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return vectors * values.unsqueeze(-2) @ vectors.mT, values, excess(vectors)


for a in (SYMMETRIC, INDEFINITE, EQUAL_VALUES, T(2, 2, 3, 3), T(1, 1), T(5, 5, dtype=F64)):
    for half in ("L", "U"):
        case("aten.linalg_eigh.default", lambda x, half=half: spectral(*torch.linalg.eigh(x, half)), a)
        case("aten._linalg_eigh.default", lambda x, half=half: spectral(*aten._linalg_eigh.default(x, half)), a)
        case("aten.linalg_eigvalsh.default", lambda x, half=half: torch.linalg.eigvalsh(x, half), a)
case("aten.linalg_eigh.default", lambda x: spectral(*torch.linalg.eigh(x)), T(3, 4, 4), dynamic=DYNAMIC)
case("aten._linalg_eigh.default", lambda x: aten._linalg_eigh.default(x, "L", False)[0], SYMMETRIC)

for name in ("linalg_matrix_exp", "matrix_exp"):
    add(CASES, f"aten.{name}.default", [SQUARE])
    add(CASES, f"aten.{name}.default", [T(value=20 * _m)])
    add(CASES, f"aten.{name}.default", [T(3, 3, dtype=F64)])

for a in (SQUARE, WIDE, TALL, BATCH, T(value=torch.zeros(3, 3))):
    if a.value is None or a.value.any():  # PyTorch refuses singular matrices here
        add(CASES, "aten.linalg_lu_factor.default", [a])
    add(CASES, "aten.linalg_lu_factor_ex.default", [a])
    add(CASES, "aten._lu_with_info.default", [a])
    add(CASES, "aten.linalg_lu.default", [a])
    case("aten.lu_unpack.default", lambda x: tuple(torch.lu_unpack(*torch.linalg.lu_factor_ex(x)[:2])), a)
case("aten.lu_unpack.default", lambda x: torch.lu_unpack(*torch.linalg.lu_factor(x), unpack_pivots=False)[1:], SQUARE)
case("aten.lu_unpack.default", lambda x: torch.lu_unpack(*torch.linalg.lu_factor(x), unpack_data=False)[0], SQUARE)
for b in (T(2, 4, 3), T(4, 3)):
    case(
        "aten.linalg_lu_solve.default",
        lambda x, b: torch.linalg.lu_solve(*torch.linalg.lu_factor(x), b.expand(2, 4, 3)),
        SQUARE,
        b,
    )
case("aten.lu_solve.default", lambda x, b: torch.lu_solve(b, *torch.linalg.lu_factor(x)), SQUARE, T(2, 4, 3))

for upper in (False, True):
    case(
        "aten.cholesky_inverse.default",
        lambda x, u=upper: torch.cholesky_inverse(torch.linalg.cholesky(x, upper=u), u),
        SYMMETRIC,
    )
for a in (SQUARE, WIDE, TALL, LOW_RANK):
    case("aten.linalg_pinv.default", lambda x: aten.linalg_pinv.default(x, 1e-4), a)
    case("aten.linalg_pinv.atol_rtol_float", lambda x: torch.linalg.pinv(x, atol=1e-4, rtol=1e-4), a)
    case("aten.linalg_pinv.atol_rtol_tensor", lambda x: torch.linalg.pinv(x), a)
    case("aten.pinverse.default", lambda x: torch.pinverse(x, 1e-4), a)
    case("aten.linalg_matrix_rank.atol_rtol_float", lambda x: aten.linalg_matrix_rank.atol_rtol_float(x), a)
    case("aten.linalg_matrix_rank.default", lambda x: aten.linalg_matrix_rank.default(x, 0.5), a)
    case("aten.linalg_matrix_rank.tol_tensor", lambda x: torch.linalg.matrix_rank(x, torch.tensor(0.5)), a)
    case("aten.linalg_matrix_rank.atol_rtol_tensor", lambda x: torch.linalg.matrix_rank(x, rtol=torch.tensor(0.5)), a)
case("aten.linalg_pinv.atol_rtol_tensor", lambda x: torch.linalg.pinv(x, hermitian=True), INDEFINITE)
case(
    "aten.linalg_matrix_rank.atol_rtol_float",
    lambda x: aten.linalg_matrix_rank.atol_rtol_float(x, hermitian=True),
    EQUAL_VALUES,
)
