"""Registry of the patterns that backends can compile, by names such as `npu.conv2d`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.transform.partition import FusionPattern
from sunmao.errors import fail

# Registered patterns by name, in the order of registration.
_patterns: dict[str, FusionPattern] = {}


@checked
def register_patterns(patterns: Sequence[Any]) -> None:
    """Registers patterns, each a `FusionPattern` or the arguments of one, `(name, pattern, …)`. A pattern replaces an
    earlier one of the same name."""
    found = []
    for given in patterns:
        if not isinstance(given, tuple | FusionPattern):
            raise fail("E0034", f"a pattern is a FusionPattern or a tuple (name, pattern, …), got {given!r}")
        found.append(FusionPattern(*given) if isinstance(given, tuple) else given)
    for pattern in found:
        _patterns.pop(pattern.name, None)
        _patterns[pattern.name] = pattern


@checked
def get_pattern(name: str) -> FusionPattern | None:
    """Returns the pattern of this name, or None."""
    return _patterns.get(name)


@checked
def get_patterns_with_prefix(prefix: str) -> list[FusionPattern]:
    """Returns the patterns whose names begin with `prefix`, the last registered first, since later patterns take
    precedence."""
    return [pattern for name, pattern in reversed(_patterns.items()) if name.startswith(prefix)]


__getattr__ = attribute_of(__name__)
