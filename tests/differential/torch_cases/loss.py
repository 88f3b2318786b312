"""Losses and similarities."""

from __future__ import annotations

import torch
from aten_calls import Cases, add
from torch_case import Case, T

CASES: Cases = {}

aten = torch.ops.aten
INT = torch.int64
X, Y = T(4, 5), T(4, 5)
UNIT = T(4, 5, low=0.05, high=0.95)
SIGNS = T(value=torch.tensor([1.0, -1.0, 1.0, -1.0]))
TARGET = T(value=torch.tensor([1, 4, 2, 2]))
WEIGHT = T(5, positive=True)

for reduction in (0, 1, 2):
    for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        add(CASES, f"aten.{name}.default", [X, Y], reduction)
    add(CASES, "aten.smooth_l1_loss.default", [X, Y], reduction, 0.4)
    add(CASES, "aten.huber_loss.default", [X, Y], reduction, 0.4)
    add(CASES, "aten.binary_cross_entropy.default", [UNIT, UNIT], None, reduction)
    add(CASES, "aten.binary_cross_entropy.default", [UNIT, UNIT, T(5, positive=True)], reduction)
    add(
        CASES, "aten.binary_cross_entropy_with_logits.default", [T(4, 5, low=-30, high=30), UNIT], None, None, reduction
    )
    add(CASES, "aten.binary_cross_entropy_with_logits.default", [X, UNIT, T(5), T(5, positive=True)], reduction)
    add(CASES, "aten.kl_div.default", [X, T(value=torch.tensor([0.0, 0.1, 0.2, 0.3, 0.4]))], reduction)
    add(CASES, "aten.kl_div.default", [X, Y], reduction, log_target=True)
    for log, full in ((True, False), (False, True)):
        add(
            CASES,
            "aten.poisson_nll_loss.default",
            [T(4, 5, positive=True), T(4, 5, low=0, high=4)],
            log,
            full,
            1e-8,
            reduction,
        )
    add(CASES, "aten.soft_margin_loss.default", [T(4), SIGNS], reduction)
    add(CASES, "aten.margin_ranking_loss.default", [T(4), T(4), SIGNS], 0.3, reduction)
    add(CASES, "aten.hinge_embedding_loss.default", [T(4), SIGNS], 0.7, reduction)
    add(CASES, "aten.cosine_embedding_loss.default", [X, Y, SIGNS], 0.1, reduction)
    add(CASES, "aten.triplet_margin_loss.default", [X, Y, T(4, 5)], 0.8, 2.0, 1e-6, False, reduction)
    add(CASES, "aten.nll_loss.default", [X, TARGET], None, reduction)
    add(CASES, "aten.nll_loss.default", [X, TARGET, WEIGHT], reduction, 2)
    add(CASES, "aten.nll_loss_nd.default", [T(2, 5, 2), T(2, 2, dtype=INT, high=5), WEIGHT], reduction)
    add(CASES, "aten.nll_loss_nd.default", [T(5), T(dtype=INT, high=5)], None, reduction)
    CASES.setdefault("aten.nll_loss_forward.default", []).append(
        Case(lambda x, t, r=reduction: aten.nll_loss_forward.default(x, t, None, r, -100)[0], X, TARGET)
    )
    CASES.setdefault("aten.nll_loss2d_forward.default", []).append(
        Case(lambda x, t, r=reduction: aten.nll_loss2d_forward.default(x, t, None, r, -100)[0], T(2, 5, 2, 3),
             T(2, 2, 3, dtype=INT, high=5))
    )  # fmt: skip
    for smoothing in (0.0, 0.2):
        add(CASES, "aten.cross_entropy_loss.default", [X, TARGET], None, reduction, 2, smoothing)
        add(CASES, "aten.cross_entropy_loss.default", [X, TARGET, WEIGHT], reduction, 2, smoothing)
        add(CASES, "aten.cross_entropy_loss.default", [X, UNIT], None, reduction, -100, smoothing)
        add(CASES, "aten.cross_entropy_loss.default", [X, UNIT, WEIGHT], reduction, -100, smoothing)
        add(
            CASES,
            "aten.cross_entropy_loss.default",
            [T(2, 5, 3), T(2, 3, dtype=INT, high=5)],
            None,
            reduction,
            -100,
            smoothing,
        )
    add(CASES, "aten.cross_entropy_loss.default", [X, TARGET, WEIGHT], reduction)
    add(CASES, "aten.cross_entropy_loss.default", [T(5), T(dtype=INT, high=5)], None, reduction)
add(CASES, "aten.triplet_margin_loss.default", [X, Y, T(4, 5)], swap=True, p=1.0)
for args in ((), (0,), (-1, 3.0)):
    add(CASES, "aten.cosine_similarity.default", [X, Y], *args)
add(CASES, "aten.cosine_similarity.default", [T(2, 3, 4), T(3, 1)], -1)
for args in ((), (1.0,), (3.0, 0.1, True)):
    add(CASES, "aten.pairwise_distance.default", [X, Y], *args)
add(CASES, "aten.pairwise_distance.default", [X, T(5)])
