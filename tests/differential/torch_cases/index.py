"""Reading and writing at indices."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, add_pair
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
INT, INT32, BOOL, HALF = torch.int64, torch.int32, torch.bool, torch.float16
X = T(4, 5, 6)
ROWS, COLUMNS = T(3, dtype=INT, low=-4, high=4), T(2, 1, dtype=INT, low=0, high=5)
BATCH = {0: {0: (2, 8)}}
MASK = T(value=torch.tensor([True, False, True, True]))
MASK_2 = T(value=torch.rand(4, 5, generator=torch.Generator().manual_seed(1)) < 0.5)
ONES = T(value=torch.tensor([3, 1, 0]))

CASES["aten.index.Tensor"] = [
    Case(lambda x, i: x[i], X, ROWS),
    Case(lambda x, i: x[:, i], X, ROWS),
    Case(lambda x, i: x[i], X, T(2, 2, dtype=INT32, low=0, high=4)),
    Case(lambda x, i, j: x[i, j], X, ROWS, COLUMNS),
    Case(lambda x, i, j: x[:, i, j], X, ROWS, COLUMNS),
    Case(lambda x, i, j: x[i, :, j], X, ROWS, COLUMNS),
    Case(lambda x, i, j: x[i[:, None], j[:, 0]], X, ROWS, COLUMNS),
    Case(lambda x, m: x[m], X, weights=[MASK]),
    Case(lambda x, m: x[m], X, weights=[MASK_2]),
    Case(lambda x, y, i: y[i], T(3, 2), T(4, 5), T(3, dtype=INT, low=0, high=4), dynamic={2: {0: (2, 8)}}),
    Case(lambda x, i: x[torch.arange(x.shape[0]), i], T(3, 5), T(3, dtype=INT, low=0, high=5),
         dynamic={0: {0: (2, 8)}, 1: {0: (2, 8)}}),
]  # fmt: skip
CASES["aten._unsafe_index.Tensor"] = [
    Case(
        lambda x, i, j: aten._unsafe_index.Tensor(x, [None, i, j]),
        X,
        T(3, 1, dtype=INT, high=5),
        T(2, dtype=INT, high=6),
    )
]
PUTS = [
    (lambda x, i, v: ([i], v), [X, ONES, T(3, 5, 6)]),
    (lambda x, i, v: ([i], v), [X, ONES, T()]),
    (lambda x, i, v: ([None, i], v), [X, ONES, T(6)]),
    (lambda x, i, v: ([None, i], v), [X, ONES, T(4, 3, 1)]),
    (lambda x, i, j, v: ([i, j], v), [X, ONES, T(3, dtype=INT, high=5), T(3, 6)]),
    (lambda x, i, j, v: ([i, None, j], v), [X, ONES, T(3, dtype=INT, high=6), T(3, 5)]),
    (lambda x, m, v: ([m], v), [X, T(4, dtype=BOOL), T()]),
    (lambda x, m, v: ([m], v), [X, T(4, 5, dtype=BOOL), T(1)]),
]
for target in ("aten.index_put.default", "aten._unsafe_index_put.default"):
    op = aten.index_put.default if "unsafe" not in target else aten._unsafe_index_put.default
    for arguments, specs in PUTS:
        CASES.setdefault(target, []).append(Case(lambda x, *r, a=arguments, op=op: op(x, *a(x, *r)), *specs))
    CASES[target].append(Case(lambda x, i, v, op=op: op(x, [i], v, True), X, T(9, dtype=INT, high=4), T(9, 5, 6)))
    CASES[target].append(Case(lambda x, v, m, op=op: op(x, [m], v), X, T(3, 5, 6), weights=[MASK]))
for target in ("aten.index_put_.default", "aten._index_put_impl_.default"):
    op = aten.index_put_.default if "impl" not in target else aten._index_put_impl_.default
    for arguments, specs in PUTS:
        CASES.setdefault(target, []).append(
            Case(lambda x, *r, a=arguments, op=op: (y := x * 1, op(y, *a(x, *r)))[0], *specs)
        )
    CASES[target].append(
        Case(lambda x, i, v, op=op: (y := x * 1, op(y, [i], v, True))[0], X, T(9, dtype=INT, high=4), T(9, 5, 6))
    )
CASES["aten.index_put_.default"].append(Case(lambda x, m: (y := x * 1, y.__setitem__(m, 2.0))[0], X, T(4, dtype=BOOL)))
for args in (([T(3, dtype=INT, high=5)], 1), ([T(2, dtype=INT32, high=6)], -1), ([T(dtype=INT, high=4)], 0)):
    CASES.setdefault("aten.index_select.default", []).append(
        Case(lambda x, i, d=args[1]: aten.index_select.default(x, d, i), X, *args[0])
    )
CASES["aten.embedding.default"] = [
    Case(lambda i, w: aten.embedding.default(w, i), T(2, 3, dtype=INT), weights=[T(8, 4)]),
    Case(lambda i, w: aten.embedding.default(w, i, 2), T(2, 3, dtype=INT32), weights=[T(8, 4)]),
    Case(lambda i, w: aten.embedding.default(w, i), T(3, 2, dtype=INT), weights=[T(8, 4)], dynamic=BATCH),
]
add(CASES, "aten.take.default", [T(3, 4), T(2, 2, dtype=INT, low=-12, high=12)])
CASES["aten.gather.default"] = [
    Case(lambda x, i, d=d: aten.gather.default(x, d, i), T(4, 5), T(3, 4, dtype=INT, high=4)) for d in (0, 1, -1)
]
CASES["aten.gather.default"].append(Case(lambda x, i: aten.gather.default(x, 0, i), T(), T(dtype=INT, high=1)))
add(CASES, "aten.take_along_dim.default", [T(4, 5), T(3, 5, dtype=INT, high=4)], 0)
add(CASES, "aten.take_along_dim.default", [T(4, 5), T(1, 2, dtype=INT, high=5)], -1)
add(CASES, "aten.take_along_dim.default", [T(4, 5), T(3, dtype=INT, high=20)])
for mask in (T(3, 4, dtype=BOOL), T(4, dtype=BOOL), T(3, 1, dtype=BOOL)):
    add_pair(CASES, "aten.masked_fill.Scalar", [T(3, 4), mask], -2.5)
    add_pair(CASES, "aten.masked_fill.Tensor", [T(3, 4), mask, T()])
add(CASES, "aten.masked_fill.Scalar", [T(4, dtype=HALF), T(4, dtype=BOOL)], float("-inf"))
add(CASES, "aten.masked_fill.Scalar", [T(4, dtype=INT), T(4, dtype=BOOL)], 7)
add(CASES, "aten.masked_fill.Scalar", [T(4), T(3, 4, dtype=BOOL)], 7)
add_pair(CASES, "aten.masked_scatter.default", [T(3, 4), T(3, 4, dtype=BOOL), T(15)])
add(CASES, "aten.masked_scatter.default", [T(3, 4), T(4, dtype=BOOL), T(15)])
for shape, mask in (((4,), (3, 4)), ((3, 1), (4,))):
    add(CASES, "aten.masked_scatter.default", [T(*shape), T(*mask, dtype=BOOL), T(15)])
add(CASES, "aten.one_hot.default", [T(2, 3, dtype=INT)], 8)
BAG = [T(value=torch.tensor([1, 0, 3, 2, 2, 5, 4])), T(value=torch.tensor([0, 2, 2, 5]))]
for name, forward in (("embedding_bag", aten.embedding_bag.default), ("_embedding_bag", aten._embedding_bag.default),
                      ("_embedding_bag_forward_only", aten._embedding_bag_forward_only.default)):  # fmt: skip
    for mode in (0, 1, 2):
        CASES.setdefault(f"aten.{name}.default", []).append(
            Case(lambda i, o, w, op=forward, m=mode: op(w, i, o, False, m)[0], *BAG, weights=[T(6, 3)])
        )
    CASES[f"aten.{name}.default"] += [
        Case(lambda i, o, s, w, op=forward: op(w, i, o, False, 0, False, s)[0], *BAG, T(7), weights=[T(6, 3)]),
        Case(lambda i, o, w, op=forward: op(w, i, o, False, 0, False, None, True)[0], *BAG, weights=[T(6, 3)]),
    ]


def all_of_bag(name: str, mode: int, padding: int, has_end: bool) -> Case:
    """Returns a case of all results, which of sums are not counts but zeros. With `include_last_offset` the exporter
    may record more bags than there are; such results are not read."""
    op = getattr(aten, name).default
    offsets = T(value=torch.tensor([0, 2, 2, 5, 7])) if has_end else BAG[1]
    count = 2 if has_end and name.endswith("only") else 4

    def run(i: torch.Tensor, o: torch.Tensor, w: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return op(w, i, o, False, mode, False, None, has_end, padding)[:count]  # type: ignore[no-any-return]

    return Case(run, BAG[0], offsets, weights=[T(6, 3)])


for name in ("_embedding_bag", "_embedding_bag_forward_only"):
    CASES[f"aten.{name}.default"] += [
        all_of_bag(name, mode, padding, has_end)
        for mode in (0, 1, 2)
        for padding in (-1, 2)
        for has_end in (False, True)
    ]
CASES["aten.embedding_bag.padding_idx"] = [
    Case(
        lambda i, o, w, m=m: aten.embedding_bag.padding_idx(w, i, o, False, m, False, None, False, 2)[0],
        *BAG,
        weights=[T(6, 3)],
    )
    for m in (0, 1)
]
CASES["aten.embedding_bag.padding_idx"].append(
    Case(
        lambda i, o, w: aten.embedding_bag.padding_idx(w, i, o, False, 0, False, None, False, -2)[0],
        *BAG,
        weights=[T(6, 3)],
    )
)
