"""Containers of modules and of parameters, whose items have names of their own."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from typing import Any, ClassVar, Generic, TypeVar

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.effect import Effect
from sunmao.compat.relax.frontend.nn.module import Module
from sunmao.compat.relax.frontend.nn.parameter import Parameter
from sunmao.errors import fail

Item = TypeVar("Item")


class _Container(Module):
    """Takes items of some classes."""

    _kinds: ClassVar[tuple[type, ...]]

    def _checked(self, item: Any) -> Any:
        if not isinstance(item, self._kinds):
            wanted = " and ".join(f"nn.{kind.__name__}" for kind in self._kinds)
            raise fail("E0034", f"{type(self).__name__} takes items of {wanted}, got a {type(item).__name__}")
        return item


@checked
class _ListOf(_Container, Generic[Item]):
    def __init__(self, items: Iterable[Item] | None = None) -> None:
        self._items: list[Item] = []
        self.extend(items or [])

    def _parts(self) -> Iterable[tuple[Any, Any]]:
        return enumerate(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __getitem__(self, index: int) -> Item:
        return self._items[index]

    def __setitem__(self, index: int, item: Item) -> None:
        self._items[index] = self._checked(item)

    def __len__(self) -> int:
        return len(self._items)

    def append(self, item: Item) -> None:
        self._items.append(self._checked(item))

    def extend(self, items: Iterable[Item]) -> None:
        for item in items:
            self.append(item)


@checked
class _DictOf(_Container, Generic[Item]):
    def __init__(self, items: Mapping[str, Item] | None = None) -> None:
        self._items: dict[str, Item] = {}
        self.update(items or {})

    def _parts(self) -> Iterable[tuple[Any, Any]]:
        return self._items.items()

    def __getitem__(self, key: str) -> Item:
        return self._items[key]

    def __setitem__(self, key: str, item: Item) -> None:
        if not isinstance(key, str):
            raise fail("E0034", f"{type(self).__name__} takes texts as keys, got a {type(key).__name__}")
        self._items[key] = self._checked(item)

    def __contains__(self, key: str) -> bool:
        return key in self._items

    def __len__(self) -> int:
        return len(self._items)

    def keys(self) -> KeysView[str]:
        return self._items.keys()

    def values(self) -> ValuesView[Item]:
        return self._items.values()

    def items(self) -> ItemsView[str, Item]:
        return self._items.items()

    def get(self, key: str, default: Item | None = None) -> Item | None:
        return self._items.get(key, default)

    def update(self, items: Mapping[str, Item]) -> None:
        for key, item in items.items():
            self[key] = item

    def pop(self, key: str) -> Item:
        return self._items.pop(key)

    def clear(self) -> None:
        self._items.clear()


class ModuleList(_ListOf[Module]):
    """Modules by number. Called, each takes what the one before it gives."""

    _kinds = (Module, Effect)

    @property
    def modules(self) -> list[Module]:
        return self._items

    def forward(self, x: Any) -> Any:
        for module in self._items:
            x = module(x)
        return x


class ModuleDict(_DictOf[Module]):
    """Modules by name. Iteration is over the modules."""

    _kinds = (Module, Effect)

    @property
    def modules(self) -> dict[str, Module]:
        return self._items

    def __iter__(self) -> Iterator[Module]:
        return iter(self._items.values())


class ParameterList(_ListOf[Parameter]):
    """Parameters by number."""

    _kinds = (Parameter,)

    @property
    def params(self) -> list[Parameter]:
        return self._items


class ParameterDict(_DictOf[Parameter]):
    """Parameters by name. Iteration is over the names."""

    _kinds = (Parameter,)

    @property
    def params(self) -> dict[str, Parameter]:
        return self._items

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)


__getattr__ = attribute_of(__name__)
