"""`R`: functions of the graph level."""

from __future__ import annotations

import builtins
import importlib
import sys
import typing

from sunmao import _sunmao
from sunmao.compat import convert
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import expr, op
from sunmao.compat.relax.call_te import call_te
from sunmao.compat.relax.dpl import PatternMatchingRewriter
from sunmao.compat.runtime.device import cpu as cpu
from sunmao.compat.runtime.device import device as device
from sunmao.compat.script import entry as entry
from sunmao.compat.script import types
from sunmao.compat.script.decorators import PythonFunction, decorator
from sunmao.compat.script.ir import read_class
from sunmao.compat.script.macro import inline

if typing.TYPE_CHECKING:  # `_find` below gives the ops
    from sunmao.compat.relax.op import *  # noqa: F403


def function(
    f: PythonFunction | None = None,
    pure: bool = True,
    private: bool = False,
    check_well_formed: bool = True,
    global_name: builtins.str | None = None,
) -> typing.Any:
    """Marks a graph-level function: `@R.function`, with or without arguments. `global_name` is its name in the module
    when that is not a Python identifier."""
    stated = {"pure": not pure, "private": private, "global_name": global_name}
    return decorator(f, sys._getframe(1), check_well_formed, [name for name, value in stated.items() if value])


def rewriter(mod: type) -> PatternMatchingRewriter:
    """Parses the class as a rewrite rule with the functions `pattern` and `replacement`."""
    return PatternMatchingRewriter.from_module(read_class(mod, sys._getframe(1), True))


macro = inline

Tensor = types.Tensor
Shape = types.Shape
Prim = types.Prim
Tuple = types.Tuple
Callable = types.Callable
Any = types.Any_
Object = types.Object

const = expr.const
prim_value = expr.prim_value
ExternFunc = expr.ExternFunc
ShapeExpr = expr.ShapeExpr


def shape(values: typing.Any) -> _sunmao.Expr:
    return convert.shape(values)


class TensorExpressionCall:
    """The call of a function on tensor expressions, for the parser."""

    def __init__(self, func: typing.Any, args: typing.Any, kwargs: typing.Any) -> None:
        self.made: list[typing.Any] = []
        self.call = call_te(self._add, func, args, kwargs)

    def _add(self, function: typing.Any, name: builtins.str) -> _sunmao.GlobalVar:
        self.made += [name, function]
        return _sunmao.make.global_var(name)

    def __sunmao_value__(self) -> list[typing.Any]:
        return [*self.made, self.call]


def emit_te(func: typing.Any, *args: typing.Any, **kwargs: typing.Any) -> TensorExpressionCall:
    """Makes a loop-level function of a function on tensor expressions, and a call of it."""
    return TensorExpressionCall(func, args, kwargs)


def cuda(index: int = 0) -> _sunmao.VDevice:
    return _sunmao.make.vdevice("cuda", index, "global")


def opencl(index: int = 0) -> _sunmao.VDevice:
    return _sunmao.make.vdevice("opencl", index, "global")


def str(value: builtins.str) -> _sunmao.Expr:
    return _sunmao.make.string(value)


def dtype(value: typing.Any) -> _sunmao.Expr:
    return _sunmao.make.dtype(convert.dtype_name(value))


def tuple(*fields: typing.Any) -> _sunmao.Expr:
    return _sunmao.make.tuple([convert.expr(field) for field in fields])


# Names of `R` that the IR builder provides for functions built in `with R.function():`.
_OF_BUILDER = (
    "arg", "dataflow", "emit", "emit_match_cast", "emit_var_binding", "func_attr", "func_name", "func_ret_struct_info",
    "func_ret_ty", "func_ret_value", "output",
)  # fmt: skip


def _find(name: builtins.str) -> typing.Any:
    if name in _OF_BUILDER:
        return getattr(importlib.import_module("sunmao.compat.script.ir_builder.relax.ir"), name)
    return getattr(op, name, None)


__getattr__ = attribute_of(__name__, _find)
