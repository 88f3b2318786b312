"""Calls of loop-level functions, packed functions and closures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.missing import missing_attribute
from sunmao.errors import fail


def _op(name: str) -> _sunmao.Op:
    op = _sunmao.find_op(name)
    if op is None:
        raise missing_attribute("tvm.relax.op", name)
    return op


def _callee(func: Any) -> _sunmao.Expr:
    return make.extern(func) if isinstance(func, str) else c.expr(func)


def _arguments(args: Any) -> _sunmao.Expr:
    """Returns the arguments as one tuple expression."""
    if isinstance(args, list | tuple):
        return make.tuple([c.expr(arg) for arg in args])
    value = c.expr(args)
    if isinstance(value, _sunmao.Tuple) or isinstance(value.type, _sunmao.TupleType):
        return value
    return make.tuple([value])


def _types(given: Any) -> list[_sunmao.Type]:
    if given is None:
        raise fail("E0034", "`out_ty` is needed: the type of the result")
    return [c.known_type(t) for t in (given if isinstance(given, list | tuple) else [given])]


def _call_loops(op: str, gvar: Any, args: Any, attrs: dict[str, Any], out_types: Any, tir_vars: Any) -> _sunmao.Call:
    """Makes a call of a loop-level function by one of the `call_tir` ops."""
    operands = [_callee(gvar), _arguments(args)]
    if tir_vars is not None:
        operands.append(c.shape(tir_vars))
    return make.call(_op(op), operands, attrs, _types(out_types))


def call_tir(gvar: Any, args: Any, out_ty: Any = None, tir_vars: Any = None, *, out_sinfo: Any = None) -> _sunmao.Call:
    """Calls a loop-level function, which writes into outputs of the types `out_ty`."""
    return _call_loops("call_tir", gvar, args, {}, out_ty if out_sinfo is None else out_sinfo, tir_vars)


@checked
def call_tir_inplace(
    gvar: Any,
    args: Any,
    inplace_indices: int | Sequence[int],
    out_ty: Any = None,
    tir_vars: Any = None,
    *,
    out_sinfo: Any = None,
) -> _sunmao.Call:
    """Like `call_tir`; outputs may reuse the memory of arguments."""
    indices = list(inplace_indices) if isinstance(inplace_indices, list | tuple) else [inplace_indices]
    attrs = {"inplace_indices": indices}
    return _call_loops("call_tir_inplace", gvar, args, attrs, out_ty if out_sinfo is None else out_sinfo, tir_vars)


@checked
def call_tir_with_grad(
    gvar: Any,
    args: Any,
    out_ty: Any = None,
    te_grad_name: str = "",
    te_grad_kwargs: dict[str, Any] | None = None,
    tir_vars: Any = None,
    *,
    out_sinfo: Any = None,
) -> _sunmao.Call:
    """Like `call_tir`, with the name of the function that computes the gradient."""
    attrs = {"te_grad_name": te_grad_name, "te_grad_kwargs": c.attributes(te_grad_kwargs)}
    return _call_loops("call_tir_with_grad", gvar, args, attrs, out_ty if out_sinfo is None else out_sinfo, tir_vars)


def call_dps_packed(func: Any, args: Any, out_ty: Any = None, *, out_sinfo: Any = None) -> _sunmao.Call:
    """Calls a packed function that writes into its last arguments."""
    types = _types(out_ty if out_sinfo is None else out_sinfo)
    return make.call(_op("call_dps_packed"), [_callee(func), _arguments(args)], {}, types)


def call_pure_packed(func: Any, *args: Any, ty_args: Any = None, sinfo_args: Any = None, **attrs: Any) -> _sunmao.Call:
    """Calls a packed function that the caller declares pure."""
    types = _types(ty_args if sinfo_args is None else sinfo_args)
    return make.call(_op("call_pure_packed"), [_callee(func), _arguments(args)], c.attributes(attrs), types)


def call_inplace_packed(
    func: Any, *args: Any, inplace_indices: Any = -1, ty_args: Any = None, sinfo_args: Any = None
) -> _sunmao.Call:
    """Calls a packed function whose results reuse the memory of arguments."""
    indices = list(inplace_indices) if isinstance(inplace_indices, list | tuple) else [inplace_indices]
    types = _types(ty_args if sinfo_args is None else sinfo_args)
    attrs = {"inplace_indices": indices}
    return make.call(_op("call_inplace_packed"), [_callee(func), *map(c.expr, args)], attrs, types)


def call_packed(func: Any, *args: Any, ty_args: Any = None, sinfo_args: Any = None, **attrs: Any) -> _sunmao.Call:
    """Calls a packed function."""
    told = ty_args if sinfo_args is None else sinfo_args
    types = _types(told) if told is not None else []
    return make.call(_callee(func), [c.expr(arg) for arg in args], c.attributes(attrs), types)


def call_builtin_with_ctx(func: Any, args: Any, *, ty_args: Any = None, sinfo_args: Any = None) -> _sunmao.Call:
    """Calls a function of the virtual machine that accesses its state."""
    told = ty_args if sinfo_args is None else sinfo_args
    types = _types(told) if told is not None else []
    return make.call(_op("call_builtin_with_ctx"), [_callee(func), _arguments(args)], {}, types)


def make_closure(func: Any, args: Any) -> _sunmao.Call:
    """Makes a closure: a function with some of its arguments bound."""
    return make.call(_op("make_closure"), [_callee(func), _arguments(args)], {}, [])


def invoke_closure(closure: Any, args: Any, ty_args: Any = None, *, sinfo_args: Any = None) -> _sunmao.Call:
    """Calls a closure."""
    types = _types(ty_args if sinfo_args is None else sinfo_args)
    return make.call(_op("invoke_closure"), [c.expr(closure), _arguments(args)], {}, types)


def invoke_pure_closure(closure: Any, args: Any, ty_args: Any = None, *, sinfo_args: Any = None) -> _sunmao.Call:
    """Calls a closure that is declared pure."""
    types = _types(ty_args if sinfo_args is None else sinfo_args)
    return make.call(_op("invoke_pure_closure"), [c.expr(closure), _arguments(args)], {}, types)


def print(*values: Any, format: str = "") -> _sunmao.Call:
    """Prints values when the program runs."""
    return make.call(_op("print"), [c.expr(value) for value in values], {"format": format}, [])
