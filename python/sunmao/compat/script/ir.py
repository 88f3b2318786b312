"""`I`: modules."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from types import FrameType, FunctionType
from typing import Any, overload

from sunmao import _sunmao
from sunmao.captures import resolver
from sunmao.compat.ir.global_info import dummy_global_info as dummy_global_info
from sunmao.compat.ir.global_info import vdevice as vdevice
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of
from sunmao.compat.script.macro import with_captured
from sunmao.compat.script.meta_var import meta_var as meta_var
from sunmao.compat.script.source import class_source, names_around
from sunmao.compat.script.well_formed import finish_module, script_errors


def read_class(cls: type, frame: FrameType, check_well_formed: bool) -> IRModule:
    """Parses the class body as a module; also for classes marked `@R.rewriter`."""
    text, file = class_source(cls, frame)
    text = re.sub(r"^(\s*)@[\w.]+\.rewriter\b", r"\1@I.ir_module", text, count=1)
    functions: list[Callable[..., Any]] = [f for f in vars(cls).values() if isinstance(f, FunctionType)]
    names = {**names_around(cls.__qualname__, functions, frame), **_plain_members(cls)}
    text = with_captured(text, names)
    with script_errors():
        module = IRModule(finish_module(_sunmao.parse_module(text, file, resolver(names)), check_well_formed))
    module.__name__ = cls.__name__
    return module


def _plain_members(cls: type) -> dict[str, Any]:
    return {k: v for k, v in vars(cls).items() if not k.startswith("__") and not isinstance(v, FunctionType)}


@overload
def ir_module(mod: type) -> IRModule: ...
@overload
def ir_module(mod: None = None, check_well_formed: bool = True, s_tir: bool = False) -> Callable[[type], IRModule]: ...
def ir_module(
    mod: type | None = None,
    check_well_formed: bool = True,
    s_tir: bool = False,  # noqa: ARG001 (upstream's choice of checks, which here are the same)
) -> IRModule | Callable[[type], IRModule]:
    """Parses the class as a module: `@I.ir_module`, with or without arguments."""
    frame = sys._getframe(1)
    if mod is not None:
        return read_class(mod, frame, check_well_formed)
    return lambda cls: read_class(cls, sys._getframe(1), check_well_formed)


def module_attrs(attrs: dict[str, Any], allow_overwrite: bool = False) -> None:
    """Does nothing: in the body of a module class the parser reads the call."""


def module_global_infos(infos: dict[str, list[Any]]) -> None:
    """Does nothing: in the body of a module class the parser reads the call."""


__getattr__ = attribute_of(__name__)
