"""`T`: functions of the loop level, and scalars."""

from __future__ import annotations

import re
import sys
from typing import Any

from sunmao.compat.missing import attribute_of
from sunmao.compat.script.annotation import Annotation
from sunmao.compat.script.decorators import PythonFunction, decorator
from sunmao.compat.script.macro import inline

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


def _find(name: str) -> Annotation | None:
    return Annotation(f"T.{name}") if _DTYPE.fullmatch(name) else None


__getattr__ = attribute_of(__name__, _find)
