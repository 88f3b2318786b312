"""Neural network operators on tensor expressions."""

from __future__ import annotations

from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.te.record import apply
from sunmao.compat.te.tensor import Tensor
from sunmao.compat.topi import operators


@checked
def relu(x: Tensor) -> Tensor:
    return apply("nn.relu", x)


def matmul(a: Tensor, b: Tensor, **options: Any) -> Tensor:
    return operators.matmul(a, b, **options)


__getattr__ = attribute_of(__name__)
