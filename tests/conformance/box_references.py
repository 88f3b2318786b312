"""What the ops on boxes give, computed plainly in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def get_valid_counts_python(
    data: Array, score_threshold: float = 0, id_index: int = 0, score_index: int = 1
) -> tuple[Array, Array, Array]:
    """How many boxes lie above the threshold, these boxes moved to the front, and where they were; -1 elsewhere."""
    counts = np.zeros(data.shape[0], "int32")
    boxes, places = np.full_like(data, -1), np.full(data.shape[:2], -1, "int32")
    for batch, rows in enumerate(data):
        valid = rows[:, score_index] > score_threshold
        if id_index >= 0:
            valid &= rows[:, id_index] >= 0
        found = np.flatnonzero(valid)
        counts[batch] = len(found)
        boxes[batch, : len(found)], places[batch, : len(found)] = rows[found], found
    return counts, boxes, places


def overlap(a: Array, b: Array) -> float:
    """What two boxes share of what they cover together; corners in any order."""
    low, high = np.minimum(a[:2], a[2:]), np.maximum(a[:2], a[2:])
    other_low, other_high = np.minimum(b[:2], b[2:]), np.maximum(b[:2], b[2:])
    shared = np.maximum(np.minimum(high, other_high) - np.maximum(low, other_low), 0).prod()
    covered = (high - low).prod() + (other_high - other_low).prod() - shared
    return float(shared / covered) if covered > 0 else 0.0


def non_max_suppression_python(
    data: Array,
    valid_count: Array,
    indices: Array,
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
    """The boxes that no better one overlaps: their indices and how many they are, or the boxes themselves. With a sigma
    the scores of overlapping boxes decay, and boxes come along with indices."""
    is_soft = soft_nms_sigma > 0
    out, places = np.full_like(data, -1), np.full(indices.shape, -1, "int32")
    counts = np.zeros((len(data), 1), "int32")

    def rivals(a: Array, b: Array) -> bool:
        return force_suppress or id_index < 0 or bool(a[id_index] == b[id_index])

    def corners(row: Array) -> Array:
        return row[coord_start : coord_start + 4]

    def suppress(rows: Array, order: list[int]) -> list[int]:
        """The ranks that are kept; the scores in `rows` decay on the way."""
        left, kept = list(range(len(order))), list[int]()
        threshold = score_threshold if is_soft else 0.0
        while left and (max_output_size <= 0 or len(kept) < max_output_size):
            best = max(left, key=lambda rank: rows[order[rank], score_index]) if is_soft else left[0]
            left.remove(best)
            chosen = rows[order[best]]
            if not chosen[score_index] > threshold:
                continue
            kept.append(best)
            for rank in list(left):
                row = rows[order[rank]]
                if not rivals(chosen, row):
                    continue
                iou = overlap(corners(chosen), corners(row))
                if iou >= iou_threshold:
                    left.remove(rank)
                elif is_soft:
                    row[score_index] *= np.exp(-0.5 / soft_nms_sigma * iou * iou)
        return kept

    for batch, count in enumerate(valid_count):
        rows = data[batch].copy()
        order = sorted(range(int(count)), key=lambda i: -rows[i, score_index])
        order = order[:top_k] if top_k > 0 else order
        kept = suppress(rows, order)
        counts[batch, 0] = len(kept)
        for place, rank in enumerate(kept):
            places[batch, place] = indices[batch, order[rank]]
            at = place if is_soft or invalid_to_bottom or return_indices else rank
            out[batch, at] = rows[order[rank]]
    if not return_indices:
        return out
    return (out, places, counts) if is_soft else (places, counts)
