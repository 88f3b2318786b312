"""Printing of scripts: highlighted when Pygments is installed, formatted when Black is."""

from __future__ import annotations

import importlib
from typing import Any

from sunmao.compat.missing import unsupported

# Maps upstream's names of styles to the Pygments style that is used for each.
_STYLES = {"light": "default", "dark": "monokai", "ansi": "default"}


def show(text: str, style: str | None, black_format: bool | None) -> None:
    """Prints a script. Fails (E0032) for an unknown style, and when highlighting or formatting needs a package that is
    not installed."""
    if black_format:
        black = _library("black", "`black_format`")
        text = black.format_str(text, mode=black.FileMode())
    print(text if style is None else _coloured(text, style))


def _coloured(text: str, style: str) -> str:
    pygments = _library("pygments", "`style`")
    formatters, lexers, util = (
        importlib.import_module(f"pygments.{part}") for part in ("formatters", "lexers", "util")
    )
    try:
        formatter = formatters.Terminal256Formatter(style=_STYLES.get(style, style))
    except util.ClassNotFound:
        raise unsupported(f"the style `{style}` of a text", f"{', '.join(_STYLES)}, or one of Pygments") from None
    return str(pygments.highlight(text, lexers.PythonLexer(), formatter)).rstrip("\n")


def _library(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise unsupported(f"{what} of a text without {name}", f"install {name}, or leave the argument out") from None
