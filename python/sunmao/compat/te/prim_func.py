"""Loop-level functions made of tensor expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.checked import checked
from sunmao.compat.te.tensor import Operation, Reduce, Tensor, compute
from sunmao.compat.tirx.operators import binary
from sunmao.errors import fail


def _in_order(results: Sequence[Tensor]) -> list[Operation]:
    """Returns the operations in topological order, producers first."""
    found: dict[Operation, None] = {}
    work: list[tuple[Operation, bool]] = [(t.op, False) for t in reversed(results)]
    while work:
        op, is_done = work.pop()
        if op in found:
            continue
        if is_done:
            found[op] = None
        else:
            work.append((op, True))
            work.extend((t.op, False) for t in reversed(op.inputs))
    return list(found)


def _stage(tensor: Tensor, body: Any) -> _sunmao.KernelStage:
    axis = tensor.op.axis
    if not isinstance(body, Reduce):
        return _sunmao.KernelStage(tensor.buffer, axis, body)
    left, right = (make.sym_var(name, tensor.dtype) for name in ("x", "y"))
    offsets = {r.var: binary("add", r.var, r.begin) for r in body.axis}
    source = body.source
    if body.where is not None:  # what does not count is not read
        none = body.identity(tensor.dtype)
        source = make.scalar_call("if_then_else", source.dtype, [body.where, source, none])
    stage = _sunmao.KernelStage(tensor.buffer, axis, _sunmao.substitute(source, offsets))
    extents = [r.extent for r in body.axis]
    init = body.identity(tensor.dtype) if body.init is None else body.init
    return stage.over([r.var for r in body.axis], extents, init, left, right, body.combine(left, right))


def _buffers(tensors: Sequence[Tensor]) -> list[_sunmao.Buffer]:
    return [tensor.buffer for tensor in tensors]


def _kernel_use(op: Operation) -> _sunmao.KernelUse:
    inputs, outputs = _buffers(op.inputs), _buffers(op.outputs)
    kernel = op.kernel
    if kernel is None:
        stages = [_stage(t, body) for t, body in zip(op.outputs, op.body, strict=True)]
        kernel = _sunmao.kernel(op.name, inputs, outputs, stages)
    return _sunmao.KernelUse(kernel, [*inputs, *outputs])


def _distinct(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Returns the tensors; each repetition of one is replaced by a computed copy."""
    known: set[int] = set()
    found = []
    for tensor in tensors:
        repeated = id(tensor) in known
        found.append(compute(tensor.shape, lambda *at, of=tensor: of(*at), tensor.name) if repeated else tensor)
        known.add(id(tensor))
    return found


@checked
def create_prim_func(ops: Sequence[Tensor], index_dtype_override: str | None = None) -> _sunmao.PrimFunc:
    """Makes a loop-level function with these tensors as parameters; the computed ones are its outputs. A tensor that is
    given again is one more output, a copy."""
    if index_dtype_override not in (None, "int64"):
        raise fail("E0032", f"create_prim_func: indices of {index_dtype_override} are not supported", "they are int64")
    tensors = _distinct(ops)
    inputs = [t for t in tensors if t.op.is_given]
    outputs = [t for t in tensors if not t.op.is_given]
    kernels = []
    for op in _in_order(outputs):
        if not op.is_given:
            kernels.append(_kernel_use(op))
        elif not any(t in inputs for t in op.outputs):
            raise fail("E0034", f"create_prim_func: `{op.name}` is read and is no parameter", "give it with the others")
    return _sunmao.join_kernels(_buffers(inputs), _buffers(outputs), kernels)
