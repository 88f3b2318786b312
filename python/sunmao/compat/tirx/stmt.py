"""Statements of the loop level under upstream's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import attribute, attributes
from sunmao.compat.facade import Facade, extend
from sunmao.compat.ir.container import Array, convert
from sunmao.compat.missing import attribute_of
from sunmao.compat.spans import native_span, span_property
from sunmao.compat.tirx.buffer import BufferRegion, MatchBufferRegion, as_region, region_of
from sunmao.compat.tirx.iter_var import ThreadAxis
from sunmao.compat.tirx.operators import loop_scalar, loop_scalars
from sunmao.compat.tirx.range import Range
from sunmao.errors import fail

_THREAD_KEYS = ("thread_extent", "virtual_thread")


class ForKind(IntEnum):
    """The kind of a loop."""

    SERIAL = 0
    PARALLEL = 1
    VECTORIZED = 2
    UNROLLED = 3
    THREAD_BINDING = 4


class Stmt(metaclass=Facade, native=_sunmao.Stmt):
    """A statement."""


class Evaluate(metaclass=Facade, native=_sunmao.Evaluate):
    """Evaluates a scalar for its side effect."""

    @staticmethod
    def make(value: Any, span: Any = None) -> _sunmao.Stmt:
        return make.evaluate(loop_scalar(value), native_span(span))


class SeqStmt(metaclass=Facade, native=_sunmao.SeqStmt):
    """A sequence of statements."""

    @staticmethod
    def make(seq: Sequence[_sunmao.Stmt], span: Any = None) -> _sunmao.Stmt:
        return make.seq(list(seq), native_span(span))


class BufferStore(metaclass=Facade, native=_sunmao.BufferStore):
    """Stores a value to an element of a buffer; several when the last index is a vector."""

    @staticmethod
    def make(buffer: _sunmao.Buffer, value: Any, indices: Any, predicate: Any = None, span: Any = None) -> _sunmao.Stmt:
        stored = loop_scalar(value, None if isinstance(value, _sunmao.Scalar) else buffer.dtype)
        return make.buffer_store(buffer, stored, loop_scalars(indices), predicate, native_span(span))


class Bind(metaclass=Facade, native=_sunmao.Bind):
    """Binds a variable to a value for the statements that follow."""

    @staticmethod
    def make(var: _sunmao.SymVar, value: Any, body: Any = None, span: Any = None) -> _sunmao.Stmt:
        return make.bind(var, _of(var, value, "the value"), body, native_span(span))


class AllocBuffer(metaclass=Facade, native=_sunmao.AllocBuffer):
    """Allocates a buffer for the statements that follow."""

    @staticmethod
    def make(buffer: _sunmao.Buffer, body: Any = None, annotations: Any = None, span: Any = None) -> _sunmao.Stmt:
        if isinstance(body, Mapping):
            body, annotations = None, body
        return make.alloc_buffer(buffer, body, attributes(annotations), native_span(span))


class DeclBuffer(metaclass=Facade, native=_sunmao.DeclBuffer):
    """Declares a buffer on existing memory for the statements that follow."""

    @staticmethod
    def make(buffer: _sunmao.Buffer, body: Any = None, span: Any = None) -> _sunmao.Stmt:
        return make.decl_buffer(buffer, body, native_span(span))


class AssertStmt(metaclass=Facade, native=_sunmao.AssertStmt):
    """An assertion; `error_kind` is the exception class, the message is given in parts."""

    @staticmethod
    def make(condition: Any, error_kind: Any = "RuntimeError", message_parts: Any = (), span: Any = None) -> Any:
        parts = [message_parts] if isinstance(message_parts, str) else message_parts
        message = "".join(_text(part) for part in parts)
        return make.assert_stmt(loop_scalar(condition), message, _text(error_kind), native_span(span))


def _of(var: _sunmao.SymVar, value: Any, what: str) -> _sunmao.Scalar:
    """Converts the value to the variable's dtype."""
    found = loop_scalar(value, var.dtype)
    if found.dtype != var.dtype:
        raise fail("E0034", f"`{var.name}` is of dtype {var.dtype}, {what} is {found.dtype}")
    return found


def _text(value: Any) -> str:
    return value if isinstance(value, str) else str(value.value)


class For(metaclass=Facade, native=_sunmao.For):
    """A loop."""

    @staticmethod
    def make(
        loop_var: _sunmao.SymVar,
        min: Any,
        extent: Any,
        kind: Any,
        body: _sunmao.Stmt,
        thread_binding: Any = None,
        annotations: Mapping[str, Any] | None = None,
        step: Any = None,
        span: Any = None,
    ) -> _sunmao.Stmt:
        if step not in (None, 1):
            raise fail("E0034", "a loop counts its rounds: bind `min + round * step` inside of it")
        name = kind if isinstance(kind, str) else ForKind(kind).name.lower()
        if (name == "thread_binding") != (thread_binding is not None):
            raise fail("E0034", "a loop of kind THREAD_BINDING, and no other, has a `thread_binding`")
        return make.for_(
            loop_var, _of(loop_var, min, "the start"), _of(loop_var, extent, "the extent"), name, body,
            thread_binding.thread_tag if thread_binding is not None else "", attributes(annotations), native_span(span),
        )  # fmt: skip


class While(metaclass=Facade, native=_sunmao.While):
    """A loop with a condition."""

    @staticmethod
    def make(condition: Any, body: _sunmao.Stmt, span: Any = None) -> _sunmao.Stmt:
        return make.while_(loop_scalar(condition), body, native_span(span))


class IfThenElse(metaclass=Facade, native=_sunmao.IfThenElse):
    """A conditional statement."""

    @staticmethod
    def make(condition: Any, then_case: _sunmao.Stmt, else_case: Any = None, span: Any = None) -> _sunmao.Stmt:
        return make.if_then_else(loop_scalar(condition), then_case, else_case, native_span(span))


class AttrStmt(metaclass=Facade, native=_sunmao.AttrStmt):
    """An annotation of a statement. One about a thread is a loop over the threads."""

    @staticmethod
    def make(node: Any, attr_key: str, value: Any, body: _sunmao.Stmt, span: Any = None) -> _sunmao.Stmt:
        if isinstance(node, ThreadAxis) and attr_key in _THREAD_KEYS:
            var, tag = node.var, node.thread_tag or "vthread"
            extent = loop_scalar(value, var.dtype)
            return make.for_(
                var, make.int_imm(var.dtype, 0), extent, "thread_binding", body, tag, {}, native_span(span)
            )
        about: Any = node.data if isinstance(node, _sunmao.Buffer) else node
        about = about.__sunmao_attribute__() if hasattr(about, "__sunmao_attribute__") else attribute(about)
        return make.attr_stmt(about, attr_key, loop_scalar(value), body, native_span(span))


class SBlock(metaclass=Facade, native=_sunmao.SBlock):
    """The computation at one point of an iteration domain."""

    @staticmethod
    def make(
        iter_vars: Sequence[Any],
        reads: Sequence[Any],
        writes: Sequence[Any],
        name_hint: str,
        body: _sunmao.Stmt,
        init: Any = None,
        alloc_buffers: Any = None,
        match_buffers: Sequence[MatchBufferRegion] | None = None,
        annotations: Mapping[str, Any] | None = None,
        span: Any = None,
    ) -> _sunmao.SBlock:
        return make.sblock(
            name_hint, list(iter_vars), [as_region(r).native() for r in reads],
            [as_region(r).native() for r in writes], body, init, list(alloc_buffers or []),
            [m.native() for m in match_buffers or []], attributes(annotations), native_span(span),
        )  # fmt: skip


class SBlockRealize(metaclass=Facade, native=_sunmao.SBlockRealize):
    """A block with values for its axes."""

    @staticmethod
    def make(iter_values: Any, predicate: Any, block: _sunmao.SBlock, span: Any = None) -> _sunmao.Stmt:
        values = [loop_scalar(value, axis.var.dtype) for value, axis in zip(iter_values, block.iter_vars, strict=True)]
        return make.block_realize(values, loop_scalar(predicate, "bool"), block, native_span(span))


Block, BlockRealize, LetStmt = SBlock, SBlockRealize, Bind

_kind: Any = _sunmao.For.kind.__get__
_reads: Any = _sunmao.SBlock.reads.__get__
_writes: Any = _sunmao.SBlock.writes.__get__
_views: Any = _sunmao.SBlock.match_buffers.__get__
_notes: Any = _sunmao.SBlock.annotations.__get__
_seq: Any = _sunmao.SeqStmt.seq.__get__
_message: Any = _sunmao.AssertStmt.message.__get__


def _for_kind(self: _sunmao.For) -> ForKind:
    return ForKind[str(_kind(self)).upper()]


def _thread(self: _sunmao.For) -> ThreadAxis | None:
    """Returns the thread that a loop is bound to, or None."""
    if not self.thread:
        return None
    return ThreadAxis(Range.from_min_extent(self.min, self.extent), self.loop_var, 1, self.thread)


def _regions(read: Any) -> property:
    return property(lambda self: Array(region_of(r) for r in read(self)))


def _matched(self: _sunmao.SBlock) -> Array:
    return Array(MatchBufferRegion(buffer, region_of(source)) for buffer, source in _views(self))


extend(
    _sunmao.Stmt,
    same_as=lambda self, other: self is other,
    span=span_property(_sunmao.Stmt),
)
extend(
    _sunmao.For,
    kind=property(_for_kind),
    thread_binding=property(_thread),
    step=None,
    node=property(_thread),
    attr_key=property(lambda self: "thread_extent" if self.thread else None),
    value=property(lambda self: self.extent),
)
extend(
    _sunmao.SeqStmt,
    seq=property(lambda self: Array(_seq(self))),
    __getitem__=lambda self, index: self.seq[index],
    __len__=lambda self: len(self.seq),
)
extend(
    _sunmao.SBlock,
    reads=_regions(_reads),
    writes=_regions(_writes),
    match_buffers=property(_matched),
    annotations=property(lambda self: convert(_notes(self))),
)
extend(_sunmao.AssertStmt, message_parts=property(lambda self: Array([make.string_imm(_message(self))])))

__all__ = [
    "AllocBuffer", "AssertStmt", "AttrStmt", "Bind", "Block", "BlockRealize", "BufferRegion", "BufferStore",
    "DeclBuffer", "Evaluate", "For", "ForKind", "IfThenElse", "LetStmt", "MatchBufferRegion", "SBlock",
    "SBlockRealize", "SeqStmt", "Stmt", "While",
]  # fmt: skip

__getattr__ = attribute_of(__name__)
