"""Shapes, orders, repetition, diagonals."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, add_pair, call, view_case
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
INT, BOOL = torch.int64, torch.bool
BATCH = {0: {0: (2, 8)}}


def view(target: str, args: list[T], *rest: object, **options: object) -> None:
    """Adds a case that reads a view, and one that writes through it."""
    add(CASES, target, args, *rest, **options)
    CASES[target].append(view_case(call(target, *rest, **options), *args))


view("aten.view.default", [T(2, 6)], [3, -1])
view("aten.view.default", [T(2, 6)], [12])
CASES["aten.view.default"].append(Case(lambda x: x.view(x.shape[0], 2, -1), T(3, 6), dynamic=BATCH))
CASES["aten.view.default"].append(Case(lambda x: x.view(-1, 3), T(3, 6), dynamic=BATCH))
view("aten.reshape.default", [T(2, 6)], [4, 3])
CASES["aten.reshape.default"].append(Case(lambda x: x.reshape(x.shape[0] * 2, 3), T(3, 6), dynamic=BATCH))
add(CASES, "aten._unsafe_view.default", [T(2, 6)], [3, 4])
add(CASES, "aten._reshape_alias.default", [T(2, 6)], [3, 4], [4, 1])
add(CASES, "aten.view_copy.default", [T(2, 6)], [3, 4])
for name in ("view", "view_copy"):
    for dtype in (torch.int32, torch.float32, torch.uint8, torch.int64):
        add(CASES, f"aten.{name}.dtype", [T(2, 6)], dtype)
CASES["aten.view.dtype"].append(Case(lambda x: x.view(torch.int8) + 1, T(3, 4, dtype=torch.uint8), dynamic=BATCH))
view("aten.view.dtype", [T(2, 6)], torch.int32)
view("aten.view_as.default", [T(2, 6), T(3, 4)])
view("aten.reshape_as.default", [T(2, 6), T(3, 4)])
view("aten.ravel.default", [T(2, 3)])
for args in ((), (1,), (0, 1), (-2, -1), (1, 1)):
    view("aten.flatten.using_ints", [T(2, 3, 4)], *args)
add(CASES, "aten.flatten.using_ints", [T()])
CASES["aten.flatten.using_ints"].append(Case(lambda x: x.flatten(1), T(3, 2, 4), dynamic=BATCH))
CASES["aten.flatten.using_ints"].append(Case(lambda x: x.flatten(0, 1), T(3, 2, 4), dynamic=BATCH))
view("aten.unflatten.int", [T(2, 6, 3)], 1, [2, -1])
view("aten.unflatten.int", [T(6, 3)], -2, [3, 2])
view("aten.squeeze.default", [T(1, 3, 1, 2)])
add(CASES, "aten.squeeze.default", [T(1, 1)])
view("aten.squeeze.dim", [T(1, 3, 1)], -1)
add(CASES, "aten.squeeze.dim", [T(1, 3, 1)], 1)
add(CASES, "aten.squeeze.dim", [T()], 0)
view("aten.squeeze.dims", [T(1, 3, 1, 2)], [0, -1, 2])
add(CASES, "aten.squeeze_copy.dim", [T(1, 3)], 0)
view("aten.unsqueeze.default", [T(2, 3)], 1)
view("aten.unsqueeze.default", [T(2, 3)], -1)
add(CASES, "aten.unsqueeze.default", [T()], 0)
add(CASES, "aten.unsqueeze_copy.default", [T(3)], 0)
for rank in (1, 2, 3):
    for shape in ((), (2,), (2, 3), (2, 3, 4)):
        view(f"aten.atleast_{rank}d.default", [T(*shape)])
add(CASES, "aten.expand.default", [T(3, 1)], [2, 3, 4])
add(CASES, "aten.expand.default", [T(3, 1)], [-1, 4])
add(CASES, "aten.expand.default", [T()], [2, 3])
CASES["aten.expand.default"].append(Case(lambda x, y: y.expand(x.shape[0], -1), T(3, 2), T(1, 2), dynamic=BATCH))
add(CASES, "aten.expand_copy.default", [T(3, 1)], [3, 4])
add(CASES, "aten.broadcast_to.default", [T(3, 1)], [2, 3, 4])
add(CASES, "aten.expand_as.default", [T(3, 1), T(2, 3, 4)])
add(CASES, "aten.as_strided.default", [T(2, 3, 1)], [2, 3, 1], [3, 1, 3])
CASES["aten.broadcast_tensors.default"] = [
    Case(lambda x, y: aten.broadcast_tensors.default([x, y]), T(3, 1), T(2, 1, 4))
]

view("aten.permute.default", [T(2, 3, 4)], [2, 0, 1])
view("aten.permute.default", [T(2, 3, 4)], [0, -1, 1])
add(CASES, "aten.permute_copy.default", [T(2, 3, 4)], [2, 0, 1])
view("aten.transpose.int", [T(2, 3, 4)], 0, -1)
add(CASES, "aten.transpose.int", [T()], 0, -1)
add(CASES, "aten.transpose_copy.int", [T(2, 3, 4)], 1, 2)
view("aten.swapaxes.default", [T(2, 3, 4)], 0, 2)
view("aten.swapdims.default", [T(2, 3, 4)], 0, 2)
for shape in ((2, 3), (3,), ()):
    view("aten.t.default", [T(*shape)])
add(CASES, "aten.t_copy.default", [T(2, 3)])
view("aten.numpy_T.default", [T(2, 3)])
view("aten.mT.default", [T(2, 3, 4)])
view("aten.mH.default", [T(2, 3, 4)])
view("aten.adjoint.default", [T(2, 3, 4)])
view("aten.matrix_H.default", [T(3, 4)])
for name in ("movedim", "moveaxis"):
    view(f"aten.{name}.int", [T(2, 3, 4)], 0, 2)
    view(f"aten.{name}.int", [T(2, 3, 4)], -1, 0)
    view(f"aten.{name}.intlist", [T(2, 3, 4, 5)], [0, 1], [-1, 0])
add(CASES, "aten.flip.default", [T(2, 3, 4)], [0, -1])
add(CASES, "aten.flip.default", [T(3, dtype=BOOL)], [0])
add(CASES, "aten.fliplr.default", [T(2, 3)])
add(CASES, "aten.flipud.default", [T(2, 3)])
for k in (0, 1, 2, 3, -1, 5):
    add(CASES, "aten.rot90.default", [T(2, 3, 4)], k, [0, 2])
add(CASES, "aten.rot90.default", [T(2, 3)])
add(CASES, "aten.roll.default", [T(4, 3)], [1], [0])
add(CASES, "aten.roll.default", [T(4, 3)], [-1, 5], [0, -1])
add(CASES, "aten.roll.default", [T(4, 3)], [2])
add(CASES, "aten.roll.default", [T(0, 3)], [2], [0])
CASES["aten.roll.default"].append(Case(lambda x: aten.roll.default(x, [-3], [0]), T(4, 3), dynamic=BATCH))
add(CASES, "aten.repeat.default", [T(2, 3)], [2, 1, 3])
add(CASES, "aten.repeat.default", [T(3)], [1])
add(CASES, "aten.repeat.default", [T(2, 3)], [0, 1])
CASES["aten.repeat.default"].append(Case(lambda x, y: y.repeat(x.shape[0], 2), T(3, 2), T(1, 2), dynamic=BATCH))
add(CASES, "aten.tile.default", [T(2, 3)], [2])
add(CASES, "aten.tile.default", [T(2, 3)], [2, 1, 3])
add(CASES, "aten.repeat_interleave.self_int", [T(2, 3)], 2)
add(CASES, "aten.repeat_interleave.self_int", [T(2, 3)], 3, 0)
add(CASES, "aten.repeat_interleave.self_int", [T(2, 3)], 2, -1)
add(CASES, "aten.unfold.default", [T(2, 7)], 1, 3, 2)
add(CASES, "aten.unfold.default", [T(5, 2)], 0, 2, 1)
add(CASES, "aten.unfold_copy.default", [T(2, 7)], -1, 3, 2)
add(CASES, "aten.pixel_shuffle.default", [T(2, 8, 3, 2)], 2)
add(CASES, "aten.pixel_shuffle.default", [T(9, 3, 2)], 3)
add(CASES, "aten.pixel_unshuffle.default", [T(2, 3, 4, 6)], 2)
add(CASES, "aten.pixel_unshuffle.default", [T(2, 6, 9)], 3)
add(CASES, "aten.channel_shuffle.default", [T(2, 6, 2, 2)], 3)
add(CASES, "aten.native_channel_shuffle.default", [T(2, 6, 2, 2)], 2)

for name in ("tril", "triu"):
    add_pair(CASES, f"aten.{name}.default", [T(3, 4)])
    add_pair(CASES, f"aten.{name}.default", [T(2, 4, 3)], 1)
    add(CASES, f"aten.{name}.default", [T(4, 4, dtype=BOOL)], -1)
    CASES[f"aten.{name}.default"].append(
        Case(lambda x, f=getattr(torch, name): f(x, diagonal=x.shape[0] - 2), T(3, 4), dynamic=BATCH)
    )
for args in ((), (1,), (-1,), (0, 1, 2), (2, -1, 0), (9,)):
    view("aten.diagonal.default", [T(4, 3, 5)], *args)
for args, count in (((), 4), ((1,), 4), ((-2,), 2), ((5,), 0)):
    add(CASES, "aten.diagonal_scatter.default", [T(4, 5), T(count)], *args)
add(CASES, "aten.diagonal_scatter.default", [T(4, 3, 5), T(3, 4)], 1, 0, 2)
CASES["aten.diagonal.default"].append(Case(lambda x: x.diagonal(), T(3, 4), dynamic={0: {0: (2, 8)}}))
add(CASES, "aten.diagonal_copy.default", [T(4, 3)], 1)
add(CASES, "aten.linalg_diagonal.default", [T(2, 4, 3)], offset=1, dim1=1, dim2=2)
for args in ((), (1,), (-2,), (0, 0, 2), (1, 2, 0)):
    add(CASES, "aten.diag_embed.default", [T(2, 3)], *args)
for args in ((), (1,), (-1,)):
    add(CASES, "aten.diag.default", [T(3)], *args)
    add(CASES, "aten.diag.default", [T(4, 3)], *args)
add(CASES, "aten.trace.default", [T(3, 4)])
add(CASES, "aten.trace.default", [T(3, 4, dtype=torch.int32)])

CASES["aten.block_diag.default"] = [
    Case(lambda *x: torch.block_diag(*x), T(2, 3), T(1, 1), T(4), T()),
    Case(lambda *x: torch.block_diag(*x), T(2, 3), T(2, 2), dynamic={0: {0: (2, 5)}}),
    Case(lambda *x: torch.block_diag(*x), T(2, 3, dtype=torch.complex64), T(2, 2, dtype=torch.complex64)),
]
