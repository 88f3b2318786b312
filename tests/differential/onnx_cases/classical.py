"""Cases of ai.onnx.ml, ONNX's domain of classical models, against ONNX Runtime."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx_case import Case, T

N = {"dynamic": {0: {0: "n"}}}
# Two trees: the first has two levels, the second one. Rows are tree, node, mode, feature, value, yes, no.
NODES = [
    (0, 0, "BRANCH", 1, 0.25, 1, 2),
    (0, 1, "LEAF", 0, 0.0, 0, 0),
    (0, 2, "BRANCH", 0, -0.5, 3, 4),
    (0, 3, "LEAF", 0, 0.0, 0, 0),
    (0, 4, "LEAF", 0, 0.0, 0, 0),
    (1, 0, "BRANCH", 2, 0.0, 1, 2),
    (1, 1, "LEAF", 0, 0.0, 0, 0),
    (1, 2, "LEAF", 0, 0.0, 0, 0),
]
LEAVES = [(0, 1), (0, 3), (0, 4), (1, 1), (1, 2)]
NAMES = ["treeids", "nodeids", "modes", "featureids", "values", "truenodeids", "falsenodeids"]


def _trees(kind: str, ids: list[int], weights: list[float], mode: str = "LEQ", **attrs: Any) -> dict[str, Any]:
    columns: list[list[Any]] = [list(c) for c in zip(*NODES, strict=True)]
    columns[2] = [f"BRANCH_{mode}" if m == "BRANCH" else m for m in columns[2]]
    found: dict[str, Any] = {f"nodes_{name}": column for name, column in zip(NAMES, columns, strict=True)}
    places = LEAVES * (len(ids) // len(LEAVES))
    return found | {
        f"{kind}_treeids": [tree for tree, _ in places],
        f"{kind}_nodeids": [leaf for _, leaf in places],
        f"{kind}_ids": ids,
        f"{kind}_weights": weights,
        **attrs,
    }


def _case(attrs: dict[str, Any], x: T | None = None, outputs: int = 1, **how: Any) -> Case:
    return Case([x or T(9, 3)], outputs=outputs, attrs=attrs, engine="ort", **how)


def _classes(ids: list[int], weights: list[float], labels: list[int], **attrs: Any) -> Case:
    return _case(_trees("class", ids, weights, classlabels_int64s=labels, **attrs), outputs=2)


SHARES, SIGNED = [0.5, 0.125, 0.25, 0.5, 0.0], [0.5, -0.75, 0.25, 1.0, -1.0]
ONE, THREE = [0] * 5, [0] * 5 + [1] * 5 + [2] * 5
CASES = {
    "ai.onnx.ml::Scaler": [
        _case({"offset": [0.5, 0.0, -1.0], "scale": [2.0, 1.0, 0.25]}, **N),
        _case({"offset": [0.5], "scale": [3.0]}, T(4, 2, dtype=np.int64)),
    ],
    "ai.onnx.ml::TreeEnsembleRegressor": [
        _case(_trees("target", ONE, SIGNED, n_targets=1), **N),
        _case(_trees("target", ONE, SIGNED, "LT", n_targets=1)),
        _case(_trees("target", ONE, SIGNED, "GTE", n_targets=1, base_values=[0.5])),
        _case(_trees("target", THREE, SIGNED * 3, n_targets=3, post_transform="SOFTMAX")),
    ],
    "ai.onnx.ml::TreeEnsembleClassifier": [
        _classes(ONE, SHARES, [0, 1]),
        _classes(ONE, SHARES, [3, 7]),
        _classes(ONE, SIGNED, [0, 1]),
        _classes(ONE, SIGNED, [0, 1], post_transform="LOGISTIC"),
        _classes(THREE, [*SIGNED, *SHARES, *SIGNED[::-1]], [4, 5, 9]),
        _classes(THREE, [*SIGNED, *SHARES, *SIGNED[::-1]], [4, 5, 9], post_transform="LOGISTIC"),
    ],
}
