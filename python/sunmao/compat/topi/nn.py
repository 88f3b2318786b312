"""Operators of neural nets on tensor expressions."""

from __future__ import annotations

from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.te.tensor import Tensor, compute
from sunmao.compat.tirx.operators import binary
from sunmao.compat.topi import operators


@checked
def relu(x: Tensor) -> Tensor:
    found: Tensor = compute(x.shape, lambda *i: binary("max", x[i], 0), name="T_relu")
    return found


def matmul(a: Tensor, b: Tensor, **options: Any) -> Tensor:
    return operators.matmul(a, b, **options)


__getattr__ = attribute_of(__name__)
