"""Containers of upstream's runtime: lists, maps and strings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sunmao import _sunmao


class Array(list[Any]):
    """A list that compares item by item with lists and tuples."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, list | tuple)
            and len(self) == len(other)
            and all(bool(a == b) for a, b in zip(self, other, strict=True))
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None

    def __add__(self, other: Iterable[Any]) -> Array:
        return Array([*self, *other])

    def __radd__(self, other: Iterable[Any]) -> Array:
        return Array([*other, *self])

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Array(found) if isinstance(index, slice) else found

    def same_as(self, other: object) -> bool:
        return self is other


class Map(dict[Any, Any]):
    """A dict."""

    def same_as(self, other: object) -> bool:
        return self is other


def convert(value: Any) -> Any:
    """Converts lists and dicts of the extension to Array and Map, and constants to tensors; returns other values
    unchanged."""
    if isinstance(value, _sunmao.Constant):
        return value.data
    if isinstance(value, list) and not isinstance(value, Array):
        return Array(convert(item) for item in value)
    if isinstance(value, dict) and not isinstance(value, Map):
        return Map({key: convert(item) for key, item in value.items()})
    if isinstance(value, _sunmao.DType):
        return str(value)
    return value
