"""Checks of arguments against a function's annotations: a wrong argument is reported by its name (E0034)."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from sunmao.errors import fail

T = TypeVar("T", bound=Callable[..., Any])
Check = Callable[[Any], bool]
_NUMBERS: dict[type, tuple[type, ...]] = {
    int: (int, np.integer),
    float: (int, float, np.number),
    bool: (bool, np.bool_, int, np.integer),
}
_SPECIAL = ("__init__", "__call__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__or__")
_FUNCTION: Any = Callable
_LISTS = (list, tuple, set, Sequence, Iterable)


def checked(target: T) -> T:
    """Returns the function, or the class with its constructor and public methods, with checks of the arguments. Checked
    are numbers, texts, lists and their items, mappings, functions and classes."""
    if not isinstance(target, type):
        return typing.cast(T, _checked_function(target))
    for name, member in list(vars(target).items()):
        if name not in _SPECIAL and name.startswith("_"):
            continue
        if isinstance(member, types.FunctionType):
            setattr(target, name, _checked_function(member, f"{target.__name__}.{name}"))
        elif isinstance(member, staticmethod):
            inner = _checked_function(member.__func__, f"{target.__name__}.{name}")
            setattr(target, name, staticmethod(inner))
    return target


def _checked_function(function: Callable[..., Any], shown: str | None = None) -> Callable[..., Any]:
    called = (shown or function.__qualname__).removesuffix(".__init__")

    stated = {hint for name, hint in function.__annotations__.items() if name != "return"}
    if stated <= {"Any", Any}:
        return function

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        check_arguments(function, called, args, kwargs)
        return function(*args, **kwargs)

    return call


def check_arguments(
    function: Callable[..., Any], called: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> None:
    """Fails (E0034) for the first argument that does not match its annotation."""
    by_place, by_name = _checks(function)
    for value, (name, check, expected) in zip(args, by_place, strict=False):
        if check is not None and not check(value):
            raise _wrong(called, name, expected, value)
    for name, value in kwargs.items():
        check, expected = by_name.get(name, (None, ""))
        if check is not None and not check(value):
            raise _wrong(called, name, expected, value)


def _wrong(called: str, name: str, expected: str, value: Any) -> Exception:
    shown = repr(value)
    shown = shown if len(shown) <= 60 and "\n" not in shown else ""
    got = type(value).__name__ + (f" ({shown})" if shown and value is not None else "")
    return fail("E0034", f"{called}: `{name}` takes {expected}, got {got}")


Named = tuple[str, "Check | None", str]


@functools.cache
def _checks(function: Callable[..., Any]) -> tuple[tuple[Named, ...], dict[str, tuple[Check | None, str]]]:
    """Returns the checks by position and by name. Annotations that cannot be evaluated are not checked."""
    try:
        hints = typing.get_type_hints(function)
    except (NameError, TypeError, AttributeError):
        hints = {}
    by_place: list[Named] = []
    by_name: dict[str, tuple[Check | None, str]] = {}
    for p in inspect.signature(function).parameters.values():
        check = _check_of(hints[p.name]) if p.name in hints else None
        if check is not None and p.default is None:
            check = _either([_is_none, check])
        expected = str(p.annotation).replace("_sunmao.", "").replace("[Any]", "").replace("[str, Any]", "")
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            by_place.append((p.name, check, expected))
        if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD):
            by_name[p.name] = (check, expected)
        elif p.kind == p.VAR_POSITIONAL:
            break
    return tuple(by_place), by_name


def _is_none(value: Any) -> bool:
    return value is None


def _either(checks: list[Check]) -> Check:
    return lambda value: any(check(value) for check in checks)


def _is_list(value: Any) -> bool:
    return hasattr(value, "__iter__") and not isinstance(value, str | bytes)


def _list_of(items: tuple[Any, ...]) -> Check:
    """Returns the check for a list with items that match. Items of iterators are not checked."""
    check = _check_of(items[0]) if len(items) == 1 else None
    if check is None:
        return _is_list
    return lambda value: _is_list(value) and (not isinstance(value, list | tuple) or all(map(check, value)))


def _is_mapping(value: Any) -> bool:
    return hasattr(value, "items") and hasattr(value, "keys")


def _check_of(hint: Any) -> Check | None:
    """Returns the check for an annotation; None when any value matches."""
    origin = typing.get_origin(hint) or hint
    if origin in (typing.Union, types.UnionType):
        found = [_check_of(part) for part in typing.get_args(hint)]
        return None if any(check is None for check in found) else _either([check for check in found if check])
    if hint is None or hint is type(None):
        return _is_none
    if hint in (Any, object) or not isinstance(origin, type):
        return None
    if origin in _NUMBERS:
        return lambda value: isinstance(value, _NUMBERS[origin])
    if issubclass(origin, Mapping) or origin is dict:
        return _is_mapping
    if origin in _LISTS:
        return _list_of(typing.get_args(hint))
    if origin is _FUNCTION:
        return callable
    return lambda value: isinstance(value, origin) or hasattr(value, "__sunmao_value__")
