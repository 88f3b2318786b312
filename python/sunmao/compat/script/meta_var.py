"""Values that stand for themselves while a script is read or a function is built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MetaVar:
    """A value of the host that makes no statement; a list of them unpacks."""

    value: Any

    def __iter__(self) -> Iterator[MetaVar]:
        return iter([MetaVar(item) for item in self.value])

    def __sunmao_value__(self) -> Any:
        return self.value


def meta_var(value: Any) -> MetaVar:
    return MetaVar(value)
