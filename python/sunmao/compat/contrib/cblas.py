"""Matrix products as tensor expressions. Upstream calls BLAS here; Sunmao uses the kernels of its own ops."""

from __future__ import annotations

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.te.tensor import Tensor
from sunmao.compat.topi import operators
from sunmao.errors import fail


@checked
def matmul(lhs: Tensor, rhs: Tensor, transa: bool = False, transb: bool = False) -> Tensor:
    """Returns the product of two matrices, each optionally transposed."""
    _check("matmul", 2, lhs, rhs)
    return operators.product(lhs, rhs, transa, transb)


@checked
def batch_matmul(
    lhs: Tensor, rhs: Tensor, transa: bool = False, transb: bool = False, iterative: bool = False
) -> Tensor:
    """Returns the products of two batches of matrices. A single matrix is multiplied with every matrix of the other
    batch."""
    refuse("batch_matmul", iterative=iterative)  # how BLAS is called
    _check("batch_matmul", 3, lhs, rhs)
    return operators.product(lhs, rhs, transa, transb)


def _check(name: str, rank: int, *operands: Tensor) -> None:
    for x in operands:
        if x.ndim != rank:
            raise fail("E0307", f"{name}: `{x.name}` must have {rank} dimensions, got {x.ndim}")


__getattr__ = attribute_of(__name__)
