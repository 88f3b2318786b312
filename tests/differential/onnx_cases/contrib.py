"""Cases of ONNX Runtime's own ops."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx_case import Case, T, W

X8 = {"dtype": np.uint8, "high": 256}
S7 = {"dtype": np.int8, "low": -64, "high": 64}
N = {"dynamic": {0: {0: "n"}}}
ROWS = {"dynamic": {0: {0: "n", 1: "s"}}}
X, SKIP, G = T(2, 3, 8), T(2, 3, 8), W(8)


def ints(*values: int, dtype: str = "int32") -> W:
    return W(value=np.array(values, dtype))


def scale(*values: float) -> W:
    return W(value=np.array(values[0] if len(values) == 1 else values, "float32"))


def zero(*values: int, dtype: str = "uint8") -> W:
    return W(value=np.array(values[0] if len(values) == 1 else values, dtype))


def _conv(*rest: T | None, **attrs: Any) -> Case:
    return Case([T(1, 3, 5, 6), W(4, 3, 3, 3), *rest], attrs={"kernel_shape": [3, 3], **attrs})


def _bits(bits: int, block: int, k: int, n: int, zeros: W | None = None, bias: W | None = None, **how: Any) -> Case:
    blocks = -(-k // block)
    weight = W(n, blocks, block * bits // 8, **X8)
    inputs: list[T | None] = [T(3, k), weight, W(n, blocks, positive=True)]
    if zeros is not None or bias is not None:
        inputs += [zeros]
    if bias is not None:
        inputs += [None, bias]
    return Case(inputs, attrs={"K": k, "N": n, "bits": bits, "block_size": block}, tol=2e-3, **how)


def _projected(*rest: T | None, outputs: Any = 1, **attrs: Any) -> Case:
    return Case([T(2, 4, 8), W(8, 36), W(36), *rest], outputs=outputs, attrs={"num_heads": 3, **attrs})


def _projected_bytes(weight_scale: W | None = None, *rest: T | None, outputs: Any = 1, **attrs: Any) -> Case:
    inputs = [T(2, 4, 8, **X8), W(8, 36, **S7), W(36), scale(0.02), weight_scale or scale(0.02), *rest]
    return Case(inputs, outputs=outputs, attrs={"num_heads": 3, **attrs})


def _multi(q: T, *rest: T | None, outputs: Any = 1, **attrs: Any) -> Case:
    return Case([q, *rest], outputs=outputs, attrs={"num_heads": 3, **attrs})


Q, K, V = T(2, 4, 24), T(2, 6, 24), T(2, 6, 30)
MASK2 = W(value=np.array([[1, 1, 0, 1, 1, 0], [1, 1, 1, 1, 0, 0]], "int32"))
MASK4 = W(value=np.array([[1, 1, 0, 1], [1, 1, 1, 0]], "int32"))


def _heads(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Attention of tensors (batch, sequence, heads, width)."""
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(q.shape[-1])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return np.einsum("bhqk,bkhd->bqhd", weights, v).reshape(*q.shape[:2], -1).astype(q.dtype)


def _grouped(past: int | None, new: int, *rest: T | None, batch: int = 2, **attrs: Any) -> Case:
    total = (past or 0) + new
    cache: list[T | None] = [None, None] if past is None else [T(batch, 2, past, 16), T(batch, 2, past, 16)]
    lengths = [ints(*[total - 1] * batch), W(value=np.array(total, "int32"))]
    inputs = [T(batch, new, 64), T(batch, new, 32), T(batch, new, 32), *cache, *lengths, *rest]
    return Case(inputs, outputs=3, attrs={"num_heads": 4, "kv_num_heads": 2, **attrs})


ANGLES = (W(16, 8), W(16, 8))
CASES = {
    "com.microsoft::Gelu": [Case([X]), Case([X], **N)],
    "com.microsoft::BiasGelu": [Case([X, G]), Case([X, G], **N)],
    "com.microsoft::FastGelu": [Case([X], tol=1e-5), Case([X, G]), Case([X, G], **N)],
    "com.microsoft::QuickGelu": [Case([X]), Case([X], attrs={"alpha": 0.5}), Case([X], **N)],
    "com.microsoft::FusedMatMul": [
        Case([T(3, 4), T(4, 5)], attrs={"alpha": 0.5}),
        Case([T(2, 4, 3), T(2, 5, 4)], attrs={"transA": 1, "transB": 1}),
        Case([T(4, 2, 5), T(2, 5, 3)], attrs={"transBatchA": 1}),
        Case([T(2, 3, 5), T(5, 2, 4)], attrs={"transBatchB": 1}),
        Case([T(2, 3, 4), W(5, 4)], attrs={"transB": 1}, **N),
    ],
    "com.microsoft::TransposeMatMul": [Case([T(3, 4), T(5, 4)], attrs={"transB": 1, "alpha": 0.5})],
    "com.microsoft::FusedGemm": [
        Case([T(3, 4), W(4, 5), W(5)], attrs={"activation": "Relu"}),
        Case(
            [T(4, 3), W(5, 4), W(5)],
            attrs={
                "transA": 1,
                "transB": 1,
                "alpha": 0.5,
                "beta": 0.25,
                "activation": "LeakyRelu",
                "activation_alpha": 0.3,
            },
        ),
        Case([T(3, 4), W(4, 5)], attrs={"activation": "Tanh"}, **N),
    ],
    "com.microsoft::FusedConv": [
        _conv(W(4), activation="Relu"),
        _conv(W(4), activation="LeakyRelu", activation_params=[0.3], pads=[1, 1, 1, 1], strides=[2, 2]),
        _conv(W(4), activation="Clip", activation_params=[-0.5, 0.75]),
        _conv(W(4), activation="HardSigmoid", activation_params=[0.2, 0.4]),
        _conv(W(4), activation="Sigmoid"),
        _conv(None, T(1, 4, 3, 4), activation="Relu"),
    ],
    "com.microsoft::MatMulNBits": [
        _bits(4, 16, 32, 5),
        _bits(4, 16, 40, 5),
        _bits(4, 16, 48, 5, zeros=W(5, 2, **X8)),
        _bits(4, 32, 64, 5, zeros=W(5, 2, low=0, high=15)),
        _bits(8, 16, 32, 5),
        _bits(4, 16, 32, 5, bias=W(5), dynamic={0: {0: "n"}}),
    ],
    "com.microsoft::SkipLayerNormalization": [
        Case([X, SKIP, G, W(8), W(8)], outputs=[True, False, False, True]),
        Case([X, SKIP, G], attrs={"epsilon": 0.1}),
        Case([X, T(3, 8), G, W(8)]),
        Case([X, SKIP, G, None, W(8)]),
        Case([X, SKIP, G, W(8)], dynamic={0: {0: "n", 1: "s"}, 1: {0: "n", 1: "s"}}),
    ],
    "com.microsoft::SkipSimplifiedLayerNormalization": [
        Case([X, SKIP, G], outputs=[True, False, False, True]),
        Case([X, SKIP, G, W(8)], attrs={"epsilon": 0.1}),
        Case([X, SKIP, G], dynamic={0: {0: "n", 1: "s"}, 1: {0: "n", 1: "s"}}),
    ],
    "SimplifiedLayerNormalization": [
        Case([X, G], opset=14, engine="ort"),
        Case([X, G], opset=17, attrs={"epsilon": 0.1}, engine="ort"),
        Case([X, G], opset=17, engine="ort", **ROWS),
    ],
    "com.microsoft::EmbedLayerNormalization": [
        Case(
            [T(2, 3, dtype=np.int32), T(2, 3, dtype=np.int32, high=2), W(8, 6), W(9, 6), W(2, 6), W(6), W(6)],
            outputs=[True, False],
        ),
        Case(
            [T(2, 3, dtype=np.int32), None, W(8, 6), W(9, 6), None, W(6), W(6)],
            outputs=[True, False],
            attrs={"epsilon": 0.1},
        ),
        Case(
            [
                T(2, 3, dtype=np.int32),
                T(2, 3, dtype=np.int32, high=2),
                W(8, 6),
                W(9, 6),
                W(2, 6),
                W(6),
                W(6),
                W(value=np.array([[1, 1, 0], [1, 1, 1]], "int32")),
            ],
            outputs=3,
        ),
        Case(
            [
                T(2, 3, dtype=np.int32),
                T(2, 3, dtype=np.int32, high=2),
                W(8, 6),
                W(9, 6),
                W(2, 6),
                W(6),
                W(6),
                None,
                T(2, 3, dtype=np.int32),
            ],
            outputs=[True, False],
        ),
    ],
    "com.microsoft::Inverse": [Case([T(2, 3, 3)], tol=1e-3), Case([T(3, 3)], tol=1e-3)],
    "com.microsoft::Attention": [
        _projected(),
        _projected(unidirectional=1),
        _projected(scale=0.3),
        _projected(MASK4),
        _projected(W(value=np.array([[[1, 0, 1, 1]] * 4, [[1, 1, 1, 0]] * 4], "int32"))),
        _projected(ints(3, 2)),
        _projected(ints(4, 3, 1, 0)),
        _projected(MASK4, mask_filter_value=-3.0),
        _projected(None, T(2, 2, 3, 5, 4), outputs=2, unidirectional=1),
        _projected(None, None, T(2, 3, 4, 4)),
        Case([T(2, 4, 8), W(8, 42), W(42)], attrs={"num_heads": 3, "qkv_hidden_sizes": [12, 12, 18]}),
        Case([T(2, 4, 8), W(8, 36), W(36)], attrs={"num_heads": 3, "unidirectional": 1}, **ROWS),
    ],
    "com.microsoft::QAttention": [
        _projected_bytes(),
        _projected_bytes(scale(*[0.01 + 0.001 * i for i in range(36)]), unidirectional=1),
        _projected_bytes(scale(0.02), MASK4),
        _projected_bytes(scale(0.02), ints(3, 2), zero(120), zero(3, dtype="int8")),
        _projected_bytes(scale(0.02), None, zero(7), None, T(2, 2, 3, 5, 4), outputs=2, unidirectional=1),
    ],
    "com.microsoft::MultiHeadAttention": [
        _multi(Q, K, V),
        _multi(Q, K, V, W(78)),
        _multi(Q, K, V, None, MASK2),
        _multi(Q, K, V, None, None, T(2, 3, 4, 6)),
        _multi(Q, K, V, None, None, T(1, 1, 4, 6), scale=0.3),
        _multi(Q, T(2, 3, 6, 8), T(2, 3, 6, 8)),
        _multi(Q, T(2, 4, 24), T(2, 4, 24), unidirectional=1),
        _multi(
            Q, T(2, 4, 24), T(2, 4, 24), None, None, None, T(2, 3, 5, 8), T(2, 3, 5, 8), outputs=3, unidirectional=1
        ),
        Case(
            [T(2, 4, 3, 3, 8)], attrs={"num_heads": 3}, reference=lambda x: _heads(*(x[:, :, :, i] for i in range(3)))
        ),
        Case(
            [Q, T(2, 6, 3, 2, 8)],
            attrs={"num_heads": 3},
            reference=lambda q, x: _heads(q.reshape(2, 4, 3, 8), x[:, :, :, 0], x[:, :, :, 1]),
        ),
        Case(
            [Q, K, V], attrs={"num_heads": 3}, dynamic={0: {0: "n", 1: "s"}, 1: {0: "n", 1: "t"}, 2: {0: "n", 1: "t"}}
        ),
    ],
    "com.microsoft::GroupQueryAttention": [
        _grouped(None, 5),
        _grouped(3, 1),
        _grouped(3, 2, batch=1),
        _grouped(None, 5, *ANGLES, do_rotary=1),
        _grouped(3, 1, *ANGLES, do_rotary=1),
        _grouped(None, 5, *ANGLES, do_rotary=1, rotary_interleaved=1),
        _grouped(None, 6, local_window_size=2),
        _grouped(None, 5, softcap=0.7),
        _grouped(None, 5, scale=0.3),
        Case(
            [T(2, 5, 64), None, None, None, None, ints(4, 4), W(value=np.array(5, "int32"))],
            outputs=3,
            attrs={"num_heads": 4, "kv_num_heads": 2},
        ),
    ],
    "com.microsoft::RotaryEmbedding": [
        Case([T(2, 4, 24), T(2, 4, dtype=np.int64, high=10), W(10, 4), W(10, 4)]),
        Case([T(2, 3, 4, 8), T(2, 4, dtype=np.int64, high=10), W(10, 4), W(10, 4)], attrs={"interleaved": 1}),
        Case([T(2, 4, 24), W(value=np.array([3])), W(10, 4), W(10, 4)]),
        Case(
            [T(2, 4, 24), T(2, 4, dtype=np.int64, high=10), W(10, 2), W(10, 2)],
            attrs={"num_heads": 3, "rotary_embedding_dim": 4},
        ),
        Case(
            [T(2, 4, 24), T(2, 4, dtype=np.int64), W(10, 4), W(10, 4)],
            dynamic={0: {0: "n", 1: "s"}, 1: {0: "n", 1: "s"}},
        ),
    ],
    "com.microsoft::QuantizeLinear": [
        Case([T(3, 4, low=-40, high=40), scale(0.25), zero(128)]),
        Case([T(3, 4, low=-40, high=40), scale(0.25, 0.5, 0.125), zero(1, 2, 3)], attrs={"axis": 0}),
    ],
    "com.microsoft::DequantizeLinear": [
        Case([T(3, 4, **X8), scale(0.25), zero(128)]),
        Case([T(3, 4, **X8), scale(0.25, 0.5, 0.125), zero(1, 2, 3)], attrs={"axis": 0}),
    ],
    "com.microsoft::QLinearAdd": [
        Case([T(3, 4, **X8), scale(0.25), zero(128), T(4, **X8), scale(0.5), zero(100), scale(0.75), zero(110)]),
        Case(
            [T(3, 4, **X8), scale(0.25), zero(128), T(3, 4, **X8), scale(0.5), zero(100), scale(0.75), zero(110)],
            dynamic={0: {0: "n"}, 3: {0: "n"}},
        ),
    ],
    "com.microsoft::QLinearMul": [
        Case([T(3, 4, **X8), scale(0.25), zero(128), T(4, **X8), scale(0.5), zero(100), scale(8.0), zero(110)]),
    ],
    "com.microsoft::QLinearSigmoid": [Case([T(3, 4, **X8), scale(0.05), zero(128), scale(1 / 256), zero(0)])],
    "com.microsoft::QLinearLeakyRelu": [
        Case([T(3, 4, **X8), scale(0.05), zero(128), scale(0.05), zero(64)], attrs={"alpha": 0.3})
    ],
    "com.microsoft::QLinearSoftmax": [
        Case([T(3, 4, **X8), scale(0.05), zero(128), scale(1 / 256), zero(0)], attrs={"opset": 13, "axis": -1}),
        Case([T(2, 3, 4, **X8), scale(0.05), zero(128), scale(1 / 256), zero(0)], attrs={"opset": 11, "axis": 1}),
    ],
    "com.microsoft::QLinearGlobalAveragePool": [
        Case([T(1, 3, 4, 5, **X8), scale(0.25), zero(128), scale(0.125), zero(100)]),
        Case([T(1, 4, 5, 3, **X8), scale(0.25), zero(128), scale(0.125), zero(100)], attrs={"channels_last": 1}),
    ],
    "com.microsoft::QLinearAveragePool": [
        Case(
            [T(1, 3, 4, 5, **X8), scale(0.25), zero(128), scale(0.125), zero(100)],
            attrs={"kernel_shape": [2, 2], "strides": [2, 1]},
        ),
        Case(
            [T(1, 3, 4, 5, **X8), scale(0.25), zero(128), scale(0.125), zero(100)],
            attrs={"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1},
        ),
    ],
    "com.microsoft::QLinearConcat": [
        Case(
            [scale(0.5), zero(100), T(2, 3, **X8), scale(0.25), zero(128), T(2, 1, **X8), scale(0.75), zero(3)],
            attrs={"axis": 1},
        ),
    ],
    "com.microsoft::QGemm": [
        Case(
            [
                T(3, 4, **X8),
                scale(0.5),
                zero(12),
                W(4, 5, **S7),
                scale(0.25),
                zero(3, dtype="int8"),
                W(5, dtype=np.int32, low=-99, high=99),
                scale(40.0),
                zero(100),
            ],
            attrs={"alpha": 0.5},
        ),
        Case(
            [
                T(4, 3, **X8),
                scale(0.5),
                zero(12),
                W(5, 4, **S7),
                scale(0.25, 0.5, 1, 2, 3),
                zero(0, 1, 2, 3, 4, dtype="int8"),
            ],
            attrs={"transA": 1, "transB": 1},
        ),
    ],
    "com.microsoft::MatMulInteger16": [
        Case(
            [T(3, 4, dtype=a, high=900), T(2, 4, 5, dtype=b, high=900)],
            reference=lambda x, y, dtype=dtype: np.matmul(x.astype(dtype), y.astype(dtype)),
        )
        for a, b, dtype in [("int16", "int16", "int32"), ("uint16", "int16", "int32"), ("uint16", "uint16", "uint32")]
    ],
    "com.microsoft::DynamicQuantizeMatMul": [
        Case([T(3, 8), W(8, 5, **S7), scale(0.25), zero(3, dtype="int8"), W(5)], tol=2e-3),
        Case([T(2, 3, 32), W(32, 5, **S7), scale(0.25, 0.5, 1, 2, 3)], tol=2e-3, **ROWS),
        Case([T(3, 8), W(8, 5, **X8), scale(0.25), zero(120)], tol=2e-3),
    ],
    "com.microsoft::MatMulIntegerToFloat": [
        Case([T(3, 4, **X8), W(4, 5, **S7), scale(0.5), scale(0.25), zero(12), zero(3, dtype="int8"), W(5)]),
        Case([T(3, 4, **X8), W(4, 5, **S7), scale(0.5), scale(0.25, 0.5, 1, 2, 3), zero(12)]),
    ],
}
