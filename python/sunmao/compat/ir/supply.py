"""Generation of unique names."""

from __future__ import annotations

from sunmao.compat.missing import attribute_of


class UniqueNameSupply:
    """Returns unique names: the requested one, or one with a numeric suffix when it is taken."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._taken: set[str] = set()

    def fresh_name(self, name: str, add_prefix: bool = True, add_underscore: bool = True) -> str:
        wanted = self._with_prefix(name or "v", add_prefix)
        found, number = wanted, 0
        while found in self._taken:
            number += 1
            found = f"{wanted}_{number}" if add_underscore else f"{wanted}{number}"
        self._taken.add(found)
        return found

    def reserve_name(self, name: str, add_prefix: bool = True) -> str:
        wanted = self._with_prefix(name, add_prefix)
        self._taken.add(wanted)
        return wanted

    def contains_name(self, name: str, add_prefix: bool = True) -> bool:
        return self._with_prefix(name, add_prefix) in self._taken

    def _with_prefix(self, name: str, add_prefix: bool) -> str:
        return f"{self._prefix}_{name}" if add_prefix and self._prefix else name


NameSupply = UniqueNameSupply

__getattr__ = attribute_of(__name__)
