"""Conversion of Python values (numbers, texts, lists, arrays, annotations) to nodes of the IR."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.arrays import to_tensor
from sunmao.errors import fail

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


def dtype_name(value: Any) -> str:
    """Returns the name of a dtype given in any form; empty for None and for the unknown dtype."""
    if value is None:
        return ""
    if isinstance(value, str):
        return "" if value == "void" else value
    if isinstance(value, _sunmao.DType):
        return str(value)
    if isinstance(value, _sunmao.PrimType):
        return value.dtype
    if isinstance(value, _sunmao.DTypeLiteral):
        return str(value.value)
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, type) and issubclass(value, np.generic):
        return np.dtype(value).name
    if hasattr(value, "__sunmao_value__"):
        return dtype_name(value.__sunmao_value__())
    if value in (int, float, bool):
        return {int: "int64", float: "float64", bool: "bool"}[value]
    return str(value)


def scalar(value: Any, dtype: str | None = None) -> _sunmao.Scalar:
    """Converts a number, symbol or scalar expression to a scalar. Integers are int64 unless `dtype` is given."""
    if isinstance(value, _sunmao.Scalar):
        return value
    if isinstance(value, _sunmao.PrimValue):
        return value.value
    if hasattr(value, "__sunmao_value__"):
        return scalar(value.__sunmao_value__(), dtype)
    if isinstance(value, bool | np.bool_):
        return make.int_imm(dtype or "bool", int(value))
    if isinstance(value, int | np.integer):
        if dtype and dtype.startswith(("float", "bfloat")):
            return make.float_imm(dtype, float(value))
        return make.int_imm(dtype or "int64", int(value))
    if isinstance(value, float | np.floating):
        return make.float_imm(dtype or "float64", float(value))
    if isinstance(value, str):
        return make.string_imm(value)
    if isinstance(value, _sunmao.Expr) and isinstance(value.type, _sunmao.PrimType) and value.type.value is not None:
        return value.type.value
    raise fail("E0034", f"Cannot convert {_kind(value)} to a scalar expression")


def scalars(values: Iterable[Any]) -> list[_sunmao.Scalar]:
    return [scalar(value) for value in values]


def dims(values: Iterable[Any]) -> list[_sunmao.Scalar]:
    """Converts dimensions; numbers become int64 scalars."""
    found = scalars(values)
    for value in found:
        if value.dtype != "int64" and not isinstance(value, _sunmao.IntImm):
            raise fail(
                "E0302",
                f"`{value!r}` is of type {value.dtype}: the value in ShapeType can only have dtype of int64",
                "make the symbol an int64, or convert it",
            )
    return found


def expr(value: Any) -> _sunmao.Expr:
    """Converts a value to an expression: lists become tuples, numbers prim values, texts and dtypes literals."""
    if isinstance(value, _sunmao.Expr):
        return value
    if hasattr(value, "__sunmao_value__"):
        return expr(value.__sunmao_value__())
    if isinstance(value, _sunmao.Scalar | int | float | np.number | np.bool_):
        return make.prim_value(scalar(value))
    if isinstance(value, str):
        return make.string(value)
    if isinstance(value, _sunmao.DType):
        return make.dtype(str(value))
    if isinstance(value, list | tuple):
        return make.tuple([expr(item) for item in value])
    if isinstance(value, np.ndarray) or hasattr(value, "__dlpack__"):
        return make.constant(to_tensor(value))
    raise fail("E0034", f"Cannot convert {_kind(value)} to an expression")


def shape(value: Any) -> _sunmao.Expr:
    """Converts a list of dimensions, or an expression of shape type, to a shape expression."""
    if isinstance(value, list | tuple) or (isinstance(value, Sequence) and not isinstance(value, str | _sunmao.Expr)):
        return make.shape(dims(value))
    if isinstance(value, int | np.integer | _sunmao.Scalar):
        return make.shape(dims([value]))
    return expr(value)


def type_of(value: Any) -> _sunmao.Type | None:
    """Returns a type; None for an unknown one. The name of a dtype denotes the scalar type."""
    if value is None or isinstance(value, _sunmao.Type):
        return value
    if hasattr(value, "__sunmao_type__"):
        found: _sunmao.Type | None = value.__sunmao_type__()
        return found
    if isinstance(value, str | _sunmao.DType):
        return make.prim_type(dtype_name(value))
    raise fail("E0034", f"Cannot convert {_kind(value)} to a type")


def known_type(value: Any) -> _sunmao.Type:
    found = type_of(value)
    if found is None:
        raise fail("E0034", "a type is needed here, got None")
    return found


def index_map(value: Any) -> _sunmao.IndexMap:
    """Returns an index map: the argument itself, or the map that a Python function computes on fresh symbols."""
    if isinstance(value, _sunmao.IndexMap):
        return value
    parameters = inspect.signature(value).parameters.values()
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        raise fail("E0032", "an index map of any number of indices is not supported", "name each index")
    inputs = [make.sym_var(p.name, "int64") for p in parameters]
    found = value(*inputs)
    outputs = list(found) if isinstance(found, list | tuple) else [found]
    return make.index_map(inputs, scalars(outputs))


def attribute(value: Any) -> Any:
    """Converts the value of an attribute to one that the extension accepts."""
    if hasattr(value, "__sunmao_value__"):
        return attribute(value.__sunmao_value__())
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return _sunmao.DType(np.dtype(value).name)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) or (hasattr(value, "__dlpack__") and not isinstance(value, _sunmao.Tensor)):
        return make.constant(to_tensor(value))
    if isinstance(value, Mapping):
        return {str(key): attribute(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [attribute(item) for item in value]
    if isinstance(value, _sunmao.IntImm):
        return value.value if value.dtype in ("int64", "bool") else value
    if isinstance(value, Callable) and not isinstance(value, _sunmao.Expr):  # type: ignore[arg-type]
        return index_map(value)
    return value


def attributes(values: Mapping[str, Any] | None) -> dict[str, Any]:
    if values is not None and not hasattr(values, "items"):
        raise fail("E0034", f"attributes are a mapping of names, got {_kind(values)}")
    return {str(key): attribute(value) for key, value in (values or {}).items()}


def _kind(value: Any) -> str:
    return f"{type(value).__name__} ({value!r})"
