"""Writing and adding along an axis."""

from __future__ import annotations

import torch
from aten_calls import Cases
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
INT, HALF = torch.int64, torch.float16
X, SRC = T(4, 5), T(6, 7)
# Each column has distinct rows, and each row distinct columns.
PLACES = T(value=torch.tensor([[0, 1, 2], [3, 2, 1]]))
REPEATED = T(3, 4, dtype=INT, low=0, high=4)
VECTOR = T(value=torch.tensor([3, 0]))


def pair(target: str, arguments: object, *specs: T) -> None:
    """Adds a case of an op, and of its form in place."""
    _, name, overload = target.split(".")
    op = getattr(getattr(aten, name), overload)
    in_place = getattr(getattr(aten, name + "_"), overload)
    CASES.setdefault(target, []).append(Case(lambda x, *r: op(x, *arguments(*r)), *specs))
    CASES.setdefault(f"aten.{name}_.{overload}", []).append(
        Case(lambda x, *r: (y := x * 1, in_place(y, *arguments(*r)))[0], *specs)
    )


def reduced(name: str, how: str, specs: list[T], **options: object) -> None:
    overload = {"scatter": "reduce", "scatter_reduce": "two"}[name]
    op = getattr(getattr(aten, name), overload)
    in_place = getattr(getattr(aten, name + "_"), overload)
    options = options | ({"reduce": how} if name == "scatter" else {})
    rest = () if name == "scatter" else (how,)
    CASES.setdefault(f"aten.{name}.{overload}", []).append(
        Case(lambda x, i, s: op(x, 1, i, s, *rest, **options), *specs)
    )
    CASES.setdefault(f"aten.{name}_.{overload}", []).append(
        Case(lambda x, i, s: (y := x * 1, in_place(y, 1, i, s, *rest, **options))[0], *specs)
    )


for dim in (0, 1, -1):
    pair("aten.scatter.src", lambda i, s, d=dim: (d, i, s), X, PLACES, SRC)
    pair("aten.scatter.value", lambda i, d=dim: (d, i, 2.5), X, PLACES)
    pair("aten.scatter_add.default", lambda i, s, d=dim: (d, i, s), X, REPEATED, SRC)
pair("aten.scatter.value", lambda i: (0, i, 1), T(4, 5, dtype=INT), PLACES)
pair("aten.scatter.src", lambda i, s: (0, i, s), T(), T(dtype=INT, high=1), T())
for how in ("add", "multiply"):
    reduced("scatter", how, [X, REPEATED, SRC])
    for target in ("scatter.value_reduce", "scatter_.value_reduce"):
        op = getattr(aten, target.split(".")[0]).value_reduce
        CASES.setdefault(f"aten.{target}", []).append(
            Case(lambda x, i, op=op, how=how: op(x * 1, 1, i, 1.5, reduce=how), X, REPEATED)
        )
for how in ("sum", "prod", "mean", "amax", "amin"):
    reduced("scatter_reduce", how, [X, REPEATED, SRC])
    reduced("scatter_reduce", how, [X, REPEATED, SRC], include_self=False)
reduced("scatter_reduce", "amax", [T(4, 5, dtype=INT), REPEATED, T(6, 7, dtype=INT)], include_self=False)
for dim in (0, -1):
    shape = (2, 5) if dim == 0 else (4, 2)
    pair("aten.index_add.default", lambda i, s, d=dim: (d, i, s), X, T(2, dtype=INT, high=4), T(*shape))
    pair("aten.index_copy.default", lambda i, s, d=dim: (d, i, s), X, VECTOR, T(*shape))
    pair("aten.index_fill.int_Scalar", lambda i, d=dim: (d, i, 2.5), X, VECTOR)
    pair("aten.index_fill.int_Tensor", lambda i, v, d=dim: (d, i, v), X, VECTOR, T())
    for how in ("prod", "mean", "amax", "amin"):
        for name in ("index_reduce", "index_reduce_"):
            op = getattr(aten, name).default
            for keeps in (True, False):
                run = lambda x, i, s, op=op, d=dim, r=how, k=keeps: op(x * 1, d, i, s, r, include_self=k)  # noqa: E731
                CASES.setdefault(f"aten.{name}.default", []).append(Case(run, X, T(2, dtype=INT, high=4), T(*shape)))
CASES["aten.index_add.default"].append(
    Case(lambda x, i, s: aten.index_add.default(x, 0, i, s, alpha=2), X, T(9, dtype=INT, high=4), T(9, 5))
)
pair("aten.put.default", lambda i, s: (i, s), X, T(value=torch.tensor([[3, 19], [0, 7]])), T(2, 2))
pair("aten.put.default", lambda i, s: (i, s, True), X, T(2, 9, dtype=INT, low=-20, high=20), T(2, 9))
