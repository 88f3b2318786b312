"""Modules under construction."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of
from sunmao.compat.script.ir_builder.base import IRBuilder, IRBuilderFrame
from sunmao.errors import fail


class IRModuleFrame(IRBuilderFrame):
    """A module under construction; functions that are finished inside belong to it."""

    def __init__(self) -> None:
        self.module = IRModule()

    def end(self, builder: IRBuilder) -> None:
        builder.give(self.module)


def ir_module() -> IRModuleFrame:
    return IRModuleFrame()


def _frame() -> IRModuleFrame:
    found = IRBuilder.current().find_frame(IRModuleFrame)
    if found is None:
        raise ValueError("this stands in a module: write `with I.ir_module():`")
    return found


def decl_function(func_name: str, func_signature: _sunmao.BaseFunc) -> _sunmao.GlobalVar:
    """Declares a function by its signature; its definition may follow."""
    var = _sunmao.make.global_var(func_name)
    _frame().module[var] = func_signature
    return var


def def_function(func_name: str, func: _sunmao.BaseFunc) -> None:
    _frame().module[func_name] = func


def module_attrs(attrs: dict[str, Any], allow_overwrite: bool = False) -> None:
    frame = _frame()
    if frame.module.attrs and not allow_overwrite:
        raise fail("E0034", "the module has attributes already", "`allow_overwrite=True` says more of them")
    frame.module = frame.module.with_attrs({**frame.module.attrs, **attrs})


def module_global_infos(global_infos: dict[str, list[Any]]) -> None:
    for name, infos in global_infos.items():
        _frame().module.update_global_info(name, infos)


__getattr__ = attribute_of(__name__)
