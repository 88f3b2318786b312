"""What is known of inputs, outputs and states of a compiled model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Dim:
    """A symbolic dimension, with the range of sizes that a run accepts."""

    symbol: str
    minimum: int
    maximum: int

    def __str__(self) -> str:
        return self.symbol


@dataclass(frozen=True)
class ValueInfo:
    """An input or an output of a function, or a state."""

    name: str
    dtype: str
    shape: tuple[int | Dim, ...]

    def __str__(self) -> str:
        dims = ", ".join(str(d) for d in self.shape)
        return f'{self.name}: Tensor(({dims}{"," if len(self.shape) == 1 else ""}), "{self.dtype}")'


def values_of(rows: Sequence[Mapping[str, Any]]) -> tuple[ValueInfo, ...]:
    return tuple(
        ValueInfo(row["name"], row["dtype"], tuple(d if isinstance(d, int) else Dim(*d) for d in row["dims"]))
        for row in rows
    )
