"""Combiners of reductions with their identity elements."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.print_options import print_options
from sunmao.compat.tirx.operators import loop_scalars
from sunmao.errors import fail


@dataclass(frozen=True, eq=False)
class CommReducer:
    """A combiner: `result` combines `lhs` and `rhs`; `identity_element` is the neutral element."""

    lhs: Sequence[_sunmao.SymVar]
    rhs: Sequence[_sunmao.SymVar]
    result: Sequence[_sunmao.Scalar]
    identity_element: Sequence[_sunmao.Scalar]

    def __sunmao_attribute__(self) -> dict[str, Any]:
        combiner = make.index_map([*self.lhs, *self.rhs], list(self.result))
        return {"combiner": combiner, "identity": list(self.identity_element)}

    def script(self, **options: Any) -> str:
        return _sunmao.script_of_value(self.__sunmao_attribute__(), print_options(options))

    def same_as(self, other: object) -> bool:
        return self is other

    __repr__ = script


def comm_reducer(combiner: Callable[..., Any], identity: Sequence[Any]) -> CommReducer:
    """Makes the combiner that a function of left operands followed by right operands computes."""
    neutral = loop_scalars(identity)
    names = list(inspect.signature(combiner).parameters)
    if len(names) != 2 * len(neutral):
        raise fail("E0034", f"{len(neutral)} values are reduced, the function has {len(names)} parameters")
    variables = [make.sym_var(name, neutral[i % len(neutral)].dtype) for i, name in enumerate(names)]
    found = combiner(*variables)
    results = loop_scalars(found if isinstance(found, list | tuple) else [found])
    return CommReducer(variables[: len(neutral)], variables[len(neutral) :], results, neutral)
