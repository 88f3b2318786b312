"""Parts of tensors, and joined tensors."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, call, view_case
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
INT = torch.int64
BATCH = {0: {0: (2, 8)}}


def view(target: str, args: list[T], *rest: object) -> None:
    add(CASES, target, args, *rest)
    CASES[target].append(view_case(call(target, *rest), *args))


for args in ((0, 1), (1, 1, 3), (1, -2), (0, 0, -1), (1, 0, 9, 2), (2, 1, 4, 2), (-1, 3, 2), (0,)):
    view("aten.slice.Tensor", [T(3, 4, 5)], *args)
CASES["aten.slice.Tensor"] += [
    Case(lambda x: x[1:], T(3, 2), dynamic=BATCH),
    Case(lambda x: x[:-1], T(3, 2), dynamic=BATCH),
    Case(lambda x, y: y[: x.shape[0]], T(3, 2), T(9), dynamic=BATCH),
    Case(lambda x, y: y[x.shape[0] :], T(3, 2), T(12), dynamic=BATCH),
    Case(lambda x: x[::2], T(4, 2), dynamic=BATCH),
]
add(CASES, "aten.slice_copy.Tensor", [T(3, 4)], 1, 1, 3)
view("aten.narrow.default", [T(3, 4)], 1, 1, 2)
view("aten.narrow.default", [T(3, 4)], 1, -3, 2)
CASES["aten.narrow.default"].append(Case(lambda x, y: y.narrow(0, 1, x.shape[0]), T(3, 2), T(9), dynamic=BATCH))
add(CASES, "aten.narrow_copy.default", [T(3, 4)], 0, 1, 2)
for args in ((0, 1), (1, -1), (-1, 2)):
    view("aten.select.int", [T(3, 4)], *args)
CASES["aten.select.int"] += [
    Case(lambda x: x[-1], T(3, 2), dynamic=BATCH),
    Case(lambda x: x[:, 1], T(3, 2), dynamic=BATCH),
]
add(CASES, "aten.select_copy.int", [T(3, 4)], 1, 2)
add(CASES, "aten.slice_scatter.default", [T(4, 5), T(2, 5)], 0, 1, 3)
add(CASES, "aten.slice_scatter.default", [T(4, 5), T(4, 2)], 1, -4, 9, 2)
add(CASES, "aten.slice_scatter.default", [T(4, 5), T(4, 5)])
CASES["aten.slice_scatter.default"].append(
    Case(lambda x, y: aten.slice_scatter.default(y, x, 0, 0, x.shape[0]), T(3, 2), T(9, 2), dynamic=BATCH)
)
add(CASES, "aten.select_scatter.default", [T(4, 5), T(4)], 1, -2)
for target in ("aten.unbind.int", "aten.unbind_copy.int"):
    add(CASES, target, [T(3, 4)])
    add(CASES, target, [T(3, 2)], -1)
for target in ("aten.split.Tensor", "aten.split_copy.Tensor", "aten.unsafe_split.Tensor"):
    add(CASES, target, [T(5, 4)], 2)
    add(CASES, target, [T(5, 4)], 3, -1)
    add(CASES, target, [T(5, 4)], 9, 0)
CASES["aten.split.Tensor"] += [
    Case(lambda x: x.split(2, 1), T(3, 5), dynamic=BATCH),
    Case(lambda x, y: y.split(x.shape[0] * 4, 0)[0], T(3, 5), T(8, 2), dynamic=BATCH),
]
for target in ("aten.split.sizes", "aten.split_with_sizes.default", "aten.split_with_sizes_copy.default",
               "aten.unsafe_split_with_sizes.default"):  # fmt: skip
    add(CASES, target, [T(5, 4)], [2, 3])
    add(CASES, target, [T(5, 4)], [1, 0, 3], 1)
CASES["aten.split_with_sizes.default"].append(
    Case(lambda x, y: aten.split_with_sizes.default(y, [x.shape[0], 12 - x.shape[0]]), T(3, 2), T(12), dynamic=BATCH)
)
for target in ("aten.chunk.default", "aten.unsafe_chunk.default"):
    add(CASES, target, [T(5, 4)], 2)
    add(CASES, target, [T(5, 4)], 3, 1)
    add(CASES, target, [T(2, 4)], 5, 0)
add(CASES, "aten.tensor_split.sections", [T(5, 4)], 3)
add(CASES, "aten.tensor_split.sections", [T(5, 7)], 2, 1)
add(CASES, "aten.tensor_split.indices", [T(5, 4)], [1, 3])
add(CASES, "aten.tensor_split.indices", [T(5, 4)], [2, -1], 1)


def joined(target: str, *rest: object) -> None:
    op = getattr(getattr(aten, target.split(".")[1]), target.split(".")[2])
    for shapes in (((2, 3), (2, 3)), ((2, 3), (2, 3), (2, 3))):
        CASES.setdefault(target, []).append(Case(lambda *x: op(list(x), *rest), *(T(*s) for s in shapes)))


for name in ("cat", "concat", "concatenate"):
    joined(f"aten.{name}.default")
    joined(f"aten.{name}.default", 1)
    joined(f"aten.{name}.default", -2)
CASES["aten.cat.default"] += [
    Case(lambda x, y: torch.cat([x, y]), T(2, 3), T(1, 3, dtype=INT)),
    Case(lambda x, y: torch.cat([x, y], 1), T(2, 3), T(0)),
    Case(lambda x, y: torch.cat([x, y]), T(0), T(3)),
    Case(lambda x, y: torch.cat([x, y, x]), T(3, 2), T(4, 2), dynamic=BATCH),
]
joined("aten.stack.default")
joined("aten.stack.default", -1)
joined("aten.stack.default", 1)
for name in ("hstack", "vstack", "row_stack", "dstack", "column_stack"):
    op = getattr(aten, name).default
    for shape in ((), (3,), (3, 2), (3, 2, 2)):
        CASES.setdefault(f"aten.{name}.default", []).append(Case(lambda x, y, op=op: op([x, y]), T(*shape), T(*shape)))
CASES["aten.meshgrid.default"] = [Case(lambda x, y: aten.meshgrid.default([x, y]), T(2), T(3))]
CASES["aten.meshgrid.indexing"] = [
    Case(lambda x, y, way=way: aten.meshgrid.indexing([x, y], indexing=way), T(2), T(3)) for way in ("ij", "xy")
]
CASES["aten.cartesian_prod.default"] = [
    Case(lambda x, y: torch.cartesian_prod(x, y), T(2), T(3)),
    Case(lambda x: torch.cartesian_prod(x), T(2)),
]
for args in ((), (2,), (1, 0)):
    add(CASES, "aten.diff.default", [T(4, 5)], *args)
add(CASES, "aten.diff.default", [T(9, dtype=torch.bool)])
CASES["aten.diff.default"] += [
    Case(lambda x, y, z: aten.diff.default(x, 1, 1, y, z), T(4, 5), T(4, 2), T(4, 1)),
    Case(lambda x: aten.diff.default(x, 1, 0), T(4, 5), dynamic=BATCH),
]
CASES["aten.slice.Tensor"].append(Case(lambda x, y: y[:, : x.shape[0]] + x, T(4), T(1, 64), dynamic=BATCH))

for op, shape in (("vsplit", (4, 3)), ("hsplit", (3, 4)), ("hsplit", (4,)), ("dsplit", (2, 3, 4))):
    CASES.setdefault(f"aten.{op}.int", []).append(Case(lambda x, op=op: getattr(torch, op)(x, 2), T(*shape)))
    CASES.setdefault(f"aten.{op}.array", []).append(Case(lambda x, op=op: getattr(torch, op)(x, [1, 3]), T(*shape)))
