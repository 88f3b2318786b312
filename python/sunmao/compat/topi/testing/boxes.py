"""Boxes with scores: selection by score, and suppression of those that overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sunmao.arrays import NumPyArray


def get_valid_counts_python(
    data: NumPyArray, score_threshold: float = 0, id_index: int = 0, score_index: int = 1
) -> tuple[NumPyArray, NumPyArray, NumPyArray]:
    """Returns how many boxes of each batch have a score above the threshold, and a class if `id_index` is one; these
    boxes first and -1 after them; and where they were."""
    valid = data[:, :, score_index] > score_threshold
    if id_index >= 0:
        valid &= data[:, :, id_index] >= 0
    boxes, places = np.full_like(data, -1), np.full(data.shape[:2], -1, np.int32)
    for batch, row in enumerate(valid):
        found = np.flatnonzero(row)
        boxes[batch, : len(found)] = data[batch, found]
        places[batch, : len(found)] = found
    return valid.sum(1).astype(np.int32), boxes, places


@dataclass
class _Suppression:
    """How boxes of one batch suppress each other. A deviation of 0 removes a box that overlaps; another lowers the
    score of one that overlaps less."""

    least_overlap: float
    across_classes: bool
    coord_start: int
    score_index: int
    id_index: int
    deviation: float
    threshold: float

    def overlaps(self, box: NumPyArray, others: NumPyArray) -> NumPyArray:
        """Returns intersection over union of the box with each of the others."""
        corners = slice(self.coord_start, self.coord_start + 4)
        a, b = _ordered(box[None, corners]), _ordered(others[:, corners])
        both = np.maximum(np.minimum(a[1], b[1]) - np.maximum(a[0], b[0]), 0).prod(1)
        union = (a[1] - a[0]).prod(1) + (b[1] - b[0]).prod(1) - both
        return np.where(union > 0, both / np.where(union > 0, union, 1), 0)

    def run(self, boxes: NumPyArray, limit: int) -> list[int]:
        """Returns which boxes, sorted by score, are kept, best first; changes the scores of the others."""
        scores = boxes[:, self.score_index]
        left = np.ones(len(boxes), bool)
        kept: list[int] = []
        while limit < 0 or len(kept) < limit:
            left &= scores > self.threshold
            if not left.any():
                break
            best = int(np.argmax(np.where(left, scores, -np.inf)))
            kept.append(best)
            left[best] = False
            rivals = np.flatnonzero(left)
            if not self.across_classes and self.id_index >= 0:
                rivals = rivals[boxes[rivals, self.id_index] == boxes[best, self.id_index]]
            overlap = self.overlaps(boxes[best], boxes[rivals])
            left[rivals[overlap >= self.least_overlap]] = False
            if self.deviation > 0:
                near = overlap < self.least_overlap
                scores[rivals[near]] *= np.exp(-0.5 / self.deviation * overlap[near] ** 2)
        return kept


def _ordered(boxes: NumPyArray) -> tuple[NumPyArray, NumPyArray]:
    """Returns the lower and the upper corners."""
    return np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])


def non_max_suppression_python(
    data: NumPyArray,
    valid_count: NumPyArray,
    indices: NumPyArray,
    max_output_size: int = -1,
    iou_threshold: float = 0.5,
    force_suppress: bool = False,
    top_k: int = -1,
    coord_start: int = 2,
    score_index: int = 1,
    id_index: int = 0,
    return_indices: bool = True,
    invalid_to_bottom: bool = False,
    soft_nms_sigma: float = 0.0,
    score_threshold: float = 0.0,
) -> Any:
    """Keeps the best boxes of each batch that do not overlap better ones of their class, or with `force_suppress` of
    any. Returns their indices and number, after the boxes themselves if `soft_nms_sigma` lowers scores; without
    `return_indices` the boxes, -1 for those removed, which `invalid_to_bottom` moves to the end."""
    is_soft = soft_nms_sigma > 0
    rule = _Suppression(
        iou_threshold, force_suppress, coord_start, score_index, id_index, soft_nms_sigma,
        score_threshold if is_soft else 0.0,
    )  # fmt: skip
    out, places = np.full_like(data, -1), np.full(data.shape[:2], -1, np.int32)
    counts = np.zeros((len(data), 1), np.int32)
    for batch, count in enumerate(valid_count):
        order = np.argsort(-data[batch, : int(count), score_index])
        order = order[:top_k] if top_k > 0 else order
        boxes = data[batch, order]
        kept = rule.run(boxes, max_output_size if max_output_size > 0 or is_soft else -1)
        counts[batch] = len(kept)
        places[batch, : len(kept)] = indices[batch, order[kept]]
        is_packed = is_soft or invalid_to_bottom
        out[batch, np.arange(len(kept)) if is_packed else kept] = boxes[kept]
    if not return_indices:
        return out
    return [out, places, counts] if is_soft else [places, counts]
