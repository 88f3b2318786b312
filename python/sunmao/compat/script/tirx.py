"""`T`: functions of the loop level, and scalars."""

from __future__ import annotations

import re
import sys
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name, scalar
from sunmao.compat.missing import attribute_of
from sunmao.compat.script.annotation import Annotation
from sunmao.compat.script.decorators import PythonFunction, decorator
from sunmao.compat.script.macro import inline
from sunmao.compat.script.meta_var import meta_var as meta_var
from sunmao.compat.tirx import op, scalar_classes
from sunmao.compat.tirx.buffer import decl_buffer
from sunmao.compat.tirx.pointer import PointerType
from sunmao.compat.tirx.pointer import handle as pointer_var
from sunmao.compat.tirx.range import Range as Range
from sunmao.compat.tirx.reducer import comm_reducer as comm_reducer

_DTYPE = re.compile(r"(u?int|float|bfloat)\d+(_?[a-z0-9]+)?(x\d+)?|boolean|bool")


# Maps lower-case functions of `T` to the node classes that they construct.
_CLASSES = {"ramp": "Ramp", "broadcast": "Broadcast", "cast_": "Cast"}


def prim_func(
    func: PythonFunction | None = None,
    private: bool = False,
    check_well_formed: bool = True,
    s_tir: bool = False,
    root: bool = True,
    global_name: str | None = None,
) -> Any:
    """Marks a loop-level function: `@T.prim_func`, with or without arguments."""
    stated = {"private": private, "s_tir": s_tir, "root": not root, "global_name": global_name}
    return decorator(func, sys._getframe(1), check_well_formed, [name for name, value in stated.items() if value])


macro = inline


def cast(value: Any, dtype: str) -> Any:
    """Converts the value to another dtype."""
    return scalar_classes.Cast(dtype, value)


class BufferName(Annotation):
    """`T.Buffer((16, 16), "float32")` makes a buffer; forms that only the parser understands are recorded."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return decl_buffer(*args, **kwargs)
        except TypeError:  # a dimension by its name
            return Annotation(self.name, args, kwargs)


class HandleName(Annotation):
    """`T.handle("float32", "global")` makes a pointer variable; `T.handle` itself denotes a type."""

    def __call__(self, dtype: Any = None, storage_scope: str = "") -> Any:
        return pointer_var("", PointerType(dtype_name(dtype), storage_scope))


Buffer = buffer = BufferName("T.Buffer")
handle = HandleName("T.handle")
ptr = HandleName("T.ptr")


class DTypeName(Annotation):
    """The name of a dtype: denotes a type by itself, and makes a variable or a scalar when it is called."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not args and not set(kwargs) - {"is_size_var"}:
            return make.sym_var("", self._dtype)
        if len(args) == 1 and isinstance(args[0], bool | int | float):
            return scalar(args[0], self._dtype)
        if len(args) == 1 and isinstance(args[0], _sunmao.Scalar) and not kwargs:
            return args[0] if args[0].dtype == self._dtype else make.cast(self._dtype, args[0])
        return Annotation(self.name, args, kwargs)

    @property
    def _dtype(self) -> str:
        return self.name.removeprefix("T.").replace("boolean", "bool")

    def __sunmao_type__(self) -> _sunmao.Type:
        return _sunmao.make.prim_type(self._dtype)


def _find(name: str) -> Any:
    if _DTYPE.fullmatch(name):
        return DTypeName(f"T.{name}")
    return getattr(scalar_classes, _CLASSES.get(name, name), None) or op.find(name)


__getattr__ = attribute_of(__name__, _find)
