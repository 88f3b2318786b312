"""Arithmetic of tensors and numbers."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, add_pair, call
from torch_case import Case, T

CASES: Cases = {}

HALF, INT, BYTE, BOOL = torch.float16, torch.int64, torch.uint8, torch.bool
NAN = T(value=torch.tensor([1.0, float("nan"), float("nan"), -2.0, float("inf")]))
NAN_2 = T(value=torch.tensor([float("nan"), float("nan"), 3.0, 2.0, -1.0]))
INTS = T(20, dtype=INT, low=-9, high=10)
DIVISORS = T(value=torch.tensor([1, -2, 3, -4, 5] * 4))
STEPS = T(5, dtype=INT, low=0, high=5)

for op in ("add", "sub"):
    add_pair(CASES, f"aten.{op}.Tensor", [T(2, 3), T(3)])
    add_pair(CASES, f"aten.{op}.Tensor", [T(2, 3), T(2, 1)], alpha=2)
    add(CASES, f"aten.{op}.Tensor", [T(2, 3, dtype=INT), T(3)], alpha=3)
    add(CASES, f"aten.{op}.Tensor", [T(2, 3, dtype=HALF), T()])
    add(CASES, f"aten.{op}.Tensor", [T(2, 3, dtype=BYTE), T(3, dtype=torch.int8)])
    add(CASES, f"aten.{op}.Tensor", [T(3, dtype=HALF), T(3, dtype=torch.bfloat16)])
    add_pair(CASES, f"aten.{op}.Scalar", [T(2, 3)], 2.5, 2)
    add(CASES, f"aten.{op}.Scalar", [T(3, dtype=INT)], 2)
    add(CASES, f"aten.{op}.Scalar", [T(3, dtype=INT)], 0.5)
    add(CASES, f"aten.{op}.Tensor", [T(0, 3), T(3)])
add(CASES, "aten.add.Scalar", [T(3, dtype=BOOL)], 2)
add(CASES, "aten.add.Tensor", [T(5, dtype=BOOL), T(5, dtype=BOOL)])
CASES["aten.add.Tensor"].append(Case(lambda x, y: x + y, T(2, 3), T(1, 3), dynamic={0: {0: (2, 8)}}))
CASES["aten.mul.Tensor"] = [Case(lambda x: x * x.shape[0], T(3, 2), dynamic={0: {0: (2, 8)}})]
add_pair(CASES, "aten.subtract.Tensor", [T(3), T(3)], alpha=2)
add(CASES, "aten.rsub.Tensor", [T(3), T(3)], alpha=2)
add(CASES, "aten.rsub.Scalar", [T(3)], 1.5, 2)
add(CASES, "aten.rsub.Scalar", [T(3, dtype=INT)], 5)
for op in ("addcmul", "addcdiv"):
    add_pair(CASES, f"aten.{op}.default", [T(2, 3), T(3), T(2, 1, positive=True)])
    add(
        CASES, f"aten.{op}.default", [T(2, 3, dtype=HALF), T(3, dtype=HALF), T(3, dtype=HALF, positive=True)], value=0.5
    )
add_pair(CASES, "aten.lerp.Scalar", [T(2, 3), T(3)], 0.3)
add_pair(CASES, "aten.lerp.Tensor", [T(2, 3), T(3), T(2, 3)])
FAR, NEAR = T(value=torch.tensor([1e8, -1e8, 3.0, 0.0])), T(value=torch.tensor([1.0, 2.0, 3.0, -0.0]))
for weight in (0.0, 0.25, 0.5, 0.75, 1.0, -0.5, 2.0):
    add(CASES, "aten.lerp.Scalar", [FAR, NEAR], weight)
add(CASES, "aten.lerp.Tensor", [FAR, NEAR, T(value=torch.tensor([1.0, 0.5, 0.49, 1.0]))])
for number in (2**60 + 1, -(2**62) - 3):  # which float64 does not hold
    add(CASES, "aten.add.Tensor", [T(4, dtype=torch.int64)], number)
    add(CASES, "aten.maximum.default", [T(4, dtype=torch.int64), T(value=torch.tensor(number))])
for op in ("mul", "multiply"):
    add_pair(CASES, f"aten.{op}.Tensor", [T(2, 3), T(3)])
add_pair(CASES, "aten.mul.Scalar", [T(2, 3)], 2.5)
add(CASES, "aten.mul.Scalar", [T(3, dtype=INT)], 0.5)
add(CASES, "aten.mul.Tensor", [T(3, dtype=BOOL), T(3)])
add(CASES, "aten.mul.Tensor", [T(3, dtype=INT), T(dtype=torch.float64)])
for op in ("div", "divide", "true_divide"):
    add_pair(CASES, f"aten.{op}.Tensor", [T(2, 3), T(3, positive=True)])
    add(CASES, f"aten.{op}.Tensor", [INTS, DIVISORS])
add_pair(CASES, "aten.div.Scalar", [T(2, 3)], 3)
add(CASES, "aten.div.Scalar", [INTS], 4)
for mode in (None, "trunc", "floor"):
    add_pair(CASES, "aten.div.Tensor_mode", [T(9, low=-9, high=9), T(9, positive=True)], rounding_mode=mode)
    add(CASES, "aten.div.Tensor_mode", [INTS, DIVISORS], rounding_mode=mode)
    add_pair(CASES, "aten.div.Scalar_mode", [T(9, low=-9, high=9)], -2.0, rounding_mode=mode)
    add(CASES, "aten.div.Scalar_mode", [INTS], 4, rounding_mode=mode)
add(CASES, "aten.floor_divide.default", [INTS, DIVISORS])
add(CASES, "aten.floor_divide.default", [T(9, low=-9, high=9), T(9, positive=True)])
CASES["aten.floor_divide_.Tensor"] = [
    Case(lambda x, y: torch.ops.aten.floor_divide_.Tensor(x.clone(), y), INTS, DIVISORS)
]
CASES["aten.floor_divide.Scalar"] = [Case(call("aten.floor_divide.Scalar", 4), INTS)]
CASES["aten.floor_divide_.Scalar"] = [Case(lambda x: torch.ops.aten.floor_divide_.Scalar(x.clone(), -4), INTS)]
for op in ("remainder", "fmod"):
    add_pair(CASES, f"aten.{op}.Tensor", [INTS, DIVISORS])
    add(CASES, f"aten.{op}.Tensor", [T(9, low=-9, high=9), T(9, positive=True)])
    add_pair(CASES, f"aten.{op}.Scalar", [T(9, low=-9, high=9)], -2.5)
    add(CASES, f"aten.{op}.Scalar", [INTS], -4)
CASES["aten.remainder.Scalar_Tensor"] = [Case(lambda x: torch.ops.aten.remainder.Scalar_Tensor(-7, x), DIVISORS)]
for exponent in (0, 1, 2, 3, 0.5, -0.5, -1, 2.5, -2):
    add(CASES, "aten.pow.Tensor_Scalar", [T(2, 3, positive=True)], exponent)
for exponent in (0, 1, 2, 3, 4):
    add(CASES, "aten.pow.Tensor_Scalar", [INTS], exponent)
add(CASES, "aten.pow.Tensor_Scalar", [T(3, low=-2, high=-1)], 3)
CASES["aten.pow_.Scalar"] = [Case(lambda x: torch.ops.aten.pow_.Scalar(x.clone(), 3), T(4))]
add(CASES, "aten.pow.Tensor_Tensor", [T(3, positive=True), T(2, 1)])
add(CASES, "aten.pow.Tensor_Tensor", [INTS, T(20, dtype=INT, low=0, high=4)])
CASES["aten.pow_.Tensor"] = [Case(lambda x, y: torch.ops.aten.pow_.Tensor(x.clone(), y), T(4, positive=True), T(4))]
CASES["aten.pow.Scalar"] = [
    Case(lambda x: torch.ops.aten.pow.Scalar(2.5, x), T(4)),
    Case(lambda x: torch.ops.aten.pow.Scalar(2, x), STEPS),
    Case(lambda x: torch.ops.aten.pow.Scalar(10000.0, x), T(4)),
]
add(CASES, "aten.float_power.Tensor_Scalar", [T(3, positive=True)], 1.5)
add(CASES, "aten.float_power.Tensor_Tensor", [T(3, positive=True), T(3)])
CASES["aten.float_power.Scalar"] = [Case(lambda x: torch.ops.aten.float_power.Scalar(1.5, x), STEPS)]
for target in ("aten.maximum.default", "aten.minimum.default", "aten.max.other", "aten.min.other", "aten.fmax.default",
               "aten.fmin.default"):  # fmt: skip
    add(CASES, target, [NAN, NAN_2])
    add(CASES, target, [T(2, 3), T(3, dtype=INT)])
for op in ("atan2", "hypot"):
    add_pair(CASES, f"aten.{op}.default", [T(2, 3), T(3)])
add(CASES, "aten.atan2.default", [INTS, DIVISORS])
add_pair(CASES, "aten.nextafter.default", [T(2, 3), T(3)])
_x = torch.tensor([0.0, -0.0, 1.0, -1.0, 2.0, 3.0, 0.0, 1e-45, float("inf"), -float("inf"), float("nan"), 1.0])
_y = torch.tensor([1.0, -1.0, 2.0, 1.0, 1.0, 3.0, 0.0, -1.0, 0.0, -float("inf"), 1.0, float("nan")])
for dtype in (torch.float32, torch.float64, torch.bfloat16):
    CASES["aten.nextafter.default"].append(  # steps, which no tolerance covers
        Case(lambda x, y: (torch.nextafter(x, y) - x) * 2.0**52, T(value=_x.to(dtype)), T(value=_y.to(dtype)))
    )
add(CASES, "aten.arctan2.default", [T(3), T(3)])
add_pair(CASES, "aten.copysign.Tensor", [T(9), T(9)])
add(CASES, "aten.copysign.Tensor", [INTS, DIVISORS])
add(CASES, "aten.copysign.Scalar", [T(4)], -1.0)
for op in ("logaddexp", "logaddexp2"):
    add(CASES, f"aten.{op}.default", [T(2, 3), T(3)])
add_pair(CASES, "aten.xlogy.Tensor", [T(value=torch.tensor([0.0, 0.0, 1.0, 2.0])),
                                      T(value=torch.tensor([0.0, float("nan"), 0.0, 3.0]))])  # fmt: skip
add(CASES, "aten.xlogy.Scalar_Other", [T(4)], 2.0)
CASES["aten.xlogy.Scalar_Self"] = [Case(lambda x: torch.ops.aten.xlogy.Scalar_Self(2, x), T(4, positive=True))]
add_pair(CASES, "aten.heaviside.default", [T(value=torch.tensor([0.0, -1.0, 2.0, float("nan")])), T(4)])
add(CASES, "aten.ldexp.Tensor", [T(4), T(4, dtype=INT)])
for bounds in ((-0.5, 0.5), (None, 0.5), (-0.5, None), (0.5, -0.5)):
    add_pair(CASES, "aten.clamp.default", [T(9)], *bounds)
    add_pair(CASES, "aten.clip.default", [T(9)], *bounds)
add(CASES, "aten.clamp.default", [NAN], -1, 1)
add(CASES, "aten.clamp.default", [INTS], -2, 3)
add(CASES, "aten.clamp.default", [INTS], 1)
add(CASES, "aten.clamp.default", [INTS], 0.5, 2.5)
add(CASES, "aten.clamp.default", [T(9, dtype=HALF)], -0.5, 0.5)
add_pair(CASES, "aten.clamp.Tensor", [T(2, 3), T(3), T(2, 1)])
add(CASES, "aten.clamp.Tensor", [T(2, 3), T(3)])
CASES["aten.clamp.Tensor"].append(Case(lambda x, y: torch.ops.aten.clamp.Tensor(x, None, y), T(3), T(3)))
for op in ("clamp_min", "clamp_max"):
    add_pair(CASES, f"aten.{op}.default", [T(9)], 0.25)
    add(CASES, f"aten.{op}.default", [INTS], 1)
    add_pair(CASES, f"aten.{op}.Tensor", [T(2, 3), T(3)])
SIZES = {i: {0: (2, 40)} for i in (0, 1)}
for op in ("gcd", "lcm"):
    add_pair(CASES, f"aten.{op}.default", [T(4, 5, dtype=INT, low=-60, high=60), T(5, dtype=INT, low=0, high=9)])
    add(CASES, f"aten.{op}.default", [T(5, dtype=torch.int8, low=-9, high=9), T(5, dtype=torch.int32, low=-9, high=9)])
    add(CASES, f"aten.{op}.default", [T(0, 3, dtype=INT), T(dtype=INT)])
    CASES[f"aten.{op}.default"].append(Case(call(f"aten.{op}.default"), INTS, DIVISORS, dynamic=SIZES))
add(CASES, "aten.gcd.default", [T(value=torch.tensor([7540113804746346429, 0])), T(value=torch.tensor(2**62))])
