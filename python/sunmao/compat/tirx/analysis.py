"""Checks of loop-level functions."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.missing import attribute_of


def verify_well_formed(obj: Any, assert_mode: bool = True) -> bool:
    """Returns whether a loop-level function or a module is well formed; with `assert_mode` a violation is an error."""
    # A later import, since that package imports this one.
    from sunmao.compat.relax.analysis import check_well_formed, well_formed

    module = _sunmao.Module().with_function("main", obj) if isinstance(obj, _sunmao.PrimFunc) else obj
    return well_formed(module) if assert_mode else check_well_formed(module)


__getattr__ = attribute_of(__name__)
