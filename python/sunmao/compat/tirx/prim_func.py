"""Construction and members of loop-level functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import attributes, known_type
from sunmao.compat.facade import Facade, extend
from sunmao.compat.ir.container import Array
from sunmao.compat.spans import native_span
from sunmao.errors import fail

Param = tuple[_sunmao.SymVar, _sunmao.Buffer | None]


def param(value: Any, buffers: Mapping[Any, _sunmao.Buffer] | None = None) -> Param:
    """Converts a parameter: a scalar, a buffer, or a handle with its buffer."""
    if isinstance(value, _sunmao.Buffer):
        return make.handle(f"{value.name}_handle", "", ""), value
    if not isinstance(value, _sunmao.SymVar):
        raise fail("E0034", "params can only contain Var or Buffer")
    found = [buffer for var, buffer in (buffers or {}).items() if var is value]
    return value, found[0] if found else None


class PrimFunc(metaclass=Facade, native=_sunmao.PrimFunc):
    """A loop-level function."""

    @staticmethod
    def make(
        params: Sequence[Any],
        body: _sunmao.Stmt,
        ret_type: Any = None,
        attrs: Any = None,
        span: Any = None,
        *,
        buffer_map: Mapping[Any, _sunmao.Buffer] | None = None,
    ) -> _sunmao.PrimFunc:
        result = None if ret_type is None else known_type(ret_type)
        return make.prim_func(
            [param(p, buffer_map) for p in params], body, result, attributes(attrs), native_span(span)
        )


def _params(self: _sunmao.PrimFunc) -> Array:
    found = list(_map(self).items())  # kept, so that the identities last
    buffers = {id(var): buffer for var, buffer in found}
    return Array(buffers.get(id(var), var) for var in _handles(self))


def _buffer_map(self: _sunmao.PrimFunc) -> dict[_sunmao.Buffer, _sunmao.Buffer]:
    """Returns the map from parameters to buffers, in which each buffer parameter is its own key."""
    return {buffer: buffer for buffer in _map(self).values()}


def _with_body(self: _sunmao.PrimFunc, new_body: _sunmao.Stmt, span: Any = None) -> _sunmao.PrimFunc:
    buffers = _map(self)
    params = [param(var, buffers) for var in _handles(self)]
    return make.prim_func(params, new_body, self.ret_type, self.attrs.native(), native_span(span))


def _attribute(self: _sunmao.PrimFunc, name: str) -> str:
    """Returns `__name__`: the global symbol, else the name of a stand-alone function."""
    if name == "__name__":
        return str(self.attrs.get("global_symbol", "main"))
    raise AttributeError(f"'PrimFunc' object has no attribute '{name}'")


_handles: Any = _sunmao.PrimFunc.params.__get__
_map: Any = _sunmao.PrimFunc.buffer_map.__get__
extend(
    _sunmao.PrimFunc,
    params=property(_params),
    buffer_map=property(_buffer_map),
    with_body=_with_body,
    __getattr__=_attribute,
)
