"""Ops between workers."""

from __future__ import annotations

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.tensor import Tensor, wrap_nested


@checked
def ccl_allreduce(x: Tensor, op_type: str = "sum", in_group: bool = True, name: str = "ccl_allreduce") -> Tensor:
    """Returns the sum of the tensors of all workers (or "prod", "min", "max", "avg") on each of them."""
    return wrap_nested(relax_op.ccl.allreduce(x._expr, op_type, in_group), name)


@checked
def ccl_allgather(x: Tensor, num_workers: int, name: str = "ccl_allgather") -> Tensor:
    """Returns the tensors of all workers one behind the other, on each of them."""
    return wrap_nested(relax_op.ccl.allgather(x._expr, num_workers), name)


@checked
def ccl_broadcast_from_worker0(x: Tensor, name: str = "broadcast_from_worker") -> Tensor:
    """Returns the tensor of the first worker on each of them."""
    return wrap_nested(relax_op.ccl.broadcast_from_worker0(x._expr), name)


__getattr__ = attribute_of(__name__)
