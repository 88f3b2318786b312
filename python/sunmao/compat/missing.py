"""What the mirrored API says of names that are not there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from sunmao.errors import Error, MissingApiError, fail

OWN = "sunmao.compat"
UPSTREAM = "tvm"


def upstream_name(module: str) -> str:
    """`tvm.relax` of `sunmao.compat.relax`."""
    return UPSTREAM + module.removeprefix(OWN) if module == OWN or module.startswith(OWN + ".") else module


def missing_attribute(owner: str, name: str) -> MissingApiError:
    return MissingApiError(
        "E0030",
        f"`{owner}` has no `{name}` here",
        "`sunmao explain E0030` says what of upstream's API there is, and what to do without it",
    )


def attribute_of(module: str, find: Callable[[str], Any] | None = None) -> Callable[[str], Any]:
    """A module's `__getattr__`: what `find` knows, else E0030."""

    def attribute(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = find(name) if find else None
        if found is None:
            raise missing_attribute(upstream_name(module), name)
        return found

    return attribute


def unsupported(what: str, help: str = "") -> Error:
    """An API that is there, used in a way that it does not serve."""
    return fail("E0032", f"{what} is not supported", help)


def refuse(what: str, **given: Any) -> None | NoReturn:
    """Fails when one of the arguments is not at the value that changes nothing (None, False, empty)."""
    for name, value in given.items():
        if value:
            raise unsupported(f"{what}: `{name}={value!r}`", "leave the argument out")
    return None
