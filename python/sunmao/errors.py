"""Exceptions: one class for each family of error codes, all derived from `sunmao.Error`. Each class also derives from
the matching built-in exception, so that `except ValueError` and the like work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict


class Place(TypedDict):
    """A source location: a line of a text (counted from 1), or a labelled part of a model file."""

    file: str
    line: int
    column: int
    label: str


class Diagnostic(TypedDict):
    """One diagnostic. `text` is its rendered form."""

    code: str
    message: str
    help: str
    notes: list[str]
    span: Place | None
    text: str


class Error(Exception):
    """A user error: `code` has a page in docs/errors/, `help` says what to do, `diagnostics` lists all findings."""

    def __init__(
        self,
        code: str,
        message: str,
        help: str = "",
        span: Place | None = None,
        diagnostics: Sequence[Diagnostic] = (),
    ) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message
        self.help = help
        self.span = span
        self.diagnostics = list(diagnostics)

    def __str__(self) -> str:
        if self.diagnostics:
            return "\n".join(d["text"].rstrip("\n") for d in self.diagnostics)
        return f"error[{self.code}]: {self.message}" + (f"\n  help: {self.help}" if self.help else "")


class UsageError(Error, ValueError, TypeError):
    """E00xx: an invalid call or option."""


class MissingApiError(UsageError, AttributeError):
    """E0030: a name that the mirrored API lacks."""


class MissingModuleError(UsageError, ModuleNotFoundError):
    """E0031: a module that the mirrored API lacks."""


class ScriptError(Error, ValueError, TypeError, RuntimeError):
    """E01xx: an error in a script."""


class OpError(Error, ValueError, TypeError):
    """E02xx: an error in the arguments of an op."""


class ShapeError(Error, ValueError, TypeError, RuntimeError):
    """E03xx: an error in shapes or types."""


class VerifyError(Error, ValueError, RuntimeError):
    """E04xx: a module that is not well formed."""


class PassError(Error, ValueError, RuntimeError):
    """E05xx: an error of a pass or of compilation."""


class AssertionFailed(PassError, AssertionError):
    """E0545: an assertion of the program that does not hold."""


class ModelError(Error, ValueError):
    """E06xx and E07xx: an error in a model file."""


class FileError(Error, ValueError, RuntimeError):
    """E08xx: an error in archives, weights or artifacts."""


class RunError(Error, ValueError, RuntimeError):
    """E09xx: an error of a run, such as an input that does not fit."""


class CodegenError(Error, RuntimeError):
    """E10xx: an error of code generation."""


class InternalError(RuntimeError):
    """An internal error, that is, a bug in Sunmao."""


_SINGLE: dict[str, type[Error]] = {"E0545": AssertionFailed}
_FAMILIES: dict[str, type[Error]] = {
    "E00": UsageError,
    "E01": ScriptError,
    "E02": OpError,
    "E03": ShapeError,
    "E04": VerifyError,
    "E05": PassError,
    "E06": ModelError,
    "E07": ModelError,
    "E08": FileError,
    "E09": RunError,
    "E10": CodegenError,
}


def _class_of(code: str) -> type[Error]:
    return _SINGLE.get(code) or _FAMILIES.get(code[:3], Error)


def from_diagnostics(diagnostics: list[Diagnostic]) -> Error:
    """Returns the exception for diagnostics of the compiler or the runtime; the first code determines its class."""
    first = diagnostics[0]
    return _class_of(first["code"])(first["code"], first["message"], first["help"], first["span"], diagnostics)


def from_internal(text: str) -> InternalError:
    return InternalError(text)


def fail(code: str, message: str, help: str = "", **details: Any) -> Error:
    """Returns the exception for an error of this package, to be raised by the caller."""
    return _class_of(code)(code, message, help, **details)
