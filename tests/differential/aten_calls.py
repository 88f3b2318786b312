"""Functions that call one overload of ATen: for tables of cases whose keys are the overloads."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch_case import Case, T

Cases = dict[str, list[Case]]


def overload(target: str) -> Callable[..., Any]:
    """Returns the op of a name such as "aten.add.Tensor"."""
    return operator.attrgetter(target)(torch.ops)  # type: ignore[no-any-return]


def call(target: str, *rest: Any, **options: Any) -> Callable[..., Any]:
    """Returns a function of the leading tensors of an overload."""
    op = overload(target)
    return lambda *tensors: op(*tensors, *rest, **options)


def written(target: str, *rest: Any, **options: Any) -> Callable[..., Any]:
    """Returns a function that applies an overload in place to a new tensor, of which a view is read after."""
    op = overload(target)

    def run(first: torch.Tensor, *tensors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        copy = first * 1 if first.dtype != torch.bool else first.logical_not()
        view = copy.unsqueeze(0)
        op(copy, *tensors, *rest, **options)
        return copy, view

    return run


def add(cases: Cases, target: str, args: Iterable[T], *rest: Any, **options: Any) -> None:
    """Adds a case of an overload on tensors, other arguments, and options."""
    cases.setdefault(target, []).append(Case(call(target, *rest, **options), *args))


def add_pair(cases: Cases, target: str, args: Iterable[T], *rest: Any, **options: Any) -> None:
    """Adds a case of an overload, and of the one in place: `aten.add_.Tensor` for `aten.add.Tensor`."""
    specs = list(args)
    add(cases, target, specs, *rest, **options)
    namespace, op, name = target.split(".")
    in_place = f"{namespace}.{op}_.{name}"
    cases.setdefault(in_place, []).append(Case(written(in_place, *rest, **options), *specs))


def view_case(op: Callable[..., torch.Tensor], *args: T) -> Case:
    """Returns a case that writes to a view and to its base, and reads both."""

    def write(x: torch.Tensor, *others: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        base = x.clone()
        part = op(base, *others)
        part.mul_(2)
        base.add_(1)
        return base, part

    return Case(write, *args)
