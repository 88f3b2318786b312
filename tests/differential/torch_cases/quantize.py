"""Quantisation."""

from __future__ import annotations

import torch
import torch.ao.quantization.fx._decomposed
import torchao.quantization.quant_primitives  # noqa: F401 (its ops)
from aten_calls import Cases, call
from torch_case import Case, T

CASES: Cases = {}

BYTE, INT8 = torch.uint8, torch.int8
ops = torch.ops.quantized_decomposed
X = T(3, 40, low=-9, high=9)
PER_TENSOR = ((0.05, 3, -128, 127, INT8), (0.05, 100, 0, 255, BYTE), (0.1, 0, -100, 90, INT8))

for args in PER_TENSOR:
    target = "quantized_decomposed.quantize_per_tensor.default"
    CASES.setdefault(target, []).append(Case(call(target, *args), X))
    target = "quantized_decomposed.dequantize_per_tensor.default"
    CASES.setdefault(target, []).append(Case(call(target, *args), T(9, dtype=args[4], low=0, high=100)))
for name, spec in (("quantize", X), ("dequantize", T(9, dtype=INT8, low=-100, high=100))):
    target = f"quantized_decomposed.{name}_per_tensor.tensor"
    op = getattr(ops, f"{name}_per_tensor").tensor
    scale, zero = T(value=torch.tensor(0.05)), T(value=torch.tensor(7, dtype=torch.int64))
    CASES[target] = [Case(lambda x, s, z, op=op: op(x, s, z, -128, 127, INT8), spec, scale, zero)]
SCALES, ZEROS = T(3, positive=True), T(value=torch.tensor([0, 5, -3]))
for name, spec in (("quantize", X), ("dequantize", T(3, 9, dtype=INT8, low=-100, high=100))):
    target = f"quantized_decomposed.{name}_per_channel.default"
    op = getattr(ops, f"{name}_per_channel").default
    CASES[target] = [Case(lambda x, s, z, op=op: op(x, s, z, 0, -127, 127, INT8), spec, weights=[SCALES, ZEROS])]
CASES["quantized_decomposed.dequantize_per_channel.default"].append(
    Case(
        lambda x, s: ops.dequantize_per_channel.default(x, s, None, 1, -127, 127, INT8),
        T(2, 3, dtype=INT8, low=-9, high=9),
        weights=[SCALES],
    )
)
target = "aten.fake_quantize_per_tensor_affine.default"
CASES[target] = [Case(call(target, 0.1, 3, -20, 25), X), Case(call(target, 0.05, 0, 0, 255), X)]
CASES["aten.fake_quantize_per_tensor_affine.tensor_qparams"] = [
    Case(
        lambda x, s, z: torch.ops.aten.fake_quantize_per_tensor_affine.tensor_qparams(x, s, z, -20, 25),
        X,
        T(value=torch.tensor([0.1])),
        T(value=torch.tensor([3], dtype=torch.int32)),
    )
]
CASES["aten.fake_quantize_per_channel_affine.default"] = [
    Case(
        lambda x, s, z: torch.ops.aten.fake_quantize_per_channel_affine.default(x, s, z, 0, -20, 25),
        X,
        weights=[SCALES, T(value=torch.tensor([0, 5, -3], dtype=torch.int32))],
    )
]
CASES["aten.fake_quantize_per_tensor_affine_cachemask.default"] = [
    Case(call("aten.fake_quantize_per_tensor_affine_cachemask.default", 0.1, 3, -20, 25), X)
]
CASES["aten.fake_quantize_per_channel_affine_cachemask.default"] = [
    Case(
        lambda x, s, z: torch.ops.aten.fake_quantize_per_channel_affine_cachemask.default(x, s, z, 0, -20, 25),
        X,
        weights=[SCALES, T(value=torch.tensor([0, 5, -3], dtype=torch.int32))],
    )
]
target = "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default"
CASES[target] = [
    Case(
        lambda x, s, z, on: torch.ops.aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default(
            x, s, z, on, -20, 25
        ),
        X,
        T(value=torch.tensor([0.1])),
        T(value=torch.tensor([3], dtype=torch.int32)),
        T(value=torch.tensor([enabled])),
    )
    for enabled in (1, 0)
]

# Scales that follow from the data: of a tensor, of rows, of blocks.
for kind, limits in ((BYTE, (0, 255)), (INT8, (-128, 127)), (INT8, (-127, 127))):
    for name in ("choose_qparams", "choose_qparams_symmetric"):
        target = f"quantized_decomposed.{name}.tensor"
        CASES.setdefault(target, []).append(Case(call(target, *limits, 2**-12, kind), X))
for name in (
    "choose_qparams_per_token.default",
    "choose_qparams_per_token_asymmetric.default",
    "_choose_qparams_per_token_asymmetric_impl.default",
):
    target = f"quantized_decomposed.{name}"
    # What is recorded has other dtypes than what PyTorch computes.
    CASES[target] = [
        Case(lambda x, op=call(target, INT8): tuple(t.double() for t in op(x)), spec)
        for spec in (T(2, 3, 9, low=-4, high=9), T(4, 9, low=2, high=9))
    ]
TOKEN_SCALES = T(value=torch.tensor([[0.05], [0.25], [0.125]], dtype=torch.float64))
TOKEN_ZEROS = T(value=torch.tensor([[0], [5], [-7]]))
for name, spec in (("quantize", X), ("dequantize", T(3, 40, dtype=INT8, low=-100, high=100))):
    target = f"quantized_decomposed.{name}_per_token.default"
    token_op = getattr(ops, f"{name}_per_token").default
    more = [torch.float32] if name == "dequantize" else []
    CASES[target] = [
        Case(lambda x, s, z, op=token_op, m=more: op(x, s, z, -128, 127, INT8, *m), spec, TOKEN_SCALES, TOKEN_ZEROS)
    ]

affine = torch.ops.torchao
BLOCKS = ((3, 40), (1, 40), (1, 8), (3, 20), (1, 1))
for block in BLOCKS:
    count = (3 // block[0]) * (40 // block[1])
    scales = T(value=torch.linspace(0.03, 0.11, count).reshape(3 // block[0], 40 // block[1]))
    zeros = T(value=torch.arange(count, dtype=torch.int32).reshape(3 // block[0], 40 // block[1]) % 7 - 3)
    target = "torchao.quantize_affine.default"
    CASES.setdefault(target, []).append(
        Case(lambda x, s, z, b=block: affine.quantize_affine.default(x, b, s, z, INT8, -100, 127), X, scales, zeros)
    )
    target = "torchao.dequantize_affine.default"
    codes = T(3, 40, dtype=INT8, low=-100, high=100)
    CASES.setdefault(target, []).append(
        Case(lambda x, s, z, b=block: affine.dequantize_affine.default(x, b, s, z, INT8), codes, scales, zeros)
    )
    for mapping in ("SYMMETRIC", "ASYMMETRIC") if block != (1, 1) else ():
        for keeps in (False, True):
            target = "torchao.choose_qparams_affine.default"
            CASES.setdefault(target, []).append(
                Case(
                    lambda x, m=mapping, b=block, k=keeps: affine.choose_qparams_affine.default(
                        x, m, b, INT8, None, None, None, None, None, k
                    ),
                    X,
                )
            )
CASES["torchao.dequantize_affine.default"].append(
    Case(
        lambda x, s: affine.dequantize_affine.default(x, (1, 9), s, None, INT8, -128, 127),
        T(3, 9, dtype=INT8, low=-100, high=100),
        weights=[SCALES],
    )
)
