"""Buffers and regions of buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name
from sunmao.compat.facade import Facade, alias, extend
from sunmao.compat.ir.container import Array
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.print_options import print_options
from sunmao.compat.spans import native_span, placed, span_property
from sunmao.compat.tirx.operators import binary, loop_scalar, loop_scalars, vector_length
from sunmao.compat.tirx.pointer import BufferType
from sunmao.compat.tirx.range import Range
from sunmao.errors import fail

Region = tuple[_sunmao.Buffer, list[tuple[_sunmao.Scalar, _sunmao.Scalar]]]


def decl_buffer(
    shape: Any,
    dtype: Any = None,
    name: str = "buffer",
    data: Any = None,
    strides: Any = None,
    elem_offset: Any = None,
    scope: str = "",
    data_alignment: int = -1,
    offset_factor: int = 0,
    buffer_type: str = "",
    axis_separators: Sequence[Any] | None = None,
    span: Any = None,
    layout: Any = None,
) -> _sunmao.Buffer:
    """Makes a buffer, with a data pointer of its own unless `data` is given."""
    refuse("Buffer", layout=layout, buffer_type="" if buffer_type == "default" else buffer_type)
    extents = loop_scalars(shape if isinstance(shape, list | tuple) else [shape])
    element = dtype_name(dtype) or "float32"
    memory = scope or (data.pointee[1] if isinstance(data, _sunmao.SymVar) else "") or "global"
    offset = None if elem_offset is None or elem_offset == 0 else loop_scalar(elem_offset)
    if offset_factor and offset is None:
        offset = make.sym_var(f"{name}_elem_offset", extents[0].dtype if extents else "int32")
    return make.buffer(
        name, element, extents,
        strides=loop_scalars(strides or []),
        elem_offset=offset,
        scope=memory,
        align=data_alignment if data_alignment > 0 else 64,
        offset_factor=0 if offset_factor == 1 else offset_factor,
        axis_separators=[int(item) for item in axis_separators or []],
        data=data if data is not None else make.handle(name, element, memory),
        span=native_span(span),
    )  # fmt: skip


class Buffer(metaclass=Facade, native=_sunmao.Buffer):
    """A buffer: memory with a shape."""

    make = staticmethod(decl_buffer)


def is_buffer_var(value: object) -> bool:
    """Returns whether the value is a buffer."""
    return isinstance(value, _sunmao.Buffer)


@dataclass(frozen=True, eq=False)
class BufferRegion:
    """A rectangular region of a buffer."""

    buffer: _sunmao.Buffer
    region: Sequence[Range]

    def native(self) -> Region:
        return self.buffer, [side.native() for side in self.region]

    def __sunmao_block__(self) -> _sunmao.Stmt:
        """Returns a block that reads the region; equal regions have equal blocks."""
        return make.sblock("", [], [self.native()], [], make.evaluate(make.int_imm("int32", 0)))

    def script(self, **options: Any) -> str:
        return _sunmao.script_of_region(self.native(), print_options(options))

    def same_as(self, other: object) -> bool:
        return self is other

    __repr__ = script


@dataclass(frozen=True, eq=False)
class MatchBufferRegion:
    """A buffer that is a view of a region of another one."""

    buffer: _sunmao.Buffer
    source: BufferRegion

    def native(self) -> tuple[_sunmao.Buffer, Region]:
        return self.buffer, self.source.native()

    def __sunmao_block__(self) -> _sunmao.Stmt:
        """Returns a block with the view; equal views have equal blocks."""
        nothing = make.evaluate(make.int_imm("int32", 0))
        return make.sblock("", [], [], [], nothing, match_buffers=[self.native()])

    def script(self, **options: Any) -> str:
        return _sunmao.script_of_view(self.native(), print_options(options))

    def same_as(self, other: object) -> bool:
        return self is other

    __repr__ = script


def region_of(native: Region) -> BufferRegion:
    return BufferRegion(native[0], Array(Range.from_min_extent(low, extent) for low, extent in native[1]))


def as_region(value: Any) -> BufferRegion:
    """Converts a buffer or an element of one to a region."""
    if isinstance(value, BufferRegion):
        return value
    if isinstance(value, _sunmao.Buffer):
        whole = [Range.from_min_extent(make.int_imm(extent.dtype, 0), extent) for extent in value.shape]
        return BufferRegion(value, Array(whole))
    if isinstance(value, _sunmao.BufferLoad):
        points = [Range.from_min_extent(at, make.int_imm(at.dtype, 1)) for at in value.indices]
        return BufferRegion(value.buffer, Array(points))
    raise fail("E0034", f"Cannot convert {value!r} to a region of a buffer")


class BufferLoad(metaclass=Facade, native=_sunmao.BufferLoad):
    """The element of a buffer at indices; several elements when the last index is a vector."""

    @staticmethod
    def make(buffer: _sunmao.Buffer, indices: Any, predicate: Any = None, span: Any = None) -> _sunmao.Scalar:
        return placed(make.buffer_load(buffer, loop_scalars(indices), predicate), span)


def _side(part: Any, extent: _sunmao.Scalar) -> Range:
    if not isinstance(part, slice):
        at = loop_scalar(part)
        return Range.from_min_extent(at, make.int_imm(at.dtype, 1))
    if part.step not in (None, 1):
        raise fail("E0034", "a region has no step")
    return Range(0 if part.start is None else part.start, extent if part.stop is None else part.stop)


def _vector(part: Any) -> Any:
    """Converts the slice `0:8:2` to a vector of indices."""
    if not isinstance(part, slice) or part.step is None:
        return part
    start, step = loop_scalar(part.start or 0), int(part.step)
    length = binary("sub", part.stop, start)
    return make.ramp(start, make.int_imm(start.dtype, step), binary("floordiv", binary("add", length, step - 1), step))


def _get(self: _sunmao.Buffer, indices: Any) -> Any:
    """Returns the element at the indices; with slices, a region."""
    parts = list(indices) if isinstance(indices, tuple | list) else [indices]
    if len(parts) > len(self.shape):
        raise IndexError(f"`{self.name}` has {len(self.shape)} dimensions, indexed with {len(parts)}")
    parts = [_vector(part) for part in parts]
    if any(isinstance(part, slice) for part in parts):
        sides = [_side(part, extent) for part, extent in zip(parts, self.shape, strict=False)]
        return BufferRegion(self, Array(sides))
    return make.buffer_load(self, loop_scalars(parts))


def _places(begin: Any, lanes: _sunmao.Scalar | None) -> list[_sunmao.Scalar]:
    at = loop_scalars(begin if isinstance(begin, list | tuple) else [begin])
    if lanes is not None and "x" not in at[-1].dtype:
        at[-1] = make.ramp(at[-1], make.int_imm(at[-1].dtype, 1), lanes)
    return at


def _vload(self: _sunmao.Buffer, begin: Any, dtype: Any = None, predicate: Any = None) -> _sunmao.Scalar:
    """Loads as many consecutive elements as `dtype` has lanes, from `begin` on."""
    lanes = vector_length(dtype_name(dtype)) if dtype is not None else None
    return make.buffer_load(self, _places(begin, lanes), predicate)


def _vstore(self: _sunmao.Buffer, begin: Any, value: Any, predicate: Any = None) -> _sunmao.Stmt:
    stored = loop_scalar(value, self.dtype)
    return make.buffer_store(self, stored, _places(begin, vector_length(stored.dtype)), predicate)


extend(
    _sunmao.Buffer,
    __getitem__=_get,
    vload=_vload,
    vstore=_vstore,
    ty=property(BufferType),
    same_as=lambda self, other: self is other,
    data_alignment=alias("align"),
    ndim=property(lambda self: len(self.shape)),
    span=span_property(_sunmao.Buffer),
)
_scope: Any = _sunmao.Buffer.scope.__get__


class _Scope(str):
    """The memory scope as a string that can also be called, as in upstream's `buffer.scope()`."""

    __slots__ = ()

    def __call__(self) -> str:
        return str(self)


extend(_sunmao.Buffer, scope=property(lambda self: _Scope(_scope(self))))

__getattr__ = attribute_of(__name__)
