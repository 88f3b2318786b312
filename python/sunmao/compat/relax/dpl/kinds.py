"""The kinds of patterns, sequences of them, and constraints between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat import convert as c
from sunmao.compat.checked import checked
from sunmao.compat.facade import Facade, extend
from sunmao.compat.ir.attrs_class import Attrs
from sunmao.compat.missing import missing_attribute
from sunmao.compat.relax.dpl.context import PatternContext
from sunmao.errors import fail

ANY_INDEX = -1


def _is(kind: str) -> Any:
    return lambda pattern: pattern.kind == kind


class DFPattern(metaclass=Facade, native=_sunmao.Pattern):
    """Any pattern."""


class ExprPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("ExprPattern")):
    """Matches expressions that are structurally equal to `expr`."""

    @staticmethod
    def make(expr: Any) -> _sunmao.Pattern:
        return make.expr_pattern(c.expr(expr))


class VarPattern(
    DFPattern,
    metaclass=Facade,
    native=_sunmao.Pattern,
    when=lambda p: p.kind in ("VarPattern", "DataflowVarPattern"),
):
    """Matches variables, of the given name if there is one."""

    @staticmethod
    def make(name_hint: str = "") -> _sunmao.Pattern:
        return make.var_pattern(name_hint, False)


class DataflowVarPattern(VarPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("DataflowVarPattern")):
    """A dataflow variable."""

    @staticmethod
    def make(name_hint: str = "") -> _sunmao.Pattern:
        return make.var_pattern(name_hint, True)


class GlobalVarPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("GlobalVarPattern")):
    """A function of the module."""

    @staticmethod
    def make(name_hint: str = "") -> _sunmao.Pattern:
        return make.global_var_pattern(name_hint)


class ExternFuncPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("ExternFuncPattern")):
    """Matches functions that are looked up at run time."""

    @staticmethod
    def make(global_symbol: str = "") -> _sunmao.Pattern:
        return make.extern_pattern(global_symbol)


class ConstantPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("ConstantPattern")):
    """Matches constants."""

    @staticmethod
    def make() -> _sunmao.Pattern:
        return make.constant_pattern()


class CallPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("CallPattern")):
    """Matches calls. With `add_constraint` the argument patterns are constrained to be used by the call."""

    @staticmethod
    def make(
        op: _sunmao.Pattern,
        args: Sequence[_sunmao.Pattern],
        varg_default_wildcard: bool = False,
        add_constraint: bool = True,
    ) -> _sunmao.Pattern:
        call = make.call_pattern(op, list(args), varg_default_wildcard)
        if add_constraint:
            for index, arg in enumerate(args):
                _state_use(arg, call, index, False)
        return call


class FunctionPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("FunctionPattern")):
    """Matches functions with these parameters and this result."""

    @staticmethod
    def make(params: Sequence[_sunmao.Pattern], body: _sunmao.Pattern) -> _sunmao.Pattern:
        return make.function_pattern(list(params), body)


class TuplePattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("TuplePattern")):
    """Matches tuples with these fields."""

    @staticmethod
    def make(fields: Iterable[_sunmao.Pattern]) -> _sunmao.Pattern:
        return make.tuple_pattern(list(fields), True)


class UnorderedTuplePattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("UnorderedTuplePattern")):
    """Matches tuples with these fields in any order."""

    @staticmethod
    def make(fields: Iterable[_sunmao.Pattern]) -> _sunmao.Pattern:
        return make.tuple_pattern(list(fields), False)


class TupleGetItemPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("TupleGetItemPattern")):
    """Matches a field of a tuple; any field when no index is given."""

    @staticmethod
    def make(tuple_value: _sunmao.Pattern, index: int | None = None) -> _sunmao.Pattern:
        return make.tuple_item_pattern(tuple_value, ANY_INDEX if index is None else index)


class OrPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("OrPattern")):
    """Matches either of two patterns; the left one is tried first."""

    @staticmethod
    def make(left: _sunmao.Pattern, right: _sunmao.Pattern) -> _sunmao.Pattern:
        return make.or_pattern(left, right)


class AndPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("AndPattern")):
    """Matches both patterns."""

    @staticmethod
    def make(left: _sunmao.Pattern, right: _sunmao.Pattern) -> _sunmao.Pattern:
        return make.and_pattern(left, right)


class NotPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("NotPattern")):
    """Matches what the pattern does not match."""

    @staticmethod
    def make(to_reject: _sunmao.Pattern) -> _sunmao.Pattern:
        return make.not_pattern(to_reject)


class WildcardPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("WildcardPattern")):
    """Matches any expression."""

    @staticmethod
    def make() -> _sunmao.Pattern:
        return make.wildcard_pattern()


class TypePattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("TypePattern")):
    """Matches expressions of this type, whose symbols match any dimension."""

    @staticmethod
    def make(pattern: _sunmao.Pattern, ty: Any) -> _sunmao.Pattern:
        return make.type_pattern(pattern, c.known_type(ty))


class DataTypePattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("DataTypePattern")):
    """Matches expressions of this dtype."""

    @staticmethod
    def make(pattern: _sunmao.Pattern, dtype: Any) -> _sunmao.Pattern:
        return make.dtype_pattern(pattern, c.dtype_name(dtype))


class ShapePattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("ShapePattern")):
    """Matches tensors of this shape."""

    @staticmethod
    def make(pattern: _sunmao.Pattern, shape: Iterable[Any]) -> _sunmao.Pattern:
        return make.shape_pattern(pattern, c.scalars(shape))


class PrimArrPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("PrimArrPattern")):
    """Matches shape expressions with these dimensions."""

    @staticmethod
    def make(shape: Iterable[Any]) -> _sunmao.Pattern:
        return make.shape_value_pattern(c.scalars(shape))


class AttrPattern(DFPattern, metaclass=Facade, native=_sunmao.Pattern, when=_is("AttrPattern")):
    """Matches calls and functions that have at least these attributes."""

    @staticmethod
    def make(pattern: _sunmao.Pattern, attrs: Any) -> _sunmao.Pattern:
        values = attrs.native() if isinstance(attrs, Attrs) else c.attributes(attrs)
        return make.attr_pattern(pattern, values)


class DFConstraint:
    """A constraint between several patterns."""


class SameShapeConstraint(DFConstraint):
    """Constrains the matches of patterns to tensors of equal shape; added to the innermost context."""

    def __init__(self, *args: _sunmao.Pattern) -> None:
        self.args = args
        context = PatternContext.current()
        if context is not None:
            context.add_same_shape(list(args))


class PatternSeq:
    """A sequence of patterns, each used by the next one."""

    def __init__(self, patterns: Sequence[_sunmao.Pattern], only_use: bool = False) -> None:
        links = [(ANY_INDEX, only_use)] * (len(patterns) - 1)
        self._set(list(patterns), links)
        self._state(0)

    def _set(self, patterns: list[_sunmao.Pattern], links: list[tuple[int, bool]]) -> None:
        self.patterns = patterns
        self._links = links

    def _state(self, start: int) -> None:
        for i in range(start, len(self._links)):
            _state_use(self.patterns[i], self.patterns[i + 1], *self._links[i])

    def _then(self, other: Any, index: int, is_only: bool) -> PatternSeq:
        following = _sequence(other)
        chain = PatternSeq.__new__(PatternSeq)
        chain._set(self.patterns + following.patterns, [*self._links, (index, is_only), *following._links])
        _state_use(self.patterns[-1], following.patterns[0], index, is_only)
        return chain

    def used_by(self, other: Any, index: int = ANY_INDEX) -> PatternSeq:
        """Returns the sequence extended by a pattern that uses the last one."""
        return self._then(other, index, False)

    def only_used_by(self, other: Any, index: int = ANY_INDEX) -> PatternSeq:
        """Returns the sequence extended by a pattern that is the only user of the last one."""
        return self._then(other, index, True)

    def __getitem__(self, index: int) -> _sunmao.Pattern:
        return self.patterns[index]

    def __xor__(self, other: Any) -> PatternSeq:
        return self.used_by(other)

    def __rshift__(self, other: Any) -> PatternSeq:
        return self.only_used_by(other)

    def dup(self) -> PatternSeq:
        """Returns a sequence of fresh patterns with the same parts and constraints."""
        chain = PatternSeq.__new__(PatternSeq)
        chain._set([pattern.duplicate() for pattern in self.patterns], self._links)
        chain._state(0)
        return chain


def _sequence(value: Any) -> PatternSeq:
    return value if isinstance(value, PatternSeq) else PatternSeq([value])


def _state_use(producer: _sunmao.Pattern, consumer: _sunmao.Pattern, index: int, is_only: bool) -> None:
    context = PatternContext.current()
    if context is not None:
        context.add_use(_sunmao.PatternUse(producer, consumer, index, is_only))


@checked
def _match(
    self: _sunmao.Pattern, expr: Any, var2val: Mapping[_sunmao.Var, Any] | None = None
) -> dict[_sunmao.Pattern, Any] | None:
    return _sunmao.match_expr(self, c.expr(expr), dict(var2val or {}))


def _fork_to(self: _sunmao.Pattern, *args: Any) -> None:
    for consumer in args:
        _sequence(self).used_by(consumer)


def _has_shape(self: _sunmao.Pattern, shape: Any) -> _sunmao.Pattern:
    if isinstance(shape, str | int | float) or not isinstance(shape, Sequence):
        raise fail("E0034", "has_shape takes a list or tuple as input.")
    return make.shape_pattern(self, c.scalars(shape))


def _fields(self: _sunmao.Pattern) -> Any:
    fields = self.parts.get("fields")
    if fields is None:
        raise fail("E0034", f"a {self.kind} has no fields", "is_tuple makes a pattern that does")
    return fields


def _item(self: _sunmao.Pattern, index: int | None) -> Any:
    if self.kind == "PrimArrPattern":
        return self.parts["fields"][index]
    size = len(_fields(self))
    if index is None:
        return make.tuple_item_pattern(self, ANY_INDEX)
    if not -size <= index < size:
        raise IndexError(f"a pattern of {size} fields has no field {index}")
    return make.tuple_item_pattern(self, index % size)


def _attribute(self: _sunmao.Pattern, name: str) -> Any:
    parts = {} if name.startswith("__") else self.parts
    if name not in parts:
        if name.startswith("__"):
            raise AttributeError(name)
        raise missing_attribute(self.kind, name)
    return parts[name]


extend(
    _sunmao.Pattern,
    __call__=lambda self, *args, varg_default_wildcard=False, add_constraint=True: CallPattern(
        self, args, varg_default_wildcard, add_constraint
    ),
    __or__=lambda self, other: make.or_pattern(self, other),
    __and__=lambda self, other: make.and_pattern(self, other),
    __invert__=lambda self: make.not_pattern(self),
    __xor__=lambda self, other: _sequence(self).used_by(other),
    __rshift__=lambda self, other: _sequence(self).only_used_by(other),
    __getitem__=_item,
    __len__=lambda self: len(_fields(self)),
    __bool__=lambda _self: True,
    __getattr__=_attribute,
    has_attr=lambda self, attrs: AttrPattern(self, attrs),
    has_ty=lambda self, ty: TypePattern(self, ty),
    has_struct_info=lambda self, struct_info: TypePattern(self, struct_info),
    has_dtype=lambda self, dtype: DataTypePattern(self, dtype),
    has_shape=_has_shape,
    match=lambda self, expr, var2val=None: _match(self, expr, var2val) is not None,
    extract_matched_expr=_match,
    used_by=lambda self, other, index=ANY_INDEX: _sequence(self).used_by(other, index),
    only_used_by=lambda self, other, index=ANY_INDEX: _sequence(self).only_used_by(other, index),
    dup=lambda self: self.duplicate(),
    fork_to=_fork_to,
    same_shape_as=lambda self, *args: SameShapeConstraint(self, *args),
)
