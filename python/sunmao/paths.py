"""Paths and texts as callers give them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sunmao.errors import fail

PathLike = str | os.PathLike[str]


def is_unicode(text: str) -> bool:
    """Returns whether the text can be written as UTF-8: half of a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_file(value: Any, what: str) -> Path:
    """Returns the path of a file to read, whose name may be any bytes."""
    if not isinstance(value, str | os.PathLike):
        raise fail("E0034", f"`{what}`: expected a path, got a {type(value).__name__}")
    path = os.fsdecode(value)
    if "\0" in path:
        raise fail("E0034", f"`{what}`: {path!r} is no path: it holds the character NUL")
    return Path(path)


def as_path(value: Any, what: str) -> str:
    as_file(value, what)
    path = os.fsdecode(value)
    if not is_unicode(path):
        raise fail("E0034", f"`{what}`: {path!r} is no path in UTF-8", "rename the file, or give a link to it")
    return path
