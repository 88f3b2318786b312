"""`T`: functions of the loop level, and scalars."""

from __future__ import annotations

import re
import sys
from typing import Any

from sunmao import _sunmao
from sunmao.compat.convert import scalar
from sunmao.compat.missing import attribute_of
from sunmao.compat.script.annotation import Annotation
from sunmao.compat.script.decorators import PythonFunction, decorator
from sunmao.compat.script.macro import inline
from sunmao.compat.script.meta_var import meta_var as meta_var
from sunmao.compat.tirx import op, scalar_classes

_DTYPE = re.compile(r"(u?int|float|bfloat)\d+(_?[a-z0-9]+)?(x\d+)?|boolean|bool")


def prim_func(
    func: PythonFunction | None = None, private: bool = False, check_well_formed: bool = True, s_tir: bool = False
) -> Any:
    """Marks a function of the loop level: `@T.prim_func`, with or without arguments."""
    return decorator(func, sys._getframe(1), check_well_formed)


macro = inline
Buffer = buffer = Annotation("T.Buffer")
handle = Annotation("T.handle")
ptr = Annotation("T.ptr")


class DTypeName(Annotation):
    """The word for a dtype: a type as it stands, a scalar where it is called with a number."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and isinstance(args[0], bool | int | float):
            return scalar(args[0], self._dtype)
        return Annotation(self.name, args, kwargs)

    @property
    def _dtype(self) -> str:
        return self.name.removeprefix("T.").replace("boolean", "bool")

    def __sunmao_type__(self) -> _sunmao.Type:
        return _sunmao.make.prim_type(self._dtype)


def _find(name: str) -> Any:
    if _DTYPE.fullmatch(name):
        return DTypeName(f"T.{name}")
    return getattr(scalar_classes, name, None) or op.find(name)


__getattr__ = attribute_of(__name__, _find)
