"""Passes of the graph level, under upstream's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.compat.ir.transform import NamedPass, Pass
from sunmao.compat.missing import attribute_of, refuse

_BY_UPSTREAM_NAME = {row["compat_name"]: row["name"] for row in _sunmao.passes() if row["compat_name"]}


def LiftTransformParams(shared_transform: bool | Sequence[str] = False) -> Pass:
    """Moves what depends on weights alone into `<name>_transform_params`."""
    refuse("LiftTransformParams", shared_transform=shared_transform)
    return NamedPass("LiftTransformParams", _BY_UPSTREAM_NAME["LiftTransformParams"])


def _find(compat_name: str) -> Callable[..., Pass] | None:
    name = _BY_UPSTREAM_NAME.get(compat_name)
    if name is None:
        return None

    def make(*args: Any, **kwargs: Any) -> Pass:
        refuse(compat_name, **{f"argument {i}": value for i, value in enumerate(args)}, **kwargs)
        return NamedPass(compat_name, name)

    make.__name__ = compat_name
    return make


__getattr__ = attribute_of(__name__, _find)
