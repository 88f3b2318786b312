"""Calls of functions that are no ops: tensor expressions, loop-level functions, and functions of the host."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.tensor import Tensor, current_builder, wrap_nested
from sunmao.errors import fail


@checked
def tensor_expr_op(
    tensor_expr_func: Callable[..., Any],
    name_hint: str,
    args: Sequence[Tensor | _sunmao.Scalar | int | float],
    *,
    attrs: Mapping[str, Any] | None = None,
) -> Any:
    """Calls a function that computes tensor expressions (`te`) from the arguments; it becomes a loop-level function."""
    given = [arg._expr if isinstance(arg, Tensor) else arg for arg in args]
    builder = current_builder()
    called = builder.emit_te(tensor_expr_func, *given, primfunc_name_hint=name_hint, primfunc_attrs=attrs)
    return wrap_nested(called, name_hint)


@checked
def tensor_ir_op(func: _sunmao.PrimFunc, name_hint: str, args: Any, out: Any) -> Any:
    """Calls a loop-level function on tensors, shapes and scalars. It writes into results like `out`: one tensor, or
    several."""
    builder = current_builder()
    function = builder.add_func(func, name_hint)
    call = relax_op.call_tir(function, _loop_arguments(args), _types_of(out))
    return wrap_nested(builder.emit(call), name_hint)


@checked
def tensor_ir_inplace_op(
    func: _sunmao.PrimFunc, name_hint: str, args: Any, inplace_indices: int | Sequence[int], out: Any
) -> Any:
    """Calls a loop-level function whose results are arguments that it changes, by their indices; -1 for a new one."""
    builder = current_builder()
    function = builder.add_func(func, name_hint)
    call = relax_op.call_tir_inplace(function, _loop_arguments(args), inplace_indices, _types_of(out))
    return wrap_nested(builder.emit(call), name_hint)


def _loop_arguments(args: Any) -> list[Any]:
    found: list[Any] = []
    for arg in args if isinstance(args, list | tuple) else [args]:
        if isinstance(arg, Tensor):
            found.append(arg._expr)
        elif isinstance(arg, _sunmao.ShapeExpr):
            found.extend(arg.values)
        elif isinstance(arg, _sunmao.Scalar):
            found.append(arg)
        else:
            raise fail("E0034", "a loop-level function takes tensors, shapes and scalar expressions, "
                       f"got a {type(arg).__name__}", "write tirx.IntImm for a number")  # fmt: skip
    return found


def _types_of(out: Any) -> list[Any]:
    tensors = list(out) if isinstance(out, list | tuple) else [out]
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            got = type(tensor).__name__
            raise fail(
                "E0034", f"`out` takes tensors like the results, got a {got}", "use Tensor.placeholder(shape, dtype)"
            )
    return [tensor._expr.type for tensor in tensors]


@checked
def extern(name: str, args: Sequence[Any], out: Any) -> Any:
    """Calls a function of the host by name. It writes into results like `out`: one tensor, or several."""
    return call_extern(name, args, out)


def call_extern(name: str, args: Sequence[Any], out: Any) -> Any:
    operands = [host_argument(arg, "float64") for arg in args]
    outputs = _types_of(out)
    result = make.tuple_type(outputs) if isinstance(out, list | tuple) else outputs[0]
    return wrap_nested(relax_op.call_dps_packed(name, operands, result), name)


def host_argument(arg: Any, float_dtype: str) -> Any:
    """Returns what a function of the host gets, as an expression; floats are of `float_dtype`."""
    if isinstance(arg, Tensor):
        return arg._expr
    if isinstance(arg, _sunmao.Expr):
        return arg
    if isinstance(arg, int):
        return make.prim_value(make.int_imm("int64", int(arg)))
    if isinstance(arg, float):
        return make.prim_value(make.float_imm(float_dtype, arg))
    if isinstance(arg, str):
        return make.string(arg)
    if isinstance(arg, _sunmao.Scalar):
        return make.prim_value(arg)
    if isinstance(arg, list | tuple):
        return make.tuple([host_argument(item, float_dtype) for item in arg])
    raise fail("E0034", f"a function of the host takes tensors, numbers, texts and tuples, got a {type(arg).__name__}")


__getattr__ = attribute_of(__name__)
