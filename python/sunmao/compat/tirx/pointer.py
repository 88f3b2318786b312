"""Types of handles, and of buffer parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name
from sunmao.compat.ir.container import Array
from sunmao.compat.print_options import print_options
from sunmao.compat.spans import native_span


class PointerType:
    """The type of a handle: element type and memory scope."""

    def __init__(self, element_type: Any, storage_scope: str = "") -> None:
        name = dtype_name(element_type)
        self.element_type = make.prim_type(name)
        self.storage_scope = storage_scope or ("global" if name else "")

    def pointee(self) -> tuple[str, str]:
        """Returns the element dtype (empty: any) and the memory scope (empty: the default)."""
        element = self.element_type.dtype
        return element, "" if not element and self.storage_scope == "global" else self.storage_scope

    def script(self, **options: Any) -> str:
        print_options(options)
        element, scope = self.pointee()
        if not element and not scope:
            return "T.handle"
        return f'T.handle("{element}", "{scope}")' if element else f'T.handle(storage_scope="{scope}")'

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PointerType) and self.pointee() == other.pointee()

    def __hash__(self) -> int:
        return hash(self.pointee())

    __repr__ = script


@dataclass(frozen=True, eq=False)
class BufferType:
    """The type of a buffer: shape, dtype and layout."""

    buffer: _sunmao.Buffer

    @property
    def shape(self) -> Array:
        return Array(self.buffer.shape)

    @property
    def dtype(self) -> _sunmao.Type:
        return make.prim_type(self.buffer.dtype)

    @property
    def strides(self) -> Array:
        return Array(self.buffer.strides)

    @property
    def storage_scope(self) -> str:
        return self.buffer.scope

    def script(self, **options: Any) -> str:
        print_options(options)
        return repr(self)

    def __repr__(self) -> str:
        shape = ", ".join(repr(extent) for extent in self.buffer.shape)
        comma = "," if len(self.buffer.shape) == 1 else ""
        return f'T.Buffer(({shape}{comma}), "{self.buffer.dtype}")'


def handle(name: str, pointer: PointerType, span: Any = None) -> _sunmao.SymVar:
    """Makes a pointer variable."""
    return make.handle(name, *pointer.pointee(), native_span(span))


def pointer_type(var: _sunmao.SymVar) -> PointerType:
    element, scope = var.pointee
    return PointerType(make.prim_type(element), scope)
