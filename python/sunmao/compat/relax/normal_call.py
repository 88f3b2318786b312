"""The form that an op asks for of its calls, beyond known types and leaves as operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.ir.op_class import own_name

# They hand the fields of a tuple to a loop-level function, so the fields are to be seen.
_KERNEL_CALLS = frozenset({"call_tir", "call_tir_inplace", "call_tir_with_grad"})


def normal_call(call: _sunmao.Call, lookup: Callable[[_sunmao.Var], Any]) -> _sunmao.Expr:
    """The call in that form; the same node when it is so. `lookup` says what a variable was bound to."""
    op = call.callee
    if not isinstance(op, _sunmao.Op):
        return call
    if own_name(op) in _KERNEL_CALLS:
        return _with_written_tuple(call, lookup)
    return _sunmao.normal_call(call)


def _with_written_tuple(call: _sunmao.Call, lookup: Callable[[_sunmao.Var], Any]) -> _sunmao.Expr:
    args = list(call.args)
    operands = args[1]
    type = operands.type
    if isinstance(operands, _sunmao.Tuple) or not isinstance(type, _sunmao.TupleType):
        return call
    known = lookup(operands) if isinstance(operands, _sunmao.Var) else None
    if not isinstance(known, _sunmao.Tuple):
        known = make.tuple([make.tuple_get_item(operands, i) for i in range(len(type.fields))])
    attrs = call.attrs.native()
    return make.call(call.callee, [args[0], known, *args[2:]], attrs, list(call.ty_args))
