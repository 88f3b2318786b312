"""Errors for names that the mirrored API lacks."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NoReturn

from sunmao.errors import Error, MissingApiError, fail
from sunmao.upstream_names import OWN, UPSTREAM


def upstream_name(module: str) -> str:
    """Returns the upstream name of a module: `tvm.relax` for `sunmao.compat.relax`."""
    return UPSTREAM + module.removeprefix(OWN) if module == OWN or module.startswith(OWN + ".") else module


def missing_attribute(owner: str, name: str) -> MissingApiError:
    return MissingApiError(
        "E0030",
        f"`{owner}` has no `{name}` here",
        "`sunmao explain E0030` says what of upstream's API there is, and what to do without it",
    )


def attribute_of(module: str, find: Callable[[str], Any] | None = None) -> Callable[[str], Any]:
    """Returns a module's `__getattr__`, which returns what `find` knows and fails (E0030) for other names."""

    def attribute(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = find(name) if find else None
        if found is None:
            raise missing_attribute(upstream_name(module), name)
        return found

    return attribute


def at_first_use(package: str, *names: str) -> Callable[[str], Any]:
    """Returns what `attribute_of` finds modules of a package with that are loaded where a program asks for them."""
    return lambda name: importlib.import_module(f"{package}.{name}") if name in names else None


def unsupported(what: str, help: str = "") -> Error:
    """Returns the error (E0032) for an unsupported use of an existing API."""
    return fail("E0032", f"{what} is not supported", help)


def refuse(what: str, **given: Any) -> None | NoReturn:
    """Fails (E0032) when an argument has a value other than the one without effect (None, False, empty)."""
    for name, value in given.items():
        if value:
            raise unsupported(f"{what}: `{name}={value!r}`", "leave the argument out")
    return None
