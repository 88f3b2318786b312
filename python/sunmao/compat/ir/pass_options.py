"""Options of passes by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sunmao.compat.ir.attrs import Attrs
from sunmao.errors import MissingApiError

_SPACES = ("relax", "tirx", "tir", "s_tir", "te", "ir", "sunmao", "testing")


def pass_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options as passes read them; E0030 for names that are no option's."""
    for name in given:
        space, dot, _ = str(name).partition(".")
        if not dot or space not in _SPACES:
            help = f"names begin with {', '.join(_SPACES)}, and a dot"
            raise MissingApiError("E0030", f"`{name}` is no option of a pass", help)
    return dict(given)


def native_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options in terms that the extension takes."""
    return {name: value.native() if isinstance(value, Attrs) else value for name, value in options.items()}
