"""Frames of loop-level constructs under construction: each collects statements and becomes one statement at its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import attributes
from sunmao.compat.missing import attribute_of
from sunmao.compat.script.ir_builder.base import IRBuilder, IRBuilderFrame
from sunmao.compat.script.ir_builder.ir import IRModuleFrame
from sunmao.compat.spans import native_span
from sunmao.compat.tirx.buffer import BufferRegion, MatchBufferRegion
from sunmao.compat.tirx.prim_func import param

# The attribute of a block that states which of its access regions are to be inferred, as a sum of _READS and _WRITES.
OPEN_REGIONS = "tirx.script_parsing_detect_access"
_READS, _WRITES = 1, 2


class TIRFrame(IRBuilderFrame):
    """Collects statements; `finish` makes the frame's statement of them."""

    def __init__(self) -> None:
        self.statements: list[_sunmao.Stmt] = []

    def body(self) -> _sunmao.Stmt:
        if not self.statements:
            return make.evaluate(make.int_imm("int32", 0))
        return make.seq(self.statements)

    def end(self, _builder: IRBuilder) -> None:
        add(self.finish())

    def finish(self) -> _sunmao.Stmt:
        return self.body()


class WrapFrame(TIRFrame):
    """Wraps its statements by a function; the `with` statement binds `value`."""

    def __init__(self, wrap: Callable[[_sunmao.Stmt], _sunmao.Stmt], value: Any = None) -> None:
        super().__init__()
        self.wrap, self.value = wrap, value

    def __enter__(self) -> Any:
        super().__enter__()
        return self.value

    def finish(self) -> _sunmao.Stmt:
        return self.wrap(self.body())


class SiblingsFrame(TIRFrame):
    """A statement followed by those inside the frame."""

    def __init__(self, first: _sunmao.Stmt) -> None:
        super().__init__()
        self.statements.append(first)


class IfFrame(TIRFrame):
    """A conditional; its branches are the frames `Then` and `Else` inside."""

    def __init__(self, condition: _sunmao.Scalar) -> None:
        super().__init__()
        self.condition = condition
        self.cases: dict[str, _sunmao.Stmt] = {}

    def finish(self) -> _sunmao.Stmt:
        if "then" not in self.cases:
            raise ValueError("an If has a case: write `with T.Then():` inside of it")
        return make.if_then_else(self.condition, self.cases["then"], self.cases.get("else"), span())


class CaseFrame(TIRFrame):
    """A branch of the enclosing `If`."""

    def __init__(self, case: str) -> None:
        super().__init__()
        self.case = case

    def end(self, builder: IRBuilder) -> None:
        frame = builder.frames[-1] if builder.frames else None
        if not isinstance(frame, IfFrame) or self.case in frame.cases:
            raise ValueError(f"`T.{self.case.capitalize()}` stands once, directly in `with T.If(...):`")
        frame.cases[self.case] = self.body()


class ForFrame(TIRFrame):
    """Nested loops of one kind; the `with` statement binds the loop variable or variables."""

    def __init__(
        self,
        names: list[_sunmao.SymVar],
        doms: list[tuple[_sunmao.Scalar, _sunmao.Scalar]],
        kind: str = "serial",
        thread: str = "",
        annotations: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.vars, self.doms, self.kind, self.thread = names, doms, kind, thread
        self.annotations = attributes(annotations)

    def __enter__(self) -> Any:
        super().__enter__()
        return self.vars[0] if len(self.vars) == 1 else list(self.vars)

    def finish(self) -> _sunmao.Stmt:
        body = self.body()
        for var, (low, extent) in reversed(list(zip(self.vars, self.doms, strict=True))):
            body = make.for_(var, low, extent, self.kind, body, self.thread, self.annotations, span())
        return body


class SBlockInitFrame(TIRFrame):
    """The initialisation of a block."""

    def end(self, _builder: IRBuilder) -> None:
        block = find(SBlockFrame, "T.init")
        if block.init is not None:
            raise ValueError("a block has one `T.init`")
        block.init = self.body()


class SBlockFrame(TIRFrame):
    """A block under construction."""

    def __init__(self, name: str, no_realize: bool) -> None:
        super().__init__()
        self.name, self.no_realize = name, no_realize
        self.iter_vars: list[_sunmao.IterVar] = []
        self.iter_values: list[_sunmao.Scalar] = []
        self.reads: list[BufferRegion] | None = None
        self.writes: list[BufferRegion] | None = None
        self.init: _sunmao.Stmt | None = None
        self.alloc_buffers: list[_sunmao.Buffer] = []
        self.match_buffers: list[MatchBufferRegion] = []
        self.annotations: dict[str, Any] = {}
        self.predicate: _sunmao.Scalar | None = None

    def finish(self) -> _sunmao.Stmt:
        notes = attributes(self.annotations)
        found = (_READS if self.reads is None else 0) | (_WRITES if self.writes is None else 0)
        if found:
            notes[OPEN_REGIONS] = make.int_imm("int64", found)
        block = make.sblock(
            self.name, self.iter_vars, [r.native() for r in self.reads or []], [w.native() for w in self.writes or []],
            self.body(), self.init, self.alloc_buffers, [m.native() for m in self.match_buffers], notes, span(),
        )  # fmt: skip
        if self.no_realize:
            if self.iter_values or self.predicate is not None:
                raise ValueError("a block that is not realised has no values and no condition")
            return block
        if len(self.iter_values) != len(self.iter_vars):
            raise ValueError("each axis of a block needs a value: write `T.axis.spatial(128, i)`")
        predicate = make.int_imm("bool", 1) if self.predicate is None else self.predicate
        return make.block_realize(self.iter_values, predicate, block, span())


class PrimFuncFrame(TIRFrame):
    """A loop-level function under construction."""

    def __init__(self, is_private: bool, s_tir: bool) -> None:
        super().__init__()
        self.is_private, self.s_tir = is_private, s_tir
        self.name: str | None = None
        self.params: list[Any] = []
        self.buffers: dict[Any, _sunmao.Buffer] = {}
        self.attrs: dict[str, Any] = {}
        self.ret_type: _sunmao.Type | None = None
        self.alloc_buffers: list[_sunmao.Buffer] = []
        self.threads: dict[Any, str] = {}

    def end(self, builder: IRBuilder) -> None:
        attrs = attributes(self.attrs)
        if self.s_tir:
            attrs["s_tir"] = True
        if self.name and not self.is_private:
            attrs.setdefault("global_symbol", self.name)
        body = _sunmao.complete_regions(self.body())
        is_root = isinstance(body, _sunmao.SBlockRealize) and not body.block.iter_vars
        if self.alloc_buffers or (_sunmao.has_blocks(body) and not is_root):
            body = _sunmao.root_block(body, self.alloc_buffers)
        params = [param(p, self.buffers) for p in self.params]
        function = _sunmao.with_names(make.prim_func(params, body, self.ret_type, attrs), names(builder))
        module = builder.find_frame(IRModuleFrame)
        if module is None:
            builder.give(function)
        else:
            module.module[self.name or "main"] = function


def names(builder: IRBuilder) -> list[tuple[Any, str]]:
    """Returns the names that `IRBuilder.name` has given to loop-level variables and buffers."""
    kinds = (_sunmao.SymVar, _sunmao.Buffer)
    return [(node, name) for node, name in builder.names.items() if isinstance(node, kinds)]


def span() -> _sunmao.Span | None:
    """Returns the builder's current source location."""
    return native_span(IRBuilder.current().source_span)


def add(statement: _sunmao.Stmt) -> None:
    """Adds a statement to the innermost open frame; without an open frame it is the builder's result."""
    builder = IRBuilder.current()
    frame = builder.find_frame(TIRFrame)
    if frame is None:
        builder.give(_sunmao.with_names(statement, names(builder)))
    else:
        frame.statements.append(statement)


def find(kind: type, word: str) -> Any:
    """Returns the innermost open frame of this class."""
    found = IRBuilder.current().find_frame(kind)
    if found is None:
        where = "a block: write `with T.sblock(...):`" if kind is SBlockFrame else "a function: `with T.prim_func():`"
        raise ValueError(f"`{word}` stands in {where}")
    return found


__getattr__ = attribute_of(__name__)
