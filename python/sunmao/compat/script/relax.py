"""`R`: functions of the graph level."""

from __future__ import annotations

import sys
import typing

from sunmao import _sunmao
from sunmao.compat.missing import attribute_of, missing_attribute, unsupported
from sunmao.compat.script.annotation import Annotation
from sunmao.compat.script.decorators import PythonFunction, decorator


def function(
    f: PythonFunction | None = None, pure: bool = True, private: bool = False, check_well_formed: bool = True
) -> typing.Any:
    """Marks a function of the graph level: `@R.function`, with or without arguments."""
    return decorator(f, sys._getframe(1))


class OpName:
    """An op by its name, such as a script takes from a variable of the program."""

    def __init__(self, op: _sunmao.Op) -> None:
        self._op = op

    def __sunmao_value__(self) -> _sunmao.Op:
        return self._op

    def __call__(self, *args: typing.Any, **kwargs: typing.Any) -> typing.Any:
        raise unsupported(f"calling `R.{self._op.name}` outside of a script", "write it in a function of a script")

    def __repr__(self) -> str:
        return f"R.{self._op.name}"


class OpFamily:
    """Ops with a dotted name: `R.nn`."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> typing.Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = _find(f"{self._prefix}.{name}")
        if found is None:
            raise missing_attribute(f"tvm.script.relax.{self._prefix}", name)
        return found


def _find(name: str) -> OpName | OpFamily | None:
    op = _sunmao.find_op(name)
    if op is not None:
        return OpName(op)
    return OpFamily(name) if any(known.startswith(name + ".") for known in _sunmao.op_names()) else None


Tensor = Annotation("R.Tensor")
Shape = Annotation("R.Shape")
Prim = Annotation("R.Prim")
Tuple = Annotation("R.Tuple")
Callable = Annotation("R.Callable")
Any = Annotation("R.Any")
Object = Annotation("R.Object")

__getattr__ = attribute_of(__name__, _find)
