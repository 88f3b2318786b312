"""Graph-level functions under construction."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op
from sunmao.compat.relax.block_builder import BlockBuilder
from sunmao.compat.relax.expr import native_attrs
from sunmao.compat.relax.expr_functor import PyExprMutator
from sunmao.compat.script import relax as words
from sunmao.compat.script.ir_builder.base import IRBuilder, IRBuilderFrame
from sunmao.compat.script.ir_builder.ir import IRModuleFrame
from sunmao.errors import fail

_MAY_FIT = 2  # what base_check says where a value may be of the type
py_print = builtins.print
py_tuple: type = builtins.tuple
py_str = builtins.str


class _Names(PyExprMutator):
    """Replaces variables of a finished block: by named ones, or by plain variables when they leave the block."""

    def __init__(self, others: Mapping[Any, Any]) -> None:
        super().__init__()
        for old, new in others.items():
            self.set_var_remap(old, new)


class FunctionFrame(IRBuilderFrame):
    """A graph-level function under construction."""

    def __init__(self, is_pure: bool, is_private: bool) -> None:
        self.is_pure, self.is_private = is_pure, is_private
        self.name: str | None = None
        self.params: list[_sunmao.Var] = []
        self.attrs: dict[str, Any] = {}
        self.ret_ty: _sunmao.Type | None = None
        self.result: Any = None
        self.blocks: list[_sunmao.BindingBlock] = []
        self.block_builder = BlockBuilder()
        self.outputs: dict[_sunmao.Var, _sunmao.Var] = {}

    def begin(self, _builder: IRBuilder) -> None:
        self.block_builder._begin_binding_block()

    def end(self, builder: IRBuilder) -> None:
        if self.result is None:
            raise ValueError("a function says what it gives: R.func_ret_value(...)")
        self.close_block()
        attrs = dict(self.attrs)
        if self.name and not self.is_private:
            attrs.setdefault("global_symbol", self.name)
        body = make.sequence(self.blocks, c.expr(self.result))
        function = make.function(self.params, body, self.ret_ty, self.is_pure, native_attrs(attrs))
        function = _Names(self._renamed(builder.names)).visit_expr(function)
        frame = builder.find_frame(IRModuleFrame)
        if frame is None:
            builder.give(function)
        else:
            frame.module[self.name or "main"] = function

    def _renamed(self, names: Mapping[Any, str]) -> dict[_sunmao.Var, _sunmao.Var]:
        others = dict(self.outputs)
        for var, name in names.items():
            if isinstance(var, _sunmao.Var):
                final = others.get(var, var)
                named = make.var(name, final.type, final.is_dataflow)
                same = [old for old, new in others.items() if new is var]  # what becomes `var` as it leaves its block
                others.update(dict.fromkeys([var, final, *same], named))
        return others

    def close_block(self) -> None:
        block = self.block_builder._end_block()
        if block.bindings:
            self.blocks.append(block)


class BlockFrame(IRBuilderFrame):
    """A block under construction; `output_vars` are the variables that leave a dataflow block."""

    def __init__(self) -> None:
        self.output_vars: list[_sunmao.Var] = []

    def begin(self, _builder: IRBuilder) -> None:
        frame = _function()
        frame.close_block()
        frame.block_builder._begin_dataflow_block()

    def end(self, _builder: IRBuilder) -> None:
        frame = _function()
        frame.close_block()
        frame.block_builder._begin_binding_block()


def _function() -> FunctionFrame:
    found = IRBuilder.current().find_frame(FunctionFrame)
    if found is None:
        raise ValueError("this stands in a function: write `with R.function():`")
    return found


def function(is_pure: bool = True, is_private: bool = False) -> FunctionFrame:
    return FunctionFrame(is_pure, is_private)


def func_name(name: str) -> None:
    _function().name = name


def func_attr(attrs: dict[str, Any]) -> None:
    _function().attrs.update(attrs)


def func_ret_ty(ret_ty: Any) -> None:
    _function().ret_ty = c.known_type(ret_ty)


func_ret_struct_info = func_ret_ty


def func_ret_value(value: Any) -> None:
    _function().result = c.expr(value)


def arg(name: str, ty: Any) -> _sunmao.Var:
    """Adds a parameter to the function."""
    var = make.var(name, c.known_type(ty))
    _function().params.append(var)
    return var


def emit(value: Any, annotate_ty: Any = None) -> _sunmao.Var:
    """Binds the value to a variable. `annotate_ty` states its type, which may be less precise than the inferred one."""
    var = _function().block_builder.emit(value)
    stated = None if annotate_ty is None else c.known_type(annotate_ty)
    if stated is not None and _sunmao.base_check(stated, var.type or make.any_type()) < _MAY_FIT:
        raise fail("E0034", f"the value is of type {var.type!r}, stated is {stated!r}")
    return var


def emit_match_cast(value: Any, ty: Any) -> _sunmao.Var:
    return _function().block_builder.match_cast(value, ty)


def emit_var_binding(value: _sunmao.Binding) -> _sunmao.Var:
    _function().block_builder.emit_normalized(value)
    return value.var


def dataflow() -> BlockFrame:
    return BlockFrame()


def output(*vars: _sunmao.Var) -> None:
    """Declares the variables that leave the dataflow block."""
    frame = IRBuilder.current().find_frame(BlockFrame)
    if frame is None:
        raise ValueError("R.output stands in a dataflow block: write `with R.dataflow():`")
    function = _function()
    for var in vars:
        left = make.var(var.name, var.type)
        function.outputs[var] = left
        frame.output_vars.append(left)


def _find(name: str) -> Any:
    return getattr(words, name, None) or getattr(op, name, None)


__getattr__ = attribute_of(__name__, _find)
