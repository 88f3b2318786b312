"""Types, and the marker for an unknown type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dims, dtype_name, known_type, scalar, shape
from sunmao.compat.facade import Facade, alias, extend
from sunmao.compat.ir.container import Array
from sunmao.compat.missing import refuse
from sunmao.compat.spans import native_span, span_property
from sunmao.errors import fail


class Missing:
    """The type of an expression whose type is not yet known."""

    def is_missing(self) -> bool:
        return True

    def same_as(self, other: object) -> bool:
        return self is other

    def __sunmao_type__(self) -> None:
        return None

    def __repr__(self) -> str:
        return "Type.missing()"


MISSING = Missing()


class Type(metaclass=Facade, native=(_sunmao.Type, Missing)):
    """Base class of types."""

    @staticmethod
    def missing() -> Missing:
        return MISSING


class AnyType(metaclass=Facade, native=_sunmao.AnyType):
    """The type of any value."""

    @staticmethod
    def make(span: Any = None) -> _sunmao.Type:
        return make.any_type(native_span(span))


class PrimType(metaclass=Facade, native=_sunmao.PrimType):
    """The type of a scalar, with its dtype or its known value."""

    @staticmethod
    def make(dtype: Any = None, value: Any = None, span: Any = None) -> _sunmao.Type:
        if dtype_name(dtype) in ("handle", "void"):
            raise fail("E0034", "a handle is no scalar type; upstream's word is PointerType::VoidPointerTy")
        if value is not None:
            return make.prim_type_of(scalar(value, dtype_name(dtype) or None), native_span(span))
        return make.prim_type(dtype_name(dtype), native_span(span))


class ShapeType(metaclass=Facade, native=_sunmao.ShapeType):
    """The type of a shape, with its values or only its rank."""

    @staticmethod
    def make(values: Sequence[Any] | None = None, ndim: int = -1, span: Any = None) -> _sunmao.Type:
        if values is None:
            return make.unknown_shape_type(ndim, native_span(span))
        if ndim != -1:
            raise fail("E0034", "a shape type takes its values or their number, not both")
        return make.shape_type(dims(values), native_span(span))


class TensorType(metaclass=Facade, native=_sunmao.TensorType):
    """The type of a tensor. Shape and dtype may be unknown."""

    @staticmethod
    def make(
        shape_: Any = None, dtype: Any = "float32", vdevice: Any = None, ndim: int = -1, span: Any = None, **named: Any
    ) -> _sunmao.Type:
        given = named.pop("shape", shape_)
        if named:
            raise fail("E0034", f"TensorType has no argument {', '.join(named)}")
        device = vdevice_of(vdevice)
        if ndim is not None and ndim < -1:
            raise fail("E0034", f"a tensor has 0 dimensions or more, or -1 for an unknown number, got {ndim}")
        if given is None:
            return make.tensor_type(None, dtype_name(dtype), ndim, device, native_span(span))
        if isinstance(given, str):
            raise fail("E0034", f"a shape is a list of dimensions, got {given!r}")
        if ndim not in (-1, None):
            raise fail("E0034", "a tensor type takes a shape or the number of dimensions, not both")
        return make.tensor_type(shape(given), dtype_name(dtype), -1, device, native_span(span))


class TupleType(metaclass=Facade, native=_sunmao.TupleType):
    """A tuple."""

    @staticmethod
    def make(fields: Sequence[Any] = (), span: Any = None) -> _sunmao.Type:
        return make.tuple_type([known_type(field) for field in fields], native_span(span))


class FuncType(metaclass=Facade, native=_sunmao.CallableType):
    """The type of a function: parameters and result; only the result for an opaque function."""

    @staticmethod
    def make(params: Sequence[Any], ret: Any = None, purity: bool = True, span: Any = None) -> _sunmao.Type:
        return make.callable_type([known_type(p) for p in params], _result(ret), purity, native_span(span))

    @staticmethod
    def opaque_func(
        *, ret: Any = None, derive_func: Any = None, purity: bool = False, span: Any = None
    ) -> _sunmao.Type:
        refuse("FuncType.opaque_func", derive_func=derive_func)
        return make.callable_type(None, _result(ret), purity, native_span(span))


def PackedFuncType() -> _sunmao.Type:
    """The type of a function of which nothing else is known."""
    return make.callable_type(None, make.any_type(), False)


def _result(ret: Any) -> _sunmao.Type:
    return make.any_type() if ret is None else known_type(ret)


def vdevice_of(value: Any) -> _sunmao.VDevice | None:
    """Returns the virtual device for None, a VDevice, or text such as `llvm:0`."""
    if value is None or isinstance(value, _sunmao.VDevice):
        return value
    if isinstance(value, str):
        kind, _, number = value.partition(":")
        return make.vdevice(kind, int(number or 0), "global")
    raise fail("E0034", f"Cannot convert {value!r} to a virtual device")


_SUBSUMED = 3  # what base_check says where nothing is open


def is_base_of(self: _sunmao.Type, derived: _sunmao.Type) -> bool:
    """Returns whether every value of type `derived` is a value of this type."""
    return _sunmao.structural_equal(self, derived) or _sunmao.base_check(self, derived) == _SUBSUMED


def _same_as(self: Any, other: object) -> bool:
    """Returns whether both are one object."""
    return self is other


def _is_missing(_self: Any) -> bool:
    """Returns whether this stands for a type that is not yet known."""
    return False


def _same_type(self: _sunmao.Type, other: object) -> Any:
    """Returns whether two types are structurally equal."""
    if isinstance(other, _sunmao.Type):
        return self is other or _sunmao.structural_equal(self, other)
    if isinstance(self, _sunmao.PrimType) and isinstance(other, str):
        return self.value is None and self.dtype == other
    return NotImplemented


extend(
    _sunmao.Type,
    same_as=_same_as,
    is_missing=_is_missing,
    is_base_of=is_base_of,
    span=span_property(_sunmao.Type),
    __eq__=_same_type,
    __hash__=lambda self: int(_sunmao.structural_hash(self) & 0x7FFFFFFFFFFFFFFF),
)
extend(
    _sunmao.CallableType,
    ret=alias("result"),
    purity=alias("is_pure"),
    derive_func=None,
    arg_types=property(lambda self: Array(self.params or [])),
    ret_type=alias("result"),
    is_opaque=lambda self: self.params is None,
)
_fields: Callable[[Any], list[_sunmao.Type]] = _sunmao.TupleType.fields.__get__
extend(_sunmao.TupleType, fields=property(lambda self: Array(_fields(self))))
_values: Callable[[Any], list[_sunmao.Scalar] | None] = _sunmao.ShapeType.values.__get__


def _shape_values(self: _sunmao.ShapeType) -> Array | None:
    values = _values(self)
    return None if values is None else Array(values)


extend(_sunmao.ShapeType, values=property(_shape_values))

__all__ = [
    "AnyType",
    "FuncType",
    "MISSING",
    "PackedFuncType",
    "PrimType",
    "ShapeType",
    "TensorType",
    "TupleType",
    "Type",
]
