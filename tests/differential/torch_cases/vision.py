"""torchvision's ops on regions of images."""

from __future__ import annotations

import torch
from aten_calls import Cases
from torch_case import Case, T
from vision_ops import torchvision

torchvision()

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
         T(2, 4, 9, 8), T(2, 12, 5, 4, low=-1, high=1), T(2, 6, 5, 4), weights=[T(6, 2, 3, 2), T(6)])
    for u in (True, False)
]  # fmt: skip
