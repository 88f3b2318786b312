"""Comparisons, logic, bits, choices."""

from __future__ import annotations

import torch
from aten_calls import Cases, add, add_pair, written
from torch_case import Case, T

CASES: Cases = {}

INT, BOOL = torch.int64, torch.bool
SMALL = T(12, dtype=INT, low=0, high=4)
SPECIAL = T(value=torch.tensor([0.0, 1.0, float("inf"), float("nan"), -float("inf"), 2.0]))
NEAR = T(value=torch.tensor([1e-9, 1.0 + 5e-6, float("inf"), float("nan"), 3.0, 2.1]))

for op, name in (("eq", ""), ("ne", "not_equal"), ("lt", "less"), ("le", "less_equal"), ("gt", "greater"),
                 ("ge", "greater_equal")):  # fmt: skip
    add(CASES, f"aten.{op}.Tensor", [SMALL, T(12, dtype=INT, low=0, high=4)])
    add(CASES, f"aten.{op}.Tensor", [T(2, 3), T(3, dtype=torch.int32, low=-1, high=2)])
    add(CASES, f"aten.{op}.Tensor", [SPECIAL, NEAR])
    add(CASES, f"aten.{op}.Scalar", [SMALL], 2)
    add(CASES, f"aten.{op}.Scalar", [SMALL], 1.5)
    add(CASES, f"aten.{op}.Scalar", [SPECIAL], 1)
    add(CASES, f"aten.{op}.Scalar", [T(5, dtype=BOOL)], 1)
    if name:
        add(CASES, f"aten.{name}.Tensor", [SMALL, T(12, dtype=INT, low=0, high=4)])
for op in ("logical_and", "logical_or", "logical_xor"):
    add_pair(CASES, f"aten.{op}.default", [T(9, dtype=BOOL), T(9, dtype=BOOL)])
    add(CASES, f"aten.{op}.default", [T(9, dtype=INT, low=0, high=2), T(9, dtype=INT, low=0, high=2)])
for op in ("and", "or", "xor"):
    for target, in_place in ((f"bitwise_{op}", f"bitwise_{op}_"), (f"__{op}__", f"__i{op}__")):
        add(CASES, f"aten.{target}.Tensor", [SMALL, T(12, dtype=torch.int32, low=-9, high=9)])
        add(CASES, f"aten.{target}.Tensor", [T(9, dtype=BOOL), T(9, dtype=BOOL)])
        add(CASES, f"aten.{target}.Scalar", [SMALL], 2)
        CASES[f"aten.{in_place}.Tensor"] = [Case(written(f"aten.{in_place}.Tensor"), SMALL, T(12, dtype=INT))]
        CASES[f"aten.{in_place}.Scalar"] = [Case(written(f"aten.{in_place}.Scalar", 2), SMALL)]
for side in ("left", "right"):
    letter = side[0]
    shifts = T(12, dtype=INT, low=0, high=4)
    values = T(12, dtype=INT, low=-40, high=40)
    add(CASES, f"aten.bitwise_{side}_shift.Tensor", [values, shifts])
    add(CASES, f"aten.bitwise_{side}_shift.Tensor_Scalar", [values], 2)
    add(CASES, f"aten.__{letter}shift__.Tensor", [values, shifts])
    add(CASES, f"aten.__{letter}shift__.Scalar", [values], 2)
    for target in (f"aten.bitwise_{side}_shift_.Tensor", f"aten.__i{letter}shift__.Tensor"):
        CASES[target] = [Case(written(target), values, shifts)]
    for target in (f"aten.bitwise_{side}_shift_.Tensor_Scalar", f"aten.__i{letter}shift__.Scalar"):
        CASES[target] = [Case(written(target, 3), values)]

add(CASES, "aten.where.self", [T(2, 3, dtype=BOOL), T(3), T(2, 1)])
add(CASES, "aten.where.self", [T(3, dtype=BOOL), T(3, dtype=INT), T()])
add(CASES, "aten.where.self", [T(2, 3, dtype=BOOL), T(dtype=torch.float16), T(3)])
add(CASES, "aten.where.ScalarOther", [T(3, dtype=BOOL), T(3)], 2)
add(CASES, "aten.where.ScalarOther", [T(3, dtype=BOOL), T(3, dtype=INT)], float("-inf"))
CASES["aten.where.ScalarSelf"] = [Case(lambda c, x: torch.ops.aten.where.ScalarSelf(c, 1.5, x), T(3, dtype=BOOL), T(3))]
add(CASES, "aten.where.Scalar", [T(3, dtype=BOOL)], 1, 0)
add(CASES, "aten.where.Scalar", [T(3, dtype=BOOL)], 1.0, 0.5)
add(CASES, "aten.isclose.default", [SPECIAL, NEAR])
add(CASES, "aten.isclose.default", [SPECIAL, NEAR], 0.1, 0.0)
add(CASES, "aten.isclose.default", [SPECIAL, NEAR], 0.0, 0.2, True)
add(CASES, "aten.isclose.default", [SMALL, T(12, dtype=INT, low=0, high=4)])
add(CASES, "aten.isin.Tensor_Tensor", [T(3, 4, dtype=INT), T(2, 2, dtype=INT)])
add(CASES, "aten.isin.Tensor_Tensor", [T(3, 4, dtype=INT), T(3, dtype=INT)], invert=True)
add(CASES, "aten.isin.Tensor_Scalar", [SMALL], 2)
CASES["aten.isin.Scalar_Tensor"] = [Case(lambda x: torch.ops.aten.isin.Scalar_Tensor(2, x), SMALL)]
