"""Operators of neural nets on tensor expressions."""

from __future__ import annotations

from typing import Any

from sunmao.compat import te, topi
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.te import Tensor
from sunmao.compat.tirx.operators import binary


@checked
def relu(x: Tensor) -> Tensor:
    found: Tensor = te.compute(x.shape, lambda *i: binary("max", x[i], 0), name="T_relu")
    return found


def matmul(a: Tensor, b: Tensor, **options: Any) -> Tensor:
    return topi.matmul(a, b, **options)


__getattr__ = attribute_of(__name__)
