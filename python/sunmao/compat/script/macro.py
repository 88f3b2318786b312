"""Macros, whose statements a script takes in place of their calls, and what else a script's text lacks."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, TypeVar

from sunmao.compat.script.source import function_source, is_class_body, names_around

PythonFunction = Callable[..., Any]


class Macro:
    """A function marked `@T.inline`, `@T.macro` or `@R.macro`, as text; scripts name it."""

    def __init__(self, function: PythonFunction, frame: FrameType, hygienic: bool = True) -> None:
        self.__name__ = function.__name__
        self.hygienic = hygienic
        self.text = function_source(function)[0].lstrip("\n")
        self.names = names_around(function.__qualname__, [function], frame)

    def __repr__(self) -> str:
        return self.text


def _mark(function: PythonFunction, frame: FrameType, hygienic: bool) -> Any:
    # In the class of a module the text is there already.
    return function if is_class_body(frame) else Macro(function, frame, hygienic)


def inline(func: PythonFunction | None = None, *, hygienic: bool = True) -> Any:
    """Marks a macro: `@T.inline`, `@R.macro`, with or without arguments. A hygienic one sees the Python around it."""
    if func is not None:
        if not callable(func):
            raise ValueError("a macro's decorator takes keywords only: write `@T.inline(hygienic=False)`")
        return _mark(func, sys._getframe(1), hygienic)
    return lambda f: _mark(f, sys._getframe(1), hygienic)


def _with_own_names(macro: Macro, known: dict[str, Any]) -> str:
    """The text of a hygienic macro, whose free names that mean something else where it is called are renamed."""
    tree = ast.parse(macro.text)
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    bound = {node.id for node in found if isinstance(node.ctx, ast.Store)} | {
        node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)
    }
    lines = [line.encode() for line in macro.text.splitlines()]
    for node in sorted(found, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        name = node.id
        if name in bound or name not in macro.names or known.get(name, macro) is macro.names[name]:
            continue
        if name not in known:
            continue  # `with_captured` adds it under its own name
        renamed = f"{name}_of_{macro.__name__}"
        known[renamed] = macro.names[name]
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + renamed.encode() + line[node.end_col_offset or 0 :]
    return b"\n".join(lines).decode() + "\n"


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
            parts.append(_with_own_names(value, known) if value.hygienic else value.text)
            known = {**value.names, **known}
            words += re.findall(r"[^\W\d]\w*", value.text)
    return "\n".join(parts), known
