"""Meta variables: values of the host that scripts and builders use without emitting a binding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MetaVar:
    """A value of the host that emits no statement; a list of them can be unpacked."""

    value: Any

    def __iter__(self) -> Iterator[MetaVar]:
        return iter([MetaVar(item) for item in self.value])

    def __sunmao_value__(self) -> Any:
        return self.value


def meta_var(value: Any) -> MetaVar:
    return MetaVar(value)
