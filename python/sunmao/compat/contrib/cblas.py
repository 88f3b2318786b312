"""Products of matrices as tensor expressions. The compiler's own kernels compute them, where upstream calls BLAS."""

from __future__ import annotations

from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.te import reduction
from sunmao.compat.te.broadcast import broadcast_shape, is_one
from sunmao.compat.te.tensor import Tensor, compute, reduce_axis
from sunmao.compat.topi import operators
from sunmao.errors import fail


@checked
def matmul(lhs: Tensor, rhs: Tensor, transa: bool = False, transb: bool = False) -> Tensor:
    """The product of two matrices, either of them transposed first."""
    _check("matmul", 2, lhs, rhs)
    return operators.matmul(lhs, rhs, transa, transb)


@checked
def batch_matmul(
    lhs: Tensor, rhs: Tensor, transa: bool = False, transb: bool = False, iterative: bool = False
) -> Tensor:
    """The products of matrices one by one; a single matrix on either side goes with each on the other."""
    refuse("batch_matmul", iterative=iterative)  # how BLAS is called
    _check("batch_matmul", 3, lhs, rhs)
    k = reduce_axis((0, operators.inner_dimension(lhs.shape[1 if transa else 2], rhs.shape[2 if transb else 1])), "k")
    batch = broadcast_shape(lhs.shape[:1], rhs.shape[:1])
    shape = [*batch, lhs.shape[2 if transa else 1], rhs.shape[1 if transb else 2]]

    def element(b: Any, i: Any, j: Any) -> Any:
        left = lhs[_at(lhs, b), k.var, i] if transa else lhs[_at(lhs, b), i, k.var]
        right = rhs[_at(rhs, b), j, k.var] if transb else rhs[_at(rhs, b), k.var, j]
        return reduction.sum(left * right, axis=k)

    found: Tensor = compute(shape, element, name="T_batch_matmul")
    return found


def _check(name: str, rank: int, *operands: Tensor) -> None:
    for x in operands:
        if x.ndim != rank:
            raise fail("E0307", f"{name}: `{x.name}` must have {rank} dimensions, got {x.ndim}")


def _at(operand: Tensor, batch: Any) -> Any:
    return 0 if is_one(operand.shape[0]) else batch


__getattr__ = attribute_of(__name__)
