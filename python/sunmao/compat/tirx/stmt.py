"""Statements of the loop level under upstream's names."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from sunmao import _sunmao
from sunmao.compat.facade import extend
from sunmao.compat.ir.container import Array
from sunmao.compat.missing import attribute_of

AllocBuffer, AssertStmt, AttrStmt, Bind = _sunmao.AllocBuffer, _sunmao.AssertStmt, _sunmao.AttrStmt, _sunmao.Bind
BufferStore, DeclBuffer, Evaluate, For = _sunmao.BufferStore, _sunmao.DeclBuffer, _sunmao.Evaluate, _sunmao.For
IfThenElse, SBlock, SBlockRealize = _sunmao.IfThenElse, _sunmao.SBlock, _sunmao.SBlockRealize
SeqStmt, Stmt, While = _sunmao.SeqStmt, _sunmao.Stmt, _sunmao.While
Block, BlockRealize, LetStmt = SBlock, SBlockRealize, Bind


class ForKind(IntEnum):
    """How the iterations of a loop run."""

    SERIAL = 0
    PARALLEL = 1
    VECTORIZED = 2
    UNROLLED = 3
    THREAD_BINDING = 4


_kind = _sunmao.For.kind.__get__


def _for_kind(self: _sunmao.For) -> ForKind:
    return ForKind[str(_kind(self)).upper()]


def _seq_item(self: _sunmao.SeqStmt, index: int) -> Any:
    return Array(self.seq)[index]


extend(_sunmao.Stmt, same_as=lambda self, other: self is other, span=None)
extend(_sunmao.For, kind=property(_for_kind))
extend(_sunmao.SeqStmt, __getitem__=_seq_item, __len__=lambda self: len(self.seq))

__getattr__ = attribute_of(__name__)
