"""Cases of normalisations, recurrent layers, attention and losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx_case import Case, T, W

N = {"dynamic": {0: {0: "n"}}}
IMAGE = T(2, 4, 5, 3)
ORT: dict[str, Any] = {"engine": "ort"}


def ints(*values: int, dtype: str = "int64") -> W:
    return W(value=np.array(values, dtype))


def _normalised(x: np.ndarray, axes: tuple[int, ...], epsilon: float) -> np.ndarray:
    mean, var = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return np.asarray((x - mean) / np.sqrt(var + epsilon))


def _by_groups(groups: int, epsilon: float = 1e-5) -> Any:
    def reference(x: np.ndarray, scale: np.ndarray, bias: np.ndarray) -> np.ndarray:
        apart = x.reshape(x.shape[0], groups, -1)
        each = (1, -1, *[1] * (x.ndim - 2))
        repeated = [np.repeat(p, x.shape[1] // groups).reshape(each) for p in (scale, bias)]
        return _normalised(apart, (2,), epsilon).reshape(x.shape) * repeated[0] + repeated[1]

    return reference


def _mean_variance(axes: tuple[int, ...]) -> Any:
    return lambda x: (x - x.mean(axes, keepdims=True)) / (x.std(axes, keepdims=True) + 1e-9)


def _layer(
    op_gates: int,
    directions: int = 1,
    hidden: int = 3,
    bias: bool = True,
    rest: tuple[T | None, ...] = (),
    batch: int = 2,
    **attrs: Any,
) -> Case:
    layout = attrs.get("layout", 0)
    steps, width = 4, 5
    x = T(batch, steps, width) if layout else T(steps, batch, width)
    weights: list[T | None] = [W(directions, op_gates * hidden, width), W(directions, op_gates * hidden, hidden)]
    weights.append(W(directions, 2 * op_gates * hidden) if bias else None)
    outputs = 3 if op_gates == 4 else 2
    return Case(
        [x, *weights, *rest],
        outputs=outputs,
        opset=14,
        attrs={"hidden_size": hidden, **attrs},
        engine="reference" if layout else "ort",
        tol=1e-4,
    )


def _states(gates: int, directions: int = 1, batch: int = 2, hidden: int = 3) -> tuple[T, ...]:
    return tuple(T(directions, batch, hidden) for _ in range(2 if gates == 4 else 1))


def _layers(gates: int, names: list[str]) -> list[Case]:
    both = [n for _ in range(2) for n in names]
    lengths = ints(4, 2, dtype="int32")
    return [
        _layer(gates),
        _layer(gates, bias=False),
        _layer(gates, direction="reverse"),
        _layer(gates, directions=2, direction="bidirectional"),
        _layer(gates, rest=(None, *_states(gates))),
        _layer(gates, directions=2, direction="bidirectional", rest=(None, *_states(gates, 2))),
        _layer(gates, rest=(lengths, *_states(gates))),
        _layer(gates, direction="reverse", rest=(lengths,)),
        _layer(gates, directions=2, direction="bidirectional", rest=(lengths, *_states(gates, 2))),
        _layer(gates, rest=(ints(4, 4, dtype="int32"),)),
        _layer(gates, clip=0.5),
        _layer(gates, activations=names),
        _layer(gates, directions=2, direction="bidirectional", activations=both),
        Case(
            [T(4, 2, 5), W(1, gates * 3, 5), W(1, gates * 3, 3)],
            outputs=[True, False],
            opset=7,
            attrs={"hidden_size": 3},
            dynamic={0: {0: "t", 1: "n"}},
            **ORT,
        ),
        Case(
            [T(2, 4, 5), W(1, gates * 3, 5), W(1, gates * 3, 3)],
            outputs=2,
            opset=14,
            attrs={"hidden_size": 3, "layout": 1},
        ),
    ]


def _attention(q: T, k: T, v: T, *rest: T | None, outputs: Any = 1, opset: int = 24, **attrs: Any) -> Case:
    return Case([q, k, v, *rest], outputs=outputs, opset=opset, attrs=attrs)


Q, K, V = T(2, 3, 4, 8), T(2, 3, 6, 8), T(2, 3, 6, 10)
FLAT = (T(2, 4, 24), T(2, 6, 24), T(2, 6, 30))
HEADS = {"q_num_heads": 3, "kv_num_heads": 3}
GROUPED = (T(2, 6, 4, 8), T(2, 2, 6, 8), T(2, 2, 6, 8))
PAST = (T(2, 3, 5, 8), T(2, 3, 5, 10))
MASK = T(value=np.array([[1, 0, 1, 1, 0, 1], [0, 0, 0, 0, 0, 0], [1] * 6, [0, 1, 0, 0, 0, 0]], bool))
HIDING = T(value=np.where(MASK.draw(np.random.default_rng(0)), np.float32(0.5), np.float32(-np.inf)))


def _local_response(x: np.ndarray) -> np.ndarray:
    """Of size 4: one channel before, two behind."""
    total = [(x[:, max(0, c - 1) : c + 3] ** 2).sum(1) for c in range(x.shape[1])]
    return np.asarray(x / np.sqrt(2.0 + 0.5 / 4 * np.stack(total, 1)))


CASES = {
    "BatchNormalization": [
        Case([IMAGE, W(4), W(4), W(4), W(4, positive=True)], opset=15),
        Case([IMAGE, W(4), W(4), W(4), W(4, positive=True)], opset=9, attrs={"epsilon": 0.1}, engine="ort"),
        Case([T(3, 4), W(4), W(4), W(4), W(4, positive=True)], opset=7, engine="ort"),
        Case([T(2, 4, 5), W(4), W(4), W(4), W(4, positive=True)], opset=14, **N),
        Case(
            [IMAGE, W(4), W(4), W(4), W(4, positive=True)],
            outputs=3,
            opset=15,
            attrs={"training_mode": 1, "momentum": 0.75},
        ),
        Case(
            [IMAGE, W(4), W(4), W(4), W(4, positive=True)],
            outputs=3,
            opset=14,
            attrs={"training_mode": 1, "epsilon": 0.1},
        ),
    ],
    "InstanceNormalization": [
        Case([IMAGE, W(4), W(4)], opset=7),
        Case([T(2, 4, 5), W(4), W(4)], opset=22, attrs={"epsilon": 0.1}),
        Case([IMAGE, W(4), W(4)], opset=7, dynamic={0: {0: "n", 2: "h"}}),
    ],
    "GroupNormalization": [
        Case([IMAGE, W(2), W(2)], opset=18, attrs={"num_groups": 2}, reference=_by_groups(2)),
        Case([IMAGE, W(4), W(4)], opset=21, attrs={"num_groups": 2}),
        Case([IMAGE, W(4), W(4)], opset=21, attrs={"num_groups": 4, "epsilon": 0.1}),
        Case([T(2, 4, 5), W(4), W(4)], opset=21, attrs={"num_groups": 1}, **N),
    ],
    "LayerNormalization": [
        Case([T(2, 3, 4), W(4), W(4)], opset=17),
        Case([T(2, 3, 4), W(3, 4), W(3, 4)], opset=17, attrs={"axis": 1}),
        Case([T(2, 3, 4), W(4)], opset=17, attrs={"epsilon": 0.1}),
        Case([T(2, 3, 4), W(2, 3, 4)], opset=17, attrs={"axis": -3}),
        Case([T(2, 3, 4), W(4), W(4)], opset=17, attrs={"axis": 1}),
        Case([T(2, 3, 4), W(4), W(4)], outputs=3, opset=17),
        Case([T(2, 3, 4), W(3, 4)], outputs=[True, False, True], opset=17, attrs={"axis": 1, "epsilon": 0.1}),
        Case([T(2, 3, 4), W(4), W(4)], opset=17, dynamic={0: {0: "n", 1: "s"}}),
    ],
    "RMSNormalization": [
        Case([T(2, 3, 4), W(4)], opset=23),
        Case([T(2, 3, 4), W(3, 4)], opset=23, attrs={"axis": 1, "epsilon": 0.1}),
        Case([T(2, 3, 4), W(4)], opset=23, attrs={"axis": 1}),
        Case([T(2, 3, 4), W(4)], opset=23, dynamic={0: {0: "n", 1: "s"}}),
    ],
    "LRN": [
        Case([T(2, 6, 3, 3)], opset=13, attrs={"size": 3}, engine="ort"),
        Case(
            [T(2, 6, 3, 3)],
            opset=13,
            attrs={"size": 4, "alpha": 0.5, "beta": 0.5, "bias": 2.0},
            reference=_local_response,
        ),
        Case([T(2, 6, 3, 3)], opset=13, attrs={"size": 5, "alpha": 0.5}, dynamic={0: {0: "n", 2: "h"}}, engine="ort"),
    ],
    "MeanVarianceNormalization": [
        Case([IMAGE], opset=13, reference=_mean_variance((0, 2, 3))),
        Case([IMAGE], opset=9, attrs={"axes": [0, 1]}, reference=_mean_variance((0, 1))),
        Case([T(2, 3, 4, 4)], opset=13, reference=_mean_variance((0, 2, 3)), **N),
    ],
    "LpNormalization": [
        Case([T(2, 3, 4)], opset=22),
        Case([T(2, 3, 4)], opset=7, attrs={"p": 1, "axis": 1}, engine="ort"),
        Case([T(value=np.array([[0, 0], [3, 4]], "float32"))], opset=22, attrs={"axis": 1}),
        Case([T(3, 4)], opset=22, **N),
    ],
    "RNN": [
        *_layers(1, ["Relu"]),
        *[_layer(1, activations=[name]) for name in ("Sigmoid", "Softsign", "Softplus", "Elu", "LeakyRelu")],
        _layer(1, activations=["LeakyRelu"], activation_alpha=[0.3]),
        _layer(1, activations=["HardSigmoid"], activation_alpha=[0.3], activation_beta=[0.25]),
        _layer(1, activations=["Affine"], activation_alpha=[0.3], activation_beta=[0.25]),
        _layer(1, activations=["ThresholdedRelu"], activation_alpha=[0.3]),
        _layer(1, activations=["ScaledTanh"], activation_alpha=[0.3], activation_beta=[0.25]),
    ],
    "GRU": [
        *_layers(3, ["HardSigmoid", "Relu"]),
        _layer(3, linear_before_reset=1),
        _layer(3, linear_before_reset=1, bias=False),
        _layer(3, directions=2, direction="bidirectional", linear_before_reset=1),
        _layer(3, activations=["HardSigmoid", "LeakyRelu"], activation_alpha=[0.3, 0.1], activation_beta=[0.25]),
    ],
    "LSTM": [
        *_layers(4, ["HardSigmoid", "Relu", "Softsign"]),
        _layer(4, input_forget=1),
        _layer(4, rest=(None, *_states(4), W(1, 9))),
        _layer(4, directions=2, direction="bidirectional", rest=(None, None, None, W(2, 9))),
    ],
    "Attention": [
        _attention(Q, K, V),
        _attention(*FLAT, **HEADS),
        _attention(Q, K, V, scale=0.3),
        _attention(*GROUPED),
        _attention(T(2, 4, 48), T(2, 6, 16), T(2, 6, 16), q_num_heads=6, kv_num_heads=2),
        _attention(Q, K, V, is_causal=1),
        _attention(Q, K, V, T(4, 6)),
        _attention(Q, K, V, T(2, 1, 4, 6)),
        _attention(Q, K, V, MASK),
        _attention(Q, K, V, HIDING),
        _attention(Q, K, V, T(3, 4, 6), is_causal=1),
        _attention(Q, K, V, MASK, is_causal=1),
        _attention(Q, K, V, T(4, 5)),
        _attention(Q, K, V, None, *PAST, outputs=3),
        _attention(Q, T(2, 3, 4, 8), T(2, 3, 4, 10), None, *PAST, outputs=3, is_causal=1),
        _attention(Q, K, V, None, *PAST, outputs=3, is_causal=1),
        _attention(*FLAT, None, *PAST, outputs=3, **HEADS),
        _attention(Q, K, V, softcap=0.7),
        _attention(Q, K, V, MASK, softcap=0.7, is_causal=1),
        *[
            _attention(Q, K, V, MASK, outputs=[True, False, False, True], softcap=2.0, qk_matmul_output_mode=m)
            for m in (1, 2, 3)
        ],
        _attention(Q, K, V, outputs=[True, False, False, True]),
        _attention(Q, K, V, None, None, None, ints(6, 3)),
        _attention(Q, K, V, None, None, None, ints(6, 3), is_causal=1),
        _attention(Q, K, V, opset=25, left_window_size=1),
        _attention(Q, K, V, opset=25, left_window_size=1, right_window_size=2),
        _attention(Q, K, V, MASK, opset=25, right_window_size=1),
        _attention(Q, K, V, opset=23),
        Case(
            [T(2, 3, 4, 8), T(2, 3, 4, 8), T(2, 3, 4, 8)],
            opset=23,
            dynamic={i: {0: "n", 2: "s"} for i in range(3)},
            attrs={"is_causal": 1},
        ),
    ],
    "RotaryEmbedding": [
        Case([T(2, 3, 4, 8), T(10, 4), T(10, 4), T(2, 4, dtype=np.int64, high=10)], opset=23),
        Case([T(2, 3, 4, 8), T(2, 4, 4), T(2, 4, 4)], opset=23),
        Case([T(2, 4, 24), T(10, 4), T(10, 4), T(2, 4, dtype=np.int64, high=10)], opset=23, attrs={"num_heads": 3}),
        Case([T(2, 3, 4, 8), T(10, 4), T(10, 4), T(2, 4, dtype=np.int64)], opset=23, attrs={"interleaved": 1}),
        Case([T(2, 3, 4, 8), T(10, 2), T(10, 2), T(2, 4, dtype=np.int64)], opset=23, attrs={"rotary_embedding_dim": 4}),
        Case(
            [T(2, 4, 24), T(10, 2), T(10, 2), T(2, 4, dtype=np.int64)],
            opset=23,
            attrs={"rotary_embedding_dim": 4, "interleaved": 1, "num_heads": 3},
            dynamic={0: {0: "n", 1: "s"}, 3: {0: "n", 1: "s"}},
        ),
    ],
    "LinearAttention": [
        Case(
            [T(2, 5, 16), T(2, 5, 8), T(2, 5, 6), None, T(2, 5, 8, low=-1, high=0), T(2, 5, 2, positive=True)],
            outputs=2,
            opset=27,
            attrs={"q_num_heads": 4, "kv_num_heads": 2},
        ),
        Case(
            [T(2, 5, 16), T(2, 5, 8), T(2, 5, 6), T(2, 2, 4, 3)],
            outputs=2,
            opset=27,
            attrs={"q_num_heads": 4, "kv_num_heads": 2, "update_rule": "linear", "scale": 0.3},
        ),
        Case(
            [T(2, 5, 8), T(2, 5, 8), T(2, 5, 6), None, T(2, 5, 2, low=-1, high=0)],
            outputs=2,
            opset=27,
            attrs={"q_num_heads": 2, "kv_num_heads": 2, "update_rule": "gated"},
        ),
        Case(
            [T(2, 5, 8), T(2, 5, 8), T(2, 5, 6), None, None, T(2, 5, 1, positive=True)],
            outputs=2,
            opset=27,
            attrs={"q_num_heads": 2, "kv_num_heads": 2, "update_rule": "delta"},
        ),
    ],
    "NegativeLogLikelihoodLoss": [
        *[
            Case([T(3, 5), T(3, dtype=np.int64, high=5)], opset=13, attrs={"reduction": r})
            for r in ("none", "sum", "mean")
        ],
        Case([T(3, 5, 2), T(3, 2, dtype=np.int64, high=5), W(5, positive=True)], opset=22),
        Case([T(3, 5), W(value=np.array([1, 4, 2])), W(5, positive=True)], opset=13, attrs={"ignore_index": 4}),
        Case([T(3, 5), T(3, dtype=np.int64, high=5)], opset=12, dynamic={0: {0: "n"}, 1: {0: "n"}}),
    ],
    "SoftmaxCrossEntropyLoss": [
        *[
            Case([T(3, 5), T(3, dtype=np.int64, high=5)], opset=13, attrs={"reduction": r})
            for r in ("none", "sum", "mean")
        ],
        Case([T(3, 5, 2), T(3, 2, dtype=np.int64, high=5), W(5, positive=True)], outputs=2, opset=13),
        Case([T(3, 5), W(value=np.array([1, 4, 2]))], opset=12, attrs={"ignore_index": 4}),
        Case([T(3, 5), T(3, dtype=np.int64, high=5)], opset=13, dynamic={0: {0: "n"}, 1: {0: "n"}}),
    ],
}
