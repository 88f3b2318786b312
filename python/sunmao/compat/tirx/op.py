"""Functions on scalars: `tirx.max(a, b)`, `tirx.floordiv(a, b)`, `tirx.exp(x)`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name, scalar
from sunmao.compat.missing import attribute_of
from sunmao.compat.spans import placed
from sunmao.compat.tirx.operators import binary, loop_scalar, loop_scalars, matched, operand

_BINARY = {
    "floordiv": "floordiv", "floormod": "floormod", "indexdiv": "floordiv", "indexmod": "floormod", "min": "min",
    "max": "max", "truncdiv": "div", "truncmod": "truncmod", "div": "div",
}  # fmt: skip
# Unary intrinsics whose result has the dtype of the operand.
_UNARY = (
    "exp", "exp2", "exp10", "log", "log2", "log10", "log1p", "tanh", "sigmoid", "tan", "cos", "cosh", "acos", "acosh",
    "sin", "sinh", "asin", "asinh", "atan", "atanh", "sqrt", "rsqrt", "erf", "floor", "ceil", "trunc", "abs", "round",
    "nearbyint", "popcount", "clz", "likely", "bitwise_not",
)  # fmt: skip
_TWO = ("power", "pow", "fmod", "atan2", "hypot", "copysign", "nextafter", "ldexp", "bitwise_and", "bitwise_or",
        "bitwise_xor", "shift_left", "shift_right")  # fmt: skip
_PREDICATES = ("isnan", "isfinite", "isinf", "isnullptr")


def ceildiv(a: Any, b: Any, span: Any = None) -> _sunmao.Scalar:
    return placed(binary("floordiv", binary("sub", binary("add", a, b), 1), b), span)


def if_then_else(cond: Any, t: Any, f: Any, span: Any = None) -> _sunmao.Scalar:
    """Returns a conditional of which only the selected side is evaluated."""
    then_value, else_value = matched(operand(t, f), operand(f, t))
    return placed(make.scalar_call("if_then_else", then_value.dtype, [scalar(cond), then_value, else_value]), span)


def all(*conditions: Any, span: Any = None) -> _sunmao.Scalar:
    return placed(functools.reduce(lambda a, b: make.binary("and", a, b), [scalar(c) for c in conditions]), span)


def any(*conditions: Any, span: Any = None) -> _sunmao.Scalar:
    return placed(functools.reduce(lambda a, b: make.binary("or", a, b), [scalar(c) for c in conditions]), span)


def const(value: Any, dtype: Any = None, span: Any = None) -> _sunmao.Scalar:
    """Makes a constant; integers are int32 and floats float32 unless `dtype` is given."""
    default = "bool" if isinstance(value, bool) else "int32" if isinstance(value, int) else "float32"
    return placed(scalar(value, dtype_name(dtype) or default), span)


def _extreme(dtype: Any, largest: bool) -> _sunmao.Scalar:
    name = dtype_name(dtype)
    if name.startswith(("float", "bfloat")):
        bits = 127 if name == "bfloat16" else {"float16": 15, "float32": 127, "float64": 1023}[name]
        fraction = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}[name]
        limit = (2.0 - 2.0 ** (1 - fraction)) * 2.0**bits
        return make.float_imm(name, limit if largest else -limit)
    if name == "bool":
        return make.int_imm(name, int(largest))
    width, is_signed = int(name.lstrip("uint")), not name.startswith("u")
    top = 2 ** (width - is_signed) - 1
    return make.int_imm(name, top if largest else (-top - 1 if is_signed else 0))


def min_value(dtype: Any, span: Any = None) -> _sunmao.Scalar:
    """Returns the smallest finite number of a dtype."""
    return placed(_extreme(dtype, largest=False), span)


def max_value(dtype: Any, span: Any = None) -> _sunmao.Scalar:
    """Returns the largest finite number of a dtype."""
    return placed(_extreme(dtype, largest=True), span)


def infinity(dtype: Any, span: Any = None) -> _sunmao.Scalar:
    return placed(make.float_imm(dtype_name(dtype), float("inf")), span)


def convert(value: Any) -> Any:
    """Converts a number, or a list of them, to scalars."""
    if isinstance(value, list | tuple):
        return [convert(item) for item in value]
    return const(value) if isinstance(value, bool | int | float) else value


def call_intrin(dtype: Any, func_name: Any, *args: Any, span: Any = None) -> _sunmao.Scalar:
    """Calls an intrinsic by name."""
    name = str(func_name).removeprefix("tirx.").removeprefix("tir.")
    return placed(make.scalar_call(name, dtype_name(dtype), [scalar(a) for a in args]), span)


def call_extern(dtype: Any, func_name: str, *args: Any, span: Any = None) -> _sunmao.Scalar:
    return placed(
        make.scalar_call("call_extern", dtype_name(dtype), [scalar(func_name), *(scalar(a) for a in args)]), span
    )


def call_pure_extern(dtype: Any, func_name: str, *args: Any, span: Any = None) -> _sunmao.Scalar:
    return placed(
        make.scalar_call("call_pure_extern", dtype_name(dtype), [scalar(func_name), *(scalar(a) for a in args)]), span
    )


def call_llvm_intrin(dtype: Any, name: str, *args: Any, span: Any = None) -> _sunmao.Scalar:
    """Calls an LLVM intrinsic by name."""
    return placed(
        make.scalar_call("call_llvm_intrin", dtype_name(dtype), [scalar(name), *loop_scalars(list(args))]), span
    )


def call_llvm_pure_intrin(dtype: Any, name: str, *args: Any, span: Any = None) -> _sunmao.Scalar:
    """Like `call_llvm_intrin`, for an intrinsic without side effects."""
    return placed(
        make.scalar_call("call_llvm_pure_intrin", dtype_name(dtype), [scalar(name), *loop_scalars(list(args))]), span
    )


def vscale() -> _sunmao.Scalar:
    """Returns `vscale`, the factor of scalable vector lengths."""
    return make.scalar_call("vscale", "int32", [])


def get_active_lane_mask(dtype: Any, base: Any, limit: Any) -> _sunmao.Scalar:
    """Returns the mask of the lanes from `base` on that are below `limit`."""
    return make.scalar_call("get_active_lane_mask", dtype_name(dtype), loop_scalars([base, limit]))


def _intrinsic(name: str) -> Callable[..., _sunmao.Scalar]:
    """Returns the function for an intrinsic of the script dialect, such as `T.address_of(A[0])`. `dtype` is the result
    dtype where it does not follow from the arguments."""

    def call(*args: Any, dtype: Any = None, span: Any = None) -> _sunmao.Scalar:
        given = list(args)
        if dtype is None and given and _sunmao.takes_dtype_first(name):
            dtype = given.pop(0)
        values = [_argument(name, value) for value in given]
        if dtype is None:
            return placed(make.intrinsic(name, values), span)
        return placed(make.scalar_call(name, dtype_name(dtype), values), span)

    call.__name__ = name
    return call


def _argument(name: str, value: Any) -> _sunmao.Scalar:
    """Converts an argument: a buffer denotes its data pointer, or the address of its first element."""
    if not isinstance(value, _sunmao.Buffer):
        return loop_scalar(value)
    if name == "address_of" or value.data is None:
        return make.buffer_load(value, [make.int_imm(extent.dtype, 0) for extent in value.shape])
    return value.data


def _numbers(name: str) -> Callable[..., _sunmao.Scalar]:
    def call(*args: Any, span: Any = None) -> _sunmao.Scalar:
        values = [scalar(a) for a in args]
        return placed(make.scalar_call(name, values[0].dtype, values), span)

    call.__name__ = name
    return call


def _predicate(name: str) -> Callable[..., _sunmao.Scalar]:
    def call(x: Any, span: Any = None) -> _sunmao.Scalar:
        return placed(make.scalar_call(name, "bool", [scalar(x)]), span)

    call.__name__ = name
    return call


def _of_two(op: str) -> Callable[..., _sunmao.Scalar]:
    def call(a: Any, b: Any, span: Any = None) -> _sunmao.Scalar:
        return placed(binary(op, a, b), span)

    call.__name__ = op
    return call


@functools.cache
def find(name: str) -> Any:
    """Returns the function of this name, or None."""
    if name in _BINARY:
        return _of_two(_BINARY[name])
    if name in _UNARY or name in _TWO:
        return _numbers(name)
    if name in _PREDICATES:
        return _predicate(name)
    own = globals().get(name) if not name.startswith("_") else None
    return _intrinsic(name) if own is None and _sunmao.is_intrinsic(name) else own


__getattr__ = attribute_of(__name__, find)
