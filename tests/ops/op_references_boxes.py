"""Reference implementations of ops on boxes and regions in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np


def _overlap(a: Any, b: Any) -> Any:
    """Returns the intersection over union of boxes given by two opposite corners in either order."""
    a_low, a_high = np.minimum(a[:2], a[2:4]), np.maximum(a[:2], a[2:4])
    b_low, b_high = np.minimum(b[:2], b[2:4]), np.maximum(b[:2], b[2:4])
    common = np.prod(np.maximum(np.minimum(a_high, b_high) - np.maximum(a_low, b_low), 0))
    union = np.prod(a_high - a_low) + np.prod(b_high - b_low) - common
    return common / union if union > 0 else common * 0


def valid_counts(data: Any, score_threshold: float, id_index: int, score_index: int) -> Any:
    counts = np.zeros(len(data), np.int32)
    boxes, places = np.full_like(data, -1), np.full(data.shape[:2], -1, np.int32)
    for b, rows in enumerate(data):
        taken = [
            i for i, r in enumerate(rows) if r[score_index] > score_threshold and (id_index < 0 or r[id_index] >= 0)
        ]
        counts[b] = len(taken)
        boxes[b, : len(taken)], places[b, : len(taken)] = rows[taken], taken
    return counts, boxes, places


def _rivals(a_row: Any, b_row: Any, force_suppress: bool, id_index: int, **_: Any) -> bool:
    return force_suppress or id_index < 0 or a_row[id_index] == b_row[id_index]


def _kept(rows: Any, order: list[int], **a: Any) -> list[int]:
    """Returns the kept boxes, best first: each removes the later boxes that overlap it."""
    kept: list[int] = []
    left = list(order)
    while left:
        best = left.pop(0)
        if rows[best, a["score_index"]] <= 0 or 0 < a["max_output_size"] <= len(kept):
            continue
        kept.append(best)
        box = rows[:, a["coord_start"] :]
        left = [
            i
            for i in left
            if not (_rivals(rows[best], rows[i], **a) and _overlap(box[best], box[i]) >= a["iou_threshold"])
        ]
    return kept


def suppression(data: Any, valid_count: Any, indices: Any, **a: Any) -> Any:
    boxes, places = np.full_like(data, -1), np.full(data.shape[:2], -1, np.int32)
    counts = np.zeros((len(data), 1), np.int32)
    for b, rows in enumerate(data):
        order = sorted(range(valid_count[b]), key=lambda i, rows=rows: -rows[i, a["score_index"]])
        if a["top_k"] > 0:
            order = order[: a["top_k"]]
        kept = _kept(rows, order, **a)
        counts[b] = len(kept)
        places[b, : len(kept)] = indices[b, kept]
        # When invalid boxes are not moved to the bottom, a kept box stays at its rank in the sorted order.
        ranks = range(len(kept)) if a["invalid_to_bottom"] else [order.index(i) for i in kept]
        for rank, i in zip(ranks, kept, strict=True):
            boxes[b, rank] = rows[i]
    return (places, counts) if a["return_indices"] else boxes


def class_suppression(boxes: Any, scores: Any, most: int, closeness: float, least: float, output_format: str) -> Any:
    """ONNX's NonMaxSuppression with the maximal number of rows, and TensorFlow's form with rows for each batch."""
    batch, classes, count = scores.shape
    found: list[list[tuple[int, int]]] = [[] for _ in range(batch)]
    for b, c in np.ndindex(batch, classes):
        kept: list[int] = []
        for i in sorted(range(count), key=lambda i, s=scores[b, c]: -s[i]):
            near = any(_overlap(boxes[b, j], boxes[b, i]) > closeness for j in kept)
            if scores[b, c, i] > least and len(kept) < most and not near:
                kept.append(i)
        found[b] += [(c, i) for i in kept]
    if output_format == "onnx":
        rows = [(b, c, i) for b, each in enumerate(found) for c, i in each]
        out = np.full((batch * classes * count, 3), -1, np.int64)
        out[: len(rows)] = np.array(rows, np.int64).reshape(-1, 3)
        return out, np.array([len(rows)], np.int64)
    out, values = np.zeros((batch, classes * count, 2), np.int64), np.zeros((batch, classes * count), np.float32)
    for b, each in enumerate(found):
        for row, (c, i) in enumerate(each):
            out[b, row], values[b, row] = (c, i), scores[b, c, i]
    return out, values, np.array([len(each) for each in found], np.int64)


def multibox(cls_pred: Any, loc_pred: Any, anchor: Any, clip: bool, threshold: float, variances: Any, **a: Any) -> Any:
    """Decodes SSD boxes: anchors (x1, y1, x2, y2) are shifted and scaled; the result is (y1, x1, y2, x2)."""
    real = cls_pred.dtype.type
    offsets = loc_pred.reshape(len(loc_pred), -1, 4) * np.array(variances, cls_pred.dtype)
    low, high = anchor[..., :2], anchor[..., 2:]
    middle = (low + high) / real(2) + offsets[..., :2] * (high - low)
    half = (high - low) * np.exp(offsets[..., 2:]) / real(2)
    boxes = np.concatenate([(middle - half)[..., ::-1], (middle + half)[..., ::-1]], -1)
    e = np.exp(cls_pred - cls_pred.max(axis=1, keepdims=True))
    scores = e / e.sum(axis=1, keepdims=True)
    scores = np.where(scores >= real(threshold), scores, 0)
    if not a["keep_background"]:
        scores[:, 0] = 0
    return np.clip(boxes, 0, 1) if clip else boxes, scores.astype(cls_pred.dtype)


def _interpolated(image: Any, y: float, x: float) -> Any:
    _, height, width = image.shape
    if y < -1 or y > height or x < -1 or x > width:
        return np.zeros(len(image), image.dtype)
    y, x = min(max(y, 0), height - 1), min(max(x, 0), width - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    dy, dx = y - top, x - left
    rows = [image[:, r, left] * (1 - dx) + image[:, r, right] * dx for r in (top, bottom)]
    return rows[0] * (1 - dy) + rows[1] * dy


def roi_align(data: Any, rois: Any, pooled_size: Any, spatial_scale: float, layout: str, **a: Any) -> Any:
    """ONNX's RoiAlign with `output_half_pixel`; `aligned` regions may be smaller than an element."""
    out = np.zeros((len(rois), data.shape[1], *pooled_size), data.dtype)
    # Computes coordinates in float32 (in float64 for float64 images), since the last digit decides at the edges of an
    # image.
    for r, (b, *corners) in enumerate(rois.astype(np.promote_types(data.dtype, np.float32))):
        x1, y1, x2, y2 = (c * spatial_scale for c in corners)
        lengths = [y2 - y1, x2 - x1]
        if not a["aligned"]:
            lengths = [max(n, 1.0) for n in lengths]
        bins = [n / p for n, p in zip(lengths, pooled_size, strict=True)]
        counts = [a["sample_ratio"] if a["sample_ratio"] > 0 else max(int(np.ceil(n)), 0) for n in bins]
        for ph, pw in np.ndindex(*pooled_size):
            samples = [
                _interpolated(
                    data[int(b)],
                    y1 + ph * bins[0] + (i + 0.5) * bins[0] / counts[0],
                    x1 + pw * bins[1] + (j + 0.5) * bins[1] / counts[1],
                )
                for i, j in np.ndindex(*counts)
            ]
            if samples:
                out[r, :, ph, pw] = np.max(samples, axis=0) if a["mode"] == "max" else np.mean(samples, axis=0)
    return out


def _half_away(x: Any) -> int:
    return int(np.trunc(x + np.copysign(0.5, x)))


def roi_pool(data: Any, rois: Any, pooled_size: Any, spatial_scale: float, layout: str) -> Any:
    """ONNX's MaxRoiPool."""
    out = np.zeros((len(rois), data.shape[1], *pooled_size), data.dtype)
    height, width = data.shape[2:]
    for r, (b, *corners) in enumerate(rois):
        x1, y1, x2, y2 = (_half_away(c * spatial_scale) for c in corners)
        steps = [max(y2 - y1 + 1, 1) / pooled_size[0], max(x2 - x1 + 1, 1) / pooled_size[1]]

        def span(bin_index: int, step: float, start: int, size: int) -> slice:
            first, last = int(np.floor(bin_index * step)), int(np.ceil((bin_index + 1) * step))
            return slice(min(max(first + start, 0), size), min(max(last + start, 0), size))

        for ph, pw in np.ndindex(*pooled_size):
            part = data[int(b)][:, span(ph, steps[0], y1, height), span(pw, steps[1], x1, width)]
            if part.size:
                out[r, :, ph, pw] = part.max(axis=(1, 2))
    return out
