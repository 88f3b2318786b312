"""torchvision's ops on regions of images."""

from __future__ import annotations

import contextlib
import math

import torch
from aten_calls import Cases
from torch_case import Case, T
from vision_ops import torchvision

torchvision()
_LIBRARY = torch.library.Library("torchvision", "FRAGMENT")


def _pooled(x: torch.Tensor, rois: torch.Tensor, scale: float, height: int, width: int, *rest: object) -> torch.Tensor:
    return x.new_empty((rois.shape[0], x.shape[1], height, width))


def _roi_pool(x: torch.Tensor, rois: torch.Tensor, scale: float, height: int, width: int) -> tuple[torch.Tensor, ...]:
    """Takes the largest element of each bin; where it stands is not computed."""
    out = torch.zeros(rois.shape[0], x.shape[1], height, width)
    for k, roi in enumerate(rois.tolist()):
        left, top, right, bottom = (math.floor(v * scale + 0.5) for v in roi[1:])
        rows, columns = max(bottom - top + 1, 1) / height, max(right - left + 1, 1) / width
        for i in range(height):
            for j in range(width):
                y = [min(max(v + top, 0), x.shape[2]) for v in (math.floor(i * rows), math.ceil((i + 1) * rows))]
                z = [min(max(v + left, 0), x.shape[3]) for v in (math.floor(j * columns), math.ceil((j + 1) * columns))]
                if y[0] < y[1] and z[0] < z[1]:
                    out[k, :, i, j] = x[int(roi[0]), :, y[0] : y[1], z[0] : z[1]].amax((1, 2))
    return out, torch.zeros_like(out, dtype=torch.int32)


with contextlib.suppress(RuntimeError):  # where torchvision has its own
    torch.library.register_fake("torchvision::roi_align", _pooled, lib=_LIBRARY)
with contextlib.suppress(RuntimeError):
    torch.library.register_fake("torchvision::roi_pool", lambda *a: (_pooled(*a), _pooled(*a).int()), lib=_LIBRARY)
    _LIBRARY.impl("roi_pool", _roi_pool, "CPU")

CASES: Cases = {}

ops = torch.ops.torchvision
ROIS = T(value=torch.tensor([[0.0, 1.0, 0.5, 6.0, 7.5], [1.0, 0.0, 2.0, 3.3, 4.1]]))
CASES["torchvision.roi_align.default"] = [
    Case(lambda x, r, n=n, a=a: ops.roi_align.default(x, r, 0.7, 3, 2, n, a), T(2, 3, 9, 8), ROIS)
    for n, a in ((2, False), (-1, True))
]
CASES["torchvision.roi_pool.default"] = [
    Case(lambda x, r: ops.roi_pool.default(x, r, 0.9, 3, 2)[0], T(2, 3, 9, 8), ROIS)
]
CASES["torchvision.deform_conv2d.default"] = [
    Case(lambda x, o, m, w, b, u=u: ops.deform_conv2d.default(x, w, o, m, b, 2, 1, 1, 0, 1, 2, 2, 1, u),
         T(2, 4, 9, 8), T(2, 12, 5, 6, low=-1, high=1), T(2, 6, 5, 6), weights=[T(6, 2, 3, 2), T(6)])
    for u in (True, False)
]  # fmt: skip


def _kept(corners: torch.Tensor, sizes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
    return ops.nms.default(torch.cat([corners, corners + sizes], 1), scores, 0.3)


CORNERS, SIZES = T(12, 2, low=0, high=1), T(12, 2, positive=True)
CASES["torchvision.nms.default"] = [
    Case(_kept, CORNERS, SIZES, T(12)),
    Case(_kept, CORNERS, SIZES, T(value=torch.tensor([1.0, 2.0] * 6))),
]
