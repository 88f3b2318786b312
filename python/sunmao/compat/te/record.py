"""Tensors computed by ops of the library, with kernels from the lowering of the op's record."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.relax.op.builder import OpFunction, find
from sunmao.compat.te.tensor import Operation, Tensor
from sunmao.errors import fail


def apply(op_name: str, *args: Any, **attrs: Any) -> Any:
    """Returns the result of an op on tensors, shapes and scalars: a tensor, or a tuple of tensors."""
    inputs = [value for value in args if isinstance(value, Tensor)]
    op = find(op_name)
    if not isinstance(op, OpFunction):
        raise fail("E0204", f"unknown op `{op_name}`")
    call = op(*map(_operand, args), **attrs)
    for size, expected in _sunmao.size_demands(call):  # a kernel has no place to check them when it runs
        problem = f"{op_name}: nothing says that `{size!r}` and `{expected!r}` are equal"
        raise fail("E0309", problem, "one symbol stands for equal sizes")
    kernel = _sunmao.kernel_of(call)
    if not isinstance(kernel, _sunmao.PrimFunc):
        raise fail("E0032", f"`{op_name}` as a tensor expression is not supported", "call it by `relax.op`")
    made = Operation(f"T_{call.op.name.rpartition('.')[2]}", inputs=inputs, kernel=kernel)
    result: Any = call.type
    is_tuple = isinstance(result, _sunmao.TupleType)
    for i, type in enumerate(result.fields if is_tuple else [result]):
        made.outputs.append(Tensor(list(type.shape.values), type.dtype, made, i))
    return tuple(made.outputs) if is_tuple else made.outputs[0]


def _operand(value: Any) -> Any:
    if isinstance(value, Tensor):
        return make.var(value.name, make.tensor_type(make.shape(value.shape), value.dtype, -1, None))
    return make.prim_value(value) if isinstance(value, _sunmao.Scalar) else value
