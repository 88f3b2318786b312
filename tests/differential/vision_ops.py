"""Imports torchvision where its C++ ops cannot be loaded: declares the schemas of those ops first, so that the models
that timm, transformers and torchvision build from Python can be imported and exported."""

from __future__ import annotations

import contextlib
import functools
import sys
from typing import Any

import torch

_POOL = "float spatial_scale, SymInt pooled_height, SymInt pooled_width"
_SIZES = "SymInt batch_size, SymInt channels, SymInt height, SymInt width"
_DEFORM = (
    "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, "
    "SymInt groups, SymInt offset_groups, bool use_mask"
)
_SCHEMAS = (
    "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    f"roi_align(Tensor input, Tensor rois, {_POOL}, int sampling_ratio, bool aligned) -> Tensor",
    f"_roi_align_backward(Tensor grad, Tensor rois, {_POOL}, {_SIZES}, int sampling_ratio, bool aligned) -> Tensor",
    f"roi_pool(Tensor input, Tensor rois, {_POOL}) -> (Tensor, Tensor)",
    f"_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, {_POOL}, {_SIZES}) -> Tensor",
    f"ps_roi_align(Tensor input, Tensor rois, {_POOL}, int sampling_ratio) -> (Tensor, Tensor)",
    f"_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, {_POOL}, int sampling_ratio, {_SIZES})"
    " -> Tensor",
    f"ps_roi_pool(Tensor input, Tensor rois, {_POOL}) -> (Tensor, Tensor)",
    f"_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, {_POOL}, {_SIZES}) -> Tensor",
    f"deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, {_DEFORM}) -> Tensor",
    f"_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias,"
    f" {_DEFORM}) -> (Tensor, Tensor, Tensor, Tensor, Tensor)",
)


def _nms(boxes: torch.Tensor, scores: torch.Tensor, threshold: float) -> torch.Tensor:
    from torchvision.ops import box_iou

    overlap = box_iou(boxes, boxes)
    kept: list[int] = []
    for i in scores.argsort(descending=True, stable=True).tolist():
        if all(overlap[i, j] <= threshold for j in kept):
            kept.append(i)
    return torch.tensor(kept, dtype=torch.int64)


def _roi_align(*args: Any) -> torch.Tensor:
    from torchvision.ops.roi_align import _roi_align as written_in_python

    return written_in_python(*args)


def _deform_conv2d(
    x: torch.Tensor, weight: torch.Tensor, offset: torch.Tensor, mask: torch.Tensor, bias: torch.Tensor, *args: Any
) -> torch.Tensor:
    """Samples each tap of the kernel bilinearly where the offsets say, then multiplies by the weights."""
    (sh, sw, ph, pw, dh, dw, groups, offset_groups), use_mask = args[:8], args[8]
    n, channels, height, width = x.shape
    _, _, kh, kw = weight.shape
    rows, columns = offset.shape[-2:]
    moves = offset.view(n, offset_groups, kh * kw, 2, rows, columns)
    taps = []
    for k in range(kh * kw):
        y = (torch.arange(rows) * sh - ph + k // kw * dh)[:, None] + moves[:, :, k, 0]
        z = (torch.arange(columns) * sw - pw + k % kw * dw)[None, :] + moves[:, :, k, 1]
        grid = torch.stack([(2 * z + 1) / width - 1, (2 * y + 1) / height - 1], -1).flatten(0, 1)
        parts = x.reshape(n * offset_groups, channels // offset_groups, height, width)
        tap = torch.nn.functional.grid_sample(parts, grid, align_corners=False)
        if use_mask:
            tap = tap * mask.view(n * offset_groups, kh * kw, rows, columns)[:, k : k + 1]
        taps.append(tap.reshape(n, channels, rows, columns))
    gathered = torch.stack(taps, 2).view(n, groups, channels // groups, kh * kw, rows, columns)
    kernel = weight.view(groups, weight.shape[0] // groups, channels // groups, kh * kw)
    result = torch.einsum("ngckhw,gock->ngohw", gathered, kernel).reshape(n, -1, rows, columns)
    return result + bias.view(1, -1, 1, 1)


def _shape_of_deform_conv2d(x: torch.Tensor, weight: torch.Tensor, offset: torch.Tensor, *rest: Any) -> torch.Tensor:
    return x.new_empty((x.shape[0], weight.shape[0], *offset.shape[-2:]))


@functools.cache
def torchvision() -> Any:
    """Returns the package, with its own ops or with those that models call written in Python."""
    try:
        import torchvision as package
    except RuntimeError:
        for name in [name for name in sys.modules if name.startswith("torchvision")]:
            del sys.modules[name]
        _LIBRARY.append(torch.library.Library("torchvision", "FRAGMENT"))
        for schema in _SCHEMAS:
            with contextlib.suppress(RuntimeError):  # a first try may have declared some
                _LIBRARY[0].define(schema)
        import torchvision as package

        _LIBRARY[0].impl("nms", _nms, "CPU")
        _LIBRARY[0].impl("roi_align", _roi_align, "CPU")
        _LIBRARY[0].impl("deform_conv2d", _deform_conv2d, "CPU")
        torch.library.register_fake("torchvision::deform_conv2d", _shape_of_deform_conv2d, lib=_LIBRARY[0])
        package.extension._has_ops = lambda: True
    import torchvision.models
    import torchvision.ops

    return package


_LIBRARY: list[torch.library.Library] = []  # kept, as its end would withdraw the ops
