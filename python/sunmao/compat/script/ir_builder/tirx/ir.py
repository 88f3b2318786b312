"""Loop-level functions, loops, blocks and statements under construction."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name, known_type
from sunmao.compat.missing import attribute_of, refuse
from sunmao.compat.script.ir_builder.base import IRBuilder
from sunmao.compat.script.ir_builder.tirx import axis as axis
from sunmao.compat.script.ir_builder.tirx.frame import (
    CaseFrame,
    ForFrame,
    IfFrame,
    PrimFuncFrame,
    SBlockFrame,
    SBlockInitFrame,
    SiblingsFrame,
    WrapFrame,
    add,
    find,
    span,
)
from sunmao.compat.script.meta_var import meta_var as meta_var
from sunmao.compat.tirx import stmt
from sunmao.compat.tirx.buffer import BufferRegion, MatchBufferRegion, as_region
from sunmao.compat.tirx.buffer import decl_buffer as declare
from sunmao.compat.tirx.iter_var import ThreadAxis
from sunmao.compat.tirx.operators import binary, loop_scalar


def prim_func(is_private: bool = False, s_tir: bool = False, *, private: bool = False) -> PrimFuncFrame:
    return PrimFuncFrame(is_private or private, s_tir)


def _function(word: str) -> PrimFuncFrame:
    found: PrimFuncFrame = find(PrimFuncFrame, word)
    return found


def arg(name: str, obj: Any) -> Any:
    """Adds a parameter: a scalar, a handle or a buffer."""
    _function("T.arg").params.append(obj)
    return IRBuilder.name(name, obj)


def func_name(name: str) -> None:
    _function("T.func_name").name = name


def func_attr(attrs: Mapping[str, Any]) -> None:
    _function("T.func_attr").attrs.update(attrs)


def func_ret(ret_type: Any) -> Any:
    _function("T.func_ret").ret_type = known_type(ret_type)
    return ret_type


def match_buffer(param: Any, shape: Any = None, dtype: Any = None, **options: Any) -> _sunmao.Buffer:
    """Declares the buffer of a handle parameter, or a view of a region of another buffer."""
    if isinstance(param, _sunmao.SymVar):
        function = _function("T.match_buffer")
        if not any(param is known for known in function.params):
            raise ValueError(f"`{param.name}` is no parameter of the function")
        buffer = declare(shape, dtype, **options)
        function.buffers[param] = buffer
        return buffer
    source: BufferRegion = as_region(param)
    extents = [side.extent for side in source.region] if shape is None else shape
    buffer = declare(extents, dtype or source.buffer.dtype, **options)
    find(SBlockFrame, "T.match_buffer").match_buffers.append(MatchBufferRegion(buffer, source))
    return buffer


def sblock(name: str = "", no_realize: bool = False, exec_scope: str = "") -> SBlockFrame:
    refuse("T.sblock", exec_scope=exec_scope)
    return SBlockFrame(name, no_realize)


def init() -> SBlockInitFrame:
    return SBlockInitFrame()


def where(predicate: Any) -> None:
    find(SBlockFrame, "T.where").predicate = loop_scalar(predicate)


def _regions(parts: tuple[Any, ...]) -> list[BufferRegion]:
    return [as_region(item) for part in parts for item in (part if isinstance(part, list | tuple) else [part])]


def reads(*regions: Any) -> None:
    find(SBlockFrame, "T.reads").reads = _regions(regions)


def writes(*regions: Any) -> None:
    find(SBlockFrame, "T.writes").writes = _regions(regions)


def sblock_attr(attrs: Mapping[str, Any]) -> None:
    find(SBlockFrame, "T.sblock_attr").annotations.update(attrs)


def sblock_alloc_buffer(shape: Any, dtype: Any = "float32", **options: Any) -> _sunmao.Buffer:
    """Allocates a buffer in the block, or in the function outside of blocks."""
    buffer = declare(shape, dtype, **options)
    owner = IRBuilder.current().find_frame(SBlockFrame) or _function("T.sblock_alloc_buffer")
    owner.alloc_buffers.append(buffer)
    return buffer


def alloc_buffer(shape: Any, dtype: Any = "float32", annotations: Any = None, **options: Any) -> _sunmao.Buffer:
    """Allocates a buffer for the statements that follow."""
    buffer = declare(shape, dtype, **options)
    add(stmt.AllocBuffer.make(buffer, None, annotations, span()))
    return buffer


def decl_buffer_(shape: Any, dtype: Any = "float32", data: Any = None, **options: Any) -> _sunmao.Buffer:
    """Declares a buffer on existing memory, or on memory of its own when none is given."""
    buffer = declare(shape, dtype, data=data, **options)
    add(make.alloc_buffer(buffer, None, {}, span()) if data is None else make.decl_buffer(buffer, None, span()))
    return buffer


def _loop(kind: str, start: Any, stop: Any, thread: str = "", annotations: Any = None) -> ForFrame:
    first, last = (0, start) if stop is None else (start, stop)
    end = loop_scalar(last, first.dtype if isinstance(first, _sunmao.Scalar) else None)
    begin = loop_scalar(first, end.dtype)
    var = make.sym_var("v", end.dtype)
    return ForFrame([var], [(begin, binary("sub", end, begin))], kind, thread, annotations)


def serial(start: Any, stop: Any = None, *, annotations: Any = None) -> ForFrame:
    return _loop("serial", start, stop, annotations=annotations)


def parallel(start: Any, stop: Any = None, *, annotations: Any = None) -> ForFrame:
    return _loop("parallel", start, stop, annotations=annotations)


def vectorized(start: Any, stop: Any = None, *, annotations: Any = None) -> ForFrame:
    return _loop("vectorized", start, stop, annotations=annotations)


def unroll(start: Any, stop: Any = None, *, annotations: Any = None) -> ForFrame:
    return _loop("unrolled", start, stop, annotations=annotations)


def thread_binding(start: Any, stop: Any = None, thread: Any = None, *, annotations: Any = None) -> ForFrame:
    if thread is None and isinstance(stop, str):
        stop, thread = None, stop
    if not isinstance(thread, str):
        raise ValueError("`T.thread_binding` needs a thread, such as `threadIdx.x`")
    return _loop("thread_binding", start, stop, thread, annotations)


def grid(*extents: Any) -> ForFrame:
    """Nested serial loops."""
    loops = [_loop("serial", *(extent if isinstance(extent, tuple) else (extent, None))) for extent in extents]
    return ForFrame([loop.vars[0] for loop in loops], [loop.doms[0] for loop in loops])


def evaluate(value: Any) -> None:
    add(stmt.Evaluate.make(value, span()))


def buffer_store(buffer: _sunmao.Buffer, value: Any, indices: Any, predicate: Any = None) -> None:
    add(stmt.BufferStore.make(buffer, value, indices, predicate, span()))


def bind(value: Any, type_annotation: Any = None, *, var: Any = None) -> _sunmao.SymVar:
    """Binds a value to a variable for the statements that follow."""
    name, bound = _bound(value, type_annotation, var)
    add(stmt.Bind.make(name, bound, None, span()))
    return name


def _bound(value: Any, annotation: Any, var: Any) -> tuple[_sunmao.SymVar, _sunmao.Scalar]:
    """Returns a variable and its value, converted to the requested dtype."""
    dtype = dtype_name(annotation)
    bound = loop_scalar(value, dtype or None)
    if dtype and bound.dtype != dtype:
        bound = make.cast(dtype, bound)
    return (make.sym_var("v", bound.dtype) if var is None else var), bound


def LetStmt(value: Any, type_annotation: Any = None, *, var: Any = None) -> WrapFrame:
    name, bound = _bound(value, type_annotation, var)
    return WrapFrame(lambda body: stmt.Bind.make(name, bound, body, span()), name)


def attr(node: Any, attr_key: str, value: Any) -> WrapFrame:
    return WrapFrame(lambda body: stmt.AttrStmt.make(node, attr_key, value, body, span()))


def Assert(condition: Any, message: Any, error_kind: str = "RuntimeError") -> SiblingsFrame:
    return SiblingsFrame(stmt.AssertStmt.make(condition, error_kind, message, span()))


def While(condition: Any) -> WrapFrame:
    held = loop_scalar(condition)
    return WrapFrame(lambda body: make.while_(held, body, span()))


def If(condition: Any) -> IfFrame:
    return IfFrame(loop_scalar(condition))


def Then() -> CaseFrame:
    return CaseFrame("then")


def Else() -> CaseFrame:
    return CaseFrame("else")


def env_thread(thread_tag: str, dtype: Any = "int32") -> _sunmao.SymVar:
    """Declares a device thread, to be launched."""
    var = make.sym_var("v", dtype_name(dtype))
    _function("T.env_thread").threads[var] = thread_tag
    return var


def launch_thread(thread: Any, extent: Any) -> WrapFrame:
    """Runs the statements inside in parallel threads; the `with` statement binds the thread index."""
    if isinstance(thread, str):
        count = loop_scalar(extent)
        var, tag = make.sym_var(thread.replace(".", "_"), count.dtype), thread
    else:
        count = loop_scalar(extent, thread.dtype)
        var, tag = thread, _function("T.launch_thread").threads[thread]
    axis_ = ThreadAxis(None, var, 1, tag)
    return WrapFrame(lambda body: stmt.AttrStmt.make(axis_, "thread_extent", count, body, span()), var)


__getattr__ = attribute_of(__name__)
