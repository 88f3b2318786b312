"""Macros, whose statements a script contains in place of their calls, and the text of type variables."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, TypeVar

from sunmao import _sunmao
from sunmao.captures import resolver
from sunmao.compat.script.source import captured, function_source, is_class_body, names_around

PythonFunction = Callable[..., Any]


class Macro:
    """A function marked `@T.inline`, `@T.macro` or `@R.macro`, as source text, for calls in scripts."""

    def __init__(self, function: PythonFunction, frame: FrameType, hygienic: bool = True) -> None:
        self.__name__ = function.__name__
        self.hygienic = hygienic
        text, self.file = function_source(function)
        self.text = text.lstrip("\n")
        self._padded = text
        self._function = function
        words, known = set(function.__code__.co_names), function.__globals__
        around = names_around(function.__qualname__, [function], frame)
        self._names = {k: v for k, v in around.items() if k in words or k not in known or known[k] is not v}

    @property
    def names(self) -> dict[str, Any]:
        """Returns the values of names in a hygienic macro: those at its definition, and names defined later."""
        return {**self._function.__globals__, **captured(self._function), **self._names}

    def __sunmao_value__(self) -> _sunmao.Macro:
        return _sunmao.Macro(self._padded, self.file, self._resolve)

    def _resolve(self, expression: str, line: int, scalars: dict[str, Any], wants_index_map: bool) -> tuple[Any] | None:
        return resolver(self.names)(expression, line, scalars, wants_index_map)

    def __repr__(self) -> str:
        return self.text


def _mark(function: PythonFunction, frame: FrameType, hygienic: bool) -> Any:
    # In the class body of a module, the text of the macro is parsed as part of the module, so the function stays as it
    # is.
    return function if is_class_body(frame) else Macro(function, frame, hygienic)


def inline(func: PythonFunction | None = None, *, hygienic: bool = True) -> Any:
    """Marks a macro: `@T.inline`, `@R.macro`, with or without arguments. A hygienic macro resolves names in the Python
    scope of its definition."""
    if func is not None:
        if not callable(func):
            raise ValueError("a macro's decorator takes keywords only: write `@T.inline(hygienic=False)`")
        return _mark(func, sys._getframe(1), hygienic)
    return lambda f: _mark(f, sys._getframe(1), hygienic)


def with_captured(text: str, names: Mapping[str, Any]) -> str:
    """Returns the text followed by definitions of the type variables that it names."""
    words = dict.fromkeys(re.findall(r"[^\W\d]\w*", text))
    found = [word for word in words if isinstance(names.get(word), TypeVar)]
    return "\n".join([text, *(f'{word} = TypeVar("{word}")\n' for word in found)])
