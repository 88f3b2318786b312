"""Products of matrices and vectors."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, add_pair
from torch_case import Case, T
from vision_ops import torchvision

CASES: Cases = {}

aten = torch.ops.aten
INT, HALF, BYTE = torch.int64, torch.float16, torch.int8
BATCH = {0: {0: (2, 8)}}

for shape in ((5,), (2, 5), (2, 3, 5), (2, 1, 3, 5), (2, 2, 1, 3, 5), (0, 5)):
    CASES.setdefault("aten.linear.default", []).append(
        Case(lambda x, w, b: aten.linear.default(x, w, b), T(*shape), weights=[T(4, 5), T(4)])
    )
CASES["aten.linear.default"] += [
    Case(lambda x, w: aten.linear.default(x, w), T(2, 5), weights=[T(4, 5)]),
    Case(lambda x, w: aten.linear.default(x, w), T(2, 5), weights=[T(5)]),
    Case(lambda x, w, b: aten.linear.default(x, w, b), T(3, 2, 5), weights=[T(4, 5), T(4)], dynamic=BATCH),
    Case(
        lambda x, w, b: aten.linear.default(x, w, b),
        T(3, 5, dtype=HALF),
        weights=[T(4, 5, dtype=HALF), T(4, dtype=HALF)],
    ),
]
add(CASES, "aten.mm.default", [T(2, 3), T(3, 4)])
add(CASES, "aten.mm.default", [T(2, 0), T(0, 4)])
add(CASES, "aten.mm.default", [T(2, 3, dtype=INT), T(3, 4, dtype=INT)])
add(CASES, "aten.bmm.default", [T(2, 3, 4), T(2, 4, 5)])
for left, right in (((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3, 4)),
                    ((2, 3), (5, 3, 4)), ((2, 1, 4, 3), (5, 3, 2)), ((3,), (5, 3, 2))):  # fmt: skip
    add(CASES, "aten.matmul.default", [T(*left), T(*right)])
add(CASES, "aten.linalg_matmul.default", [T(2, 3), T(3, 4)])
CASES["aten._sparse_mm.default"] = [
    Case(lambda x, y: aten._sparse_mm.default(aten.to_sparse.default(x), y), T(2, 3), T(3, 4))
]
CASES["aten._sparse_addmm.default"] = [
    Case(
        lambda c, x, y: aten._sparse_addmm.default(c, aten.to_sparse.default(x), y, beta=0.5), T(2, 4), T(2, 3), T(3, 4)
    )
]
CASES["aten.matmul.default"].append(Case(lambda x, y: x @ y, T(3, 2, 5), T(5, 4), dynamic=BATCH))
CASES["aten.bmm.default"].append(
    Case(lambda x, y: aten.bmm.default(x, y), T(3, 2, 5), T(3, 5, 4), dynamic={0: {0: (2, 8)}, 1: {0: (2, 8)}})
)
add(CASES, "aten.mv.default", [T(2, 3), T(3)])
add(CASES, "aten.dot.default", [T(3), T(3)])
add(CASES, "aten.vdot.default", [T(3), T(3)])
for left, right in (((3,), (3,)), ((2, 3), (4, 3)), ((2, 3), (3,)), ((), (3,))):
    add(CASES, "aten.inner.default", [T(*left), T(*right)])
add(
    CASES, "aten._int_mm.default", [T(32, 16, dtype=BYTE, low=-100, high=100), T(16, 8, dtype=BYTE, low=-100, high=100)]
)
for name, shapes in (("addmm", [(4,), (2, 3), (3, 4)]), ("addmv", [(2,), (2, 3), (3,)]),
                     ("addbmm", [(2, 4), (5, 2, 3), (5, 3, 4)]), ("baddbmm", [(1, 4), (5, 2, 3), (5, 3, 4)]),
                     ("addr", [(2, 3), (2,), (3,)])):  # fmt: skip
    add(CASES, f"aten.{name}.default", [T(*s) for s in shapes])
    add(CASES, f"aten.{name}.default", [T(*s) for s in shapes], beta=0.5, alpha=2)
    add(
        CASES,
        f"aten.{name}.default",
        [T(value=torch.full(shapes[0], float("nan"))), *(T(*s) for s in shapes[1:])],
        beta=0,
    )
add_pair(CASES, "aten.addmm.default", [T(2, 4), T(2, 3), T(3, 4)], beta=2)
add_pair(CASES, "aten.addmv.default", [T(2), T(2, 3), T(3)], beta=2)
add_pair(CASES, "aten.baddbmm.default", [T(5, 2, 4), T(5, 2, 3), T(5, 3, 4)], beta=2)
for name in ("outer", "ger"):
    add(CASES, f"aten.{name}.default", [T(2), T(3)])
add(CASES, "aten.tensordot.default", [T(2, 3, 4), T(4, 3, 5)], [2, 1], [0, 1])
add(CASES, "aten.tensordot.default", [T(2, 3), T(3, 5)], [-1], [0])
add(CASES, "aten.kron.default", [T(2, 3), T(3, 2)])
add(CASES, "aten.kron.default", [T(3), T(2, 3, 2)])
CASES["aten.bilinear.default"] = [
    Case(lambda x, y, w, b: aten.bilinear.default(x, y, w, b), T(2, 3), T(2, 4), weights=[T(5, 3, 4), T(5)]),
    Case(lambda x, y, w: aten.bilinear.default(x, y, w), T(2, 2, 3), T(2, 2, 4), weights=[T(5, 3, 4)]),
]
for name in ("matrix_power", "linalg_matrix_power"):
    for power in (1, 2, 5, -2):
        add(CASES, f"aten.{name}.default", [T(2, 3, 3)], power)
    CASES[f"aten.{name}.default"][-1].tol = 1e-3


def einsum(equation: str, *shapes: tuple[int, ...]) -> None:
    CASES.setdefault("aten.einsum.default", []).append(
        Case(lambda *x: torch.ops.aten.einsum.default(equation, list(x)), *(T(*s) for s in shapes))
    )


einsum("ij,jk->ik", (2, 3), (3, 4))
einsum("ij,jk", (2, 3), (3, 4))
einsum("bhid, bhjd -> bhij", (2, 3, 4, 5), (2, 3, 6, 5))
einsum("bhij,bjhd->bihd", (2, 3, 4, 5), (2, 5, 3, 6))
einsum("nkctv,kvw->nctw", (2, 3, 4, 5, 6), (3, 6, 7))
einsum("ij,kj->", (2, 3), (4, 3))
einsum("ijk,kj->i", (2, 3, 4), (4, 3))
einsum("i,j->ij", (2,), (3,))
einsum("ii->i", (3, 3))
einsum("ij->ji", (2, 3))
einsum("...ij,jk->...ik", (5, 2, 3), (3, 4))
einsum("ij,jk,kl->il", (2, 3), (3, 4), (4, 5))
einsum("bi,bj,bij->b", (2, 3), (2, 4), (2, 3, 4))
einsum("ba", (2, 3))
CASES["aten.einsum.default"].append(
    Case(lambda x, y: torch.einsum("bti,ij->btj", x, y), T(3, 2, 4), T(4, 5), dynamic=BATCH)
)

torchvision()  # which transformers imports
import transformers.integrations.moe  # noqa: E402, F401  defines the op

CASES["transformers.grouped_mm_fallback.default"] = [
    Case(lambda x, w, e: torch.ops.transformers.grouped_mm_fallback.default(x, w, e), T(6, 3), T(4, 3, 5),
         T(value=torch.tensor([2, 2, 5, 6], dtype=torch.int32)))
]  # fmt: skip

CASES["aten._trilinear.default"] = [
    Case(lambda a, b, c: aten._trilinear.default(a, b, c, [1, 3], [0], [1, 2], [2, 3]), T(5, 3), T(6, 3, 4), T(5, 4)),
    Case(lambda a, b, c: aten._trilinear.default(a, b, c, [], [], [], []), T(2, 3), T(2, 3), T(2, 3)),
]
CASES["aten.matrix_power.default"].append(Case(lambda x: torch.matrix_power(x, 0), T(2, 3, 3)))
F8 = torch.float8_e4m3fn
EIGHTS, ONE, BY_ROW, BY_COLUMN = T(16, 32, dtype=F8), T(positive=True), T(16, 1, positive=True), T(1, 16, positive=True)


def scaled(out: torch.dtype, *args: T) -> Case:
    def product(
        a: torch.Tensor, b: torch.Tensor, s: torch.Tensor, t: torch.Tensor, *bias: torch.Tensor
    ) -> torch.Tensor:
        return torch._scaled_mm(a, b.t(), s, t, *bias, out_dtype=out)

    return Case(product, *args)


CASES["aten._scaled_mm.default"] = [
    scaled(torch.float32, EIGHTS, EIGHTS, ONE, ONE),
    scaled(torch.bfloat16, EIGHTS, EIGHTS, ONE, ONE),
    scaled(torch.bfloat16, EIGHTS, EIGHTS, BY_ROW, BY_COLUMN),
    scaled(torch.float32, EIGHTS, EIGHTS, ONE, ONE, T(16)),
]
