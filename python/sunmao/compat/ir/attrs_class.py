"""Attributes of calls and functions: read like a dict, or by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.ir.container import convert


@checked
class Attrs(Mapping[str, Any]):
    """The attributes of one node; immutable."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_values", dict(values))

    def __getitem__(self, name: str) -> Any:
        return convert(self._values[name])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in self._values:
            known = ", ".join(self._values) or "none"
            raise AttributeError(f"there is no attribute `{name}`; there are: {known}")
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("attributes do not change; make another node with others")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def get_int(self, name: str) -> int:
        return int(self[name])

    def get_str(self, name: str) -> str:
        return str(self[name])

    def get_int_tuple(self, name: str) -> tuple[int, ...]:
        return tuple(int(item) for item in self[name])

    def native(self) -> dict[str, Any]:
        """Returns the values as the extension represents them."""
        return dict(self._values)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Attrs):
            return bool(self._values == other._values)
        return isinstance(other, Mapping) and dict(self) == dict(other)

    def __hash__(self) -> int:
        return hash(tuple(self._values))

    def __repr__(self) -> str:
        return repr(self._values)


DictAttrs = Attrs
