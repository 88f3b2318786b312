"""Resizing, sampling, columns of windows."""

from __future__ import annotations

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
SIZES = {1: (5,), 2: (5, 7), 3: (3, 4, 5)}
NEW = {1: [8], 2: [8, 3], 3: [5, 3, 7]}


def resize(name: str, n: int, *corners: bool) -> None:
    spec = T(2, 3, *SIZES[n])
    add(CASES, f"aten.{name}.default", [spec], NEW[n], *corners)
    add(CASES, f"aten.{name}.default", [spec], [2 * s for s in SIZES[n]], *corners, *([2.0] * n))
    add(CASES, f"aten.{name}.vec", [spec], NEW[n], *corners, None)
    add(CASES, f"aten.{name}.vec", [spec], None, *corners, [2.0, 3.0, 2.0][:n])
    add(CASES, f"aten.{name}.vec", [spec], None, *corners, [1.7, 0.6, 1.3][:n])


for n in (1, 2, 3):
    resize(f"upsample_nearest{n}d", n)
    resize(f"_upsample_nearest_exact{n}d", n)
for aligned in (False, True):
    resize("upsample_linear1d", 1, aligned)
    resize("upsample_bilinear2d", 2, aligned)
    resize("upsample_trilinear3d", 3, aligned)
    resize("upsample_bicubic2d", 2, aligned)
add(CASES, "aten.upsample_bilinear2d.vec", [T(2, 3, 5, 7)], [1, 1], True, None)
for name in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
    for aligned in (False, True):
        for size in ([3, 4], [9, 5]):
            add(CASES, f"aten.{name}.default", [T(2, 3, 7, 8)], size, aligned)
            add(CASES, f"aten.{name}.vec", [T(2, 3, 7, 8)], size, aligned, None)
        add(CASES, f"aten.{name}.vec", [T(2, 3, 7, 8)], None, aligned, [0.4, 1.3])
for name in ("upsample_nearest2d", "upsample_bilinear2d"):
    rest = (False,) if "bilinear" in name else ()
    CASES[f"aten.{name}.vec"].append(
        Case(
            lambda x, op=getattr(aten, name).vec, r=rest: op(x, None, *r, [2.0, 2.0]),
            T(3, 2, 4, 4),
            dynamic={0: {0: (2, 8), 2: (2, 8)}},
        )
    )
for mode in (0, 1, 2):
    for padding in (0, 1, 2):
        for aligned in (False, True):
            for name in ("grid_sampler", "grid_sampler_2d"):
                add(
                    CASES,
                    f"aten.{name}.default",
                    [T(2, 3, 5, 6), T(2, 4, 3, 2, low=-1.4, high=1.4)],
                    mode,
                    padding,
                    aligned,
                )
            if mode < 2:
                add(
                    CASES,
                    "aten.grid_sampler_3d.default",
                    [T(2, 3, 4, 5, 6), T(2, 3, 4, 2, 3, low=-1.4, high=1.4)],
                    mode,
                    padding,
                    aligned,
                )
for aligned in (False, True):
    add(CASES, "aten.affine_grid_generator.default", [T(2, 2, 3)], [2, 3, 4, 5], aligned)
    add(CASES, "aten.affine_grid_generator.default", [T(2, 3, 4)], [2, 1, 1, 4, 5], aligned)
for args in (([2, 3], [1, 1], [0, 0], [1, 1]), ([2, 2], [2, 1], [1, 2], [2, 1])):
    add(CASES, "aten.im2col.default", [T(2, 3, 6, 7)], *args)
    add(CASES, "aten.im2col.default", [T(3, 6, 7)], *args)
add(CASES, "aten.col2im.default", [T(2, 18, 20)], [5, 7], [2, 3], [1, 1], [0, 0], [1, 1])
add(CASES, "aten.col2im.default", [T(18, 20)], [5, 7], [2, 3], [1, 1], [0, 0], [1, 1])
CASES["aten.col2im.default"].append(
    Case(
        lambda x: aten.col2im.default(
            aten.im2col.default(x, [2, 3], [2, 1], [1, 0], [1, 2]), [6, 8], [2, 3], [2, 1], [1, 0], [1, 2]
        ),
        T(2, 3, 6, 8),
    )
)
