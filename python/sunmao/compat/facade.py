"""Classes under upstream's names for classes of the extension: their constructors and instance checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao.compat.checked import check_arguments
from sunmao.errors import fail


class Facade(type):
    """Metaclass: instances of the class are those of `native` for which `when` holds, and calling the class calls its
    `make`. Example: `class Var(metaclass=Facade, native=_sunmao.Var)`."""

    _native: tuple[type, ...]
    _when: Callable[[Any], bool] | None

    def __new__(
        mcs,
        name: str,
        bases: tuple[type, ...],
        members: dict[str, Any],
        **_read_by_init: Any,
    ) -> Facade:
        return super().__new__(mcs, name, bases, members)

    def __init__(
        cls,
        name: str,
        bases: tuple[type, ...],
        members: dict[str, Any],
        native: type | tuple[type, ...] = (),
        when: Callable[[Any], bool] | None = None,
    ) -> None:
        super().__init__(name, bases, members)
        cls._native = native if isinstance(native, tuple) else (native,)
        cls._when = staticmethod(when) if when else None

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, cls._native) and (cls._when is None or cls._when(value))

    def __subclasscheck__(cls, other: type) -> bool:
        if isinstance(other, Facade):
            return cls in other.__mro__ or all(issubclass(native, cls._native) for native in other._native)
        return issubclass(other, cls._native)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        make = cls.__dict__.get("make")
        if make is None:
            raise TypeError(f"{cls.__name__} is made by no constructor of its own")
        check_arguments(make.__func__, cls.__name__, args, kwargs)
        try:
            return make.__func__(*args, **kwargs)
        except TypeError as error:
            # nanobind raises a TypeError with this text, and not a subclass, when it cannot convert an argument, such
            # as a number that is too large.
            if type(error) is not TypeError or "incompatible function arguments" not in str(error):
                raise
            raise fail("E0034", f"{cls.__name__} cannot be made of these arguments") from error

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(cls._native[0], name)


def extend(native: type, **members: Any) -> None:
    """Adds members to a class of the extension, such as upstream's names for existing ones."""
    for name, member in members.items():
        setattr(native, name, member)


def alias(name: str) -> property:
    """Returns a property that reads another attribute."""
    return property(lambda self: getattr(self, name), doc=f"The same as `{name}`.")
