"""Resizing, sampling, columns of windows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from aten_calls import Cases, add, overload
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


def results(name: str, *rest: tuple[Any, ...]) -> Callable[[torch.Tensor], tuple[torch.Tensor, ...]]:
    """Returns what an op gives of an image by each of several lists of further arguments."""
    op = overload(f"aten.{name}.vec")
    return lambda x: tuple(op(x, *arguments) for arguments in rest)


# Factors that are not the quotient of the sizes: PyTorch's steps in float32 decide between neighbours.
FACTORS = (2.976744, 1.0049, 2.002, 0.37, 5 / 3)
for name in ("upsample_nearest2d", "_upsample_nearest_exact2d"):
    by_factor = results(name, *((None, [1.0, f]) for f in FACTORS))
    by_size = results(name, *(([3, size], None) for size in (13, 86, 129, 256, 301)))
    for dtype in (torch.float32, torch.float64, torch.float16, torch.uint8):
        cases = CASES[f"aten.{name}.vec"]
        cases += [Case(fn, T(1, 1, 3, 86, dtype=dtype, high=250)) for fn in (by_factor, by_size)]
    cases.append(Case(by_size, T(1, 1, 3, 86), dynamic={0: {3: (40, 200)}}))
for name in ("upsample_nearest1d", "_upsample_nearest_exact1d"):
    CASES[f"aten.{name}.vec"].append(Case(results(name, *((None, [f]) for f in FACTORS)), T(1, 1, 86)))
# An axis whose size stays is copied, though the factor is not 1; bytes are rounded after each axis.
for name, n in (("upsample_linear1d", 1), ("upsample_bilinear2d", 2), ("upsample_trilinear3d", 3)):
    add(CASES, f"aten.{name}.vec", [T(2, 3, *SIZES[n])], None, False, [1.1, 1.7, 1.1][:n])
add(CASES, "aten.upsample_bicubic2d.vec", [T(2, 3, 5, 7)], None, False, [1.1, 1.7])
BYTES = [(size, aligned, None) for size in ([9, 5], [4, 7], [31, 40], [2, 3]) for aligned in (False, True)]
for name in ("upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
    fn = results(name, *BYTES, (None, False, [1.05, 1.77]))
    CASES.setdefault(f"aten.{name}.vec", []).append(Case(fn, T(2, 3, 9, 13, dtype=torch.uint8, high=256)))
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
    add(CASES, "aten.affine_grid_generator.default", [T(2, 2, 3)], [2, 3, 1, 5], aligned)
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
# Coordinates that are no numbers, infinite, or far away, and pixels that are no numbers.
NAN, INF = float("nan"), float("inf")
ODD = T(
    value=torch.tensor([[NAN, 0.1], [0.1, NAN], [INF, 0.1], [-INF, 0.1], [1e6, 0.1], [NAN, NAN]]).reshape(1, 6, 1, 2)
)
ODD_VOLUME = T(value=torch.tensor([[NAN, 0.1, 0.2], [0.1, NAN, 0.2], [0.1, 0.2, NAN]]).reshape(1, 3, 1, 1, 3))
HOLE = torch.arange(1.0, 13.0).reshape(1, 1, 3, 4)
HOLE[0, 0, 1, 1] = NAN
RULES = [(padding, aligned) for padding in (0, 1, 2) for aligned in (False, True)]
for mode in (0, 1, 2):
    for image, grid in ((T(1, 2, 3, 4), ODD), (T(value=HOLE), T(1, 4, 3, 2, low=-1.2)), (T(1, 2, 2, 3, 4), ODD_VOLUME)):
        if mode < 2 or len(image.shape) == 4:
            key = f"aten.grid_sampler_{len(image.shape) - 2}d.default"
            CASES[key].append(
                Case(lambda x, g, op=overload(key), mode=mode: tuple(op(x, g, mode, *r) for r in RULES), image, grid)
            )
