"""Python functions for ops, made from their records. They accept the arguments that scripts accept and return calls."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.ir.op_class import own_name
from sunmao.compat.missing import missing_attribute
from sunmao.errors import fail

# The number of spatial dimensions of ops whose size argument may be a single number that applies to each of them.
_SIZES = {"image.resize2d": 2, "image.resize3d": 3, "image.affine_grid": 2}
# Maps other parameter names that upstream accepts to the names that are used here.
_RENAMED = {"out_sinfo": "out_ty", "sinfo_args": "ty_args", "struct_info": "ty"}


def signature_of(params: list[dict[str, Any]]) -> inspect.Signature:
    """Returns the Python signature of a record's parameters. A required parameter that follows an optional one is
    keyword-only."""
    found: list[inspect.Parameter] = []
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    for p in params:
        if p["kind"] == "variadic":
            found.append(inspect.Parameter(p["name"], inspect.Parameter.VAR_POSITIONAL))
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        empty = inspect.Parameter.empty
        if not p["has_default"] and any(other.default is not empty for other in found):
            kind = inspect.Parameter.KEYWORD_ONLY
        found.append(inspect.Parameter(p["name"], kind, default=p["default"] if p["has_default"] else empty))
    return inspect.Signature(found)


def docstring_of(op: _sunmao.Op) -> str:
    """Returns the docstring of an op: summary, parameters and constraints."""
    checked = [f"Checked: {'; '.join(op.constraints)}."] if op.constraints else []
    return "\n".join([op.summary, "", *(f"{p['name']}: {p['doc']}" for p in op.params), *checked]).rstrip()


class OpFunction:
    """An op as a function: called with expressions and attributes, by position or by name. In a script it denotes the
    op."""

    def __init__(self, op: _sunmao.Op) -> None:
        self._op = op
        self._name = own_name(op)
        self._params: list[dict[str, Any]] = op.params
        self.__name__ = self._name.rpartition(".")[2]
        self.__qualname__ = self.__name__
        self.__doc__ = docstring_of(op)
        self.__signature__ = signature_of(self._params)

    def __sunmao_value__(self) -> _sunmao.Op:
        return self._op

    def __call__(self, *args: Any, **kwargs: Any) -> _sunmao.Call:
        given = self._bind(args, kwargs)
        told = [c.known_type(t) for t in _as_list(given.pop("ty_args", None))]
        operands: list[_sunmao.Expr | None] = []
        attrs: dict[str, Any] = {}
        for p in self._params:
            name, kind = p["name"], p["kind"]
            if kind == "attr":
                if name in given:
                    attrs[name] = c.attribute(given[name])
            elif kind in ("variadic", "list"):
                operands.extend(c.expr(item) for item in _as_list(given.get(name)))
            elif given.get(name) is None and p["has_default"]:
                default = p["default"]
                operands.append(c.expr(default) if isinstance(default, int | float) else None)
            else:
                operands.append(self._operand(given[name], name, kind))
        while operands and operands[-1] is None:
            operands.pop()
        held = [make.tuple([]) if operand is None else operand for operand in operands]
        return make.call(self._op, held, attrs, told)

    def _bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """Returns the arguments by parameter name."""
        params = self._params
        given: dict[str, Any] = {}
        for i, p in enumerate(params):
            if p["kind"] == "variadic":
                given[p["name"]] = list(args[i:])
                args = args[:i]
        names = [p["name"] for p in params]
        if len(args) > len(names):
            raise fail("E0034", f"{self._name} takes at most {len(names)} arguments, got {len(args)}")
        given.update(zip(names, args, strict=False))
        for key, value in kwargs.items():
            name = _RENAMED.get(key, key) if key not in names else key
            if name in given:
                raise fail("E0034", f"{self._name}: `{name}` is given twice")
            if name not in names and name not in ("ty_args", "span"):
                raise fail("E0034", f"{self._name} has no argument `{key}`; it takes {', '.join(names)}")
            given[name] = value
        given.pop("span", None)
        for p in params:
            if p["name"] not in given and not p["has_default"]:
                raise fail("E0034", f"{self._name} needs `{p['name']}`: {p['doc']}")
        return given

    def _operand(self, value: Any, name: str, kind: str) -> _sunmao.Expr:
        if kind == "shape":
            if isinstance(value, int | np.integer | _sunmao.Scalar):
                if self._name in _SIZES:
                    return c.shape([value] * _SIZES[self._name])
                raise fail("E0034", f"{self._name}: `{name}` is a list of dimensions, got {type(value).__name__}")
            return c.shape(value)
        if kind == "value":
            return c.expr(value)
        if kind == "func":
            return make.extern(value) if isinstance(value, str) else c.expr(value)
        if isinstance(value, list | tuple) and kind == "tuple":
            return make.tuple([c.expr(item) for item in value])
        if isinstance(value, bool | int | float | str | np.generic | np.ndarray) or value is None:
            hint = "; wrap a number in relax.const or relax.prim_value" if isinstance(value, int | float) else ""
            raise fail("E0034", f"{self._name}: `{name}` must be an expression, got {type(value).__name__}{hint}")
        return c.expr(value)

    def __repr__(self) -> str:
        return f"<op {self._name}>"


class OpFamily:
    """The ops with a common name prefix, such as `relax.op.nn`."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = find(f"{self._prefix}.{name}")
        if found is None:
            raise missing_attribute(f"tvm.relax.op.{self._prefix}", name)
        return found

    def __repr__(self) -> str:
        return f"<ops {self._prefix}>"


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


_function = functools.cache(OpFunction)


def find(name: str) -> OpFunction | OpFamily | None:
    """Returns the op of this name, or the ops with this prefix; None when there are none."""
    op = _sunmao.find_op(name)
    if op is not None:
        return _function(op)
    return OpFamily(name) if any(known.startswith(name + ".") for known in _sunmao.op_names()) else None
