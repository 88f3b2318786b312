"""Functions of one tensor."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, add_pair
from torch_case import T

CASES: Cases = {}

HALF, INT, BOOL = torch.float16, torch.int64, torch.bool
SPECIAL = T(value=torch.tensor([0.0, -0.0, 1.5, -2.5, 0.5, float("inf"), -float("inf"), float("nan")]))
UNIT = T(3, 4, low=-0.95, high=0.95)

for name in ("sin", "cos", "sinh", "cosh", "tan", "tanh", "asinh", "atan", "erf", "erfc", "exp", "exp2", "expm1",
             "sigmoid", "deg2rad", "rad2deg", "sinc"):  # fmt: skip
    add_pair(CASES, f"aten.{name}.default", [T(2, 3)])
    add(CASES, f"aten.{name}.default", [T(4, dtype=INT, low=-2, high=3)])
    add(CASES, f"aten.{name}.default", [T(3, dtype=HALF)])
for name in ("acos", "asin", "atanh", "erfinv"):
    add_pair(CASES, f"aten.{name}.default", [UNIT])
    add(CASES, f"aten.{name}.default", [T()])
for name in ("log", "log2", "log10", "log1p", "sqrt", "rsqrt", "lgamma", "reciprocal"):
    add_pair(CASES, f"aten.{name}.default", [T(2, 3, positive=True)])
    add(CASES, f"aten.{name}.default", [T(4, dtype=INT, low=1, high=9)])
add_pair(CASES, "aten.acosh.default", [T(5, low=1, high=4)])
for name, args in (("expit", [T(3)]), ("erf", [T(3)]), ("erfc", [T(3)]), ("log1p", [T(3, positive=True)]),
                   ("expm1", [T(3)]), ("exp2", [T(3)]), ("erfinv", [UNIT]), ("gammaln", [T(3, positive=True)]),
                   ("sinc", [T(3)]), ("logit", [T(5, low=0.1, high=0.9)])):  # fmt: skip
    add(CASES, f"aten.special_{name}.default", args)
add_pair(CASES, "aten.logit.default", [T(5, low=0.1, high=0.9)])
add(CASES, "aten.logit.default", [T(50)], 0.1)

for name in ("abs", "neg", "square", "sign", "sgn"):
    add_pair(CASES, f"aten.{name}.default", [T(2, 3)])
    add(CASES, f"aten.{name}.default", [T(4, dtype=INT, low=-5, high=5)])
    add(CASES, f"aten.{name}.default", [SPECIAL])
for name in ("absolute", "negative", "positive"):
    add(CASES, f"aten.{name}.default", [T(2, 3)])
for name in ("ceil", "floor", "round", "trunc", "fix", "frac"):
    add_pair(CASES, f"aten.{name}.default", [T(20, low=-5, high=5)])
    add(CASES, f"aten.{name}.default", [T(value=torch.tensor([0.5, 1.5, -2.5, -0.5]))])
for name in ("ceil", "floor", "round", "trunc"):
    add(CASES, f"aten.{name}.default", [T(4, dtype=INT, low=-5, high=5)])
for _x in (SPECIAL, T(20, low=-50, high=50), T(value=torch.tensor([1e-45, -1e-40, 2.0**-126, 3e38, 0.5, -1.0, -0.0]))):
    add(CASES, "aten.frexp.Tensor", [_x])
for dtype in (torch.float16, torch.bfloat16, torch.float64):
    add(CASES, "aten.frexp.Tensor", [T(9, dtype=dtype)])
add_pair(CASES, "aten.round.decimals", [T(20, low=-50, high=50)], decimals=1)
add(CASES, "aten.round.decimals", [T(20, low=-500, high=500)], decimals=-2)
add_pair(CASES, "aten.nan_to_num.default", [SPECIAL])
add(CASES, "aten.nan_to_num.default", [SPECIAL], 1.0, 2.0, 3.0)
add(CASES, "aten.nan_to_num.default", [T(value=SPECIAL.value.half())])
add(CASES, "aten.nan_to_num.default", [T(3, dtype=INT)])
add_pair(CASES, "aten.bitwise_not.default", [T(6, dtype=torch.int32, low=-9, high=9)])
add(CASES, "aten.bitwise_not.default", [T(6, dtype=BOOL)])
add_pair(CASES, "aten.logical_not.default", [T(6, dtype=BOOL)])
add(CASES, "aten.logical_not.default", [T(6, dtype=INT, low=0, high=2)])
add(CASES, "aten.logical_not.default", [SPECIAL])
for name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit", "angle"):
    add(CASES, f"aten.{name}.default", [SPECIAL])
for name in ("isnan", "signbit", "isposinf", "angle"):
    add(CASES, f"aten.{name}.default", [T(4, dtype=INT, low=-2, high=2)])
