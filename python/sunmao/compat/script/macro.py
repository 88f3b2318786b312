"""Macros, whose statements a script takes in place of their calls, and what else a script's text lacks."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, TypeVar

from sunmao.compat.script.source import function_source, is_class_body, names_around

PythonFunction = Callable[..., Any]


class Macro:
    """A function marked `@T.inline` or `@T.macro`, as text; scripts name it."""

    def __init__(self, function: PythonFunction, frame: FrameType) -> None:
        self.__name__ = function.__name__
        self.text = function_source(function)[0].lstrip("\n")
        self.names = names_around(function.__qualname__, [function], frame)

    def __repr__(self) -> str:
        return self.text


def _mark(function: PythonFunction, frame: FrameType) -> Any:
    # In the class of a module the text is there already.
    return function if is_class_body(frame) else Macro(function, frame)


def inline(func: PythonFunction | None = None, *, hygienic: bool = True) -> Any:
    """Marks a macro of the loop level: `@T.inline`, with or without arguments."""
    if func is not None:
        if not callable(func):
            raise ValueError("a macro's decorator takes keywords only: write `@T.inline(hygienic=False)`")
        return _mark(func, sys._getframe(1))
    return lambda f: _mark(f, sys._getframe(1))


def with_captured(text: str, names: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The text with the macros and type variables that it names behind it, and the names that all of it may use."""
    known = dict(names)
    added: set[str] = set()
    words = list(re.findall(r"[^\W\d]\w*", text))
    parts = [text]
    while words:
        word = words.pop()
        value = known.get(word)
        if word in added or not isinstance(value, Macro | TypeVar):
            continue
        added.add(word)
        if isinstance(value, TypeVar):
            parts.append(f'{word} = TypeVar("{word}")\n')
        elif value.__name__ == word:
            parts.append(value.text)
            known = {**value.names, **known}
            words += re.findall(r"[^\W\d]\w*", value.text)
    return "\n".join(parts), known
