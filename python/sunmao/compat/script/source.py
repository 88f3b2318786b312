"""Source text of decorated classes and functions, and the Python variables visible there."""

from __future__ import annotations

import ast
import functools
import inspect
import linecache
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

from sunmao.errors import fail


def is_class_body(frame: FrameType) -> bool:
    return "__module__" in frame.f_locals and "__qualname__" in frame.f_locals


@functools.lru_cache(maxsize=16)
def _classes(text: str) -> tuple[tuple[int, int, int, str], ...]:
    """Returns for each class of a file: first line with decorators, line of `class`, last line, name."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            found.append((first, node.lineno, node.end_lineno or node.lineno, node.name))
    return tuple(found)


def _block(lines: list[str], first: int, last: int) -> str:
    """Returns the lines, dedented and preceded by empty lines, so that line numbers are those of the file."""
    return "\n" * (first - 1) + textwrap.dedent("".join(lines[first - 1 : last]))


def class_source(cls: type, frame: FrameType) -> tuple[str, str]:
    """Returns source text and file of the class whose decorator is called from `frame`."""
    file = frame.f_code.co_filename
    lines = linecache.getlines(file, frame.f_globals)
    for first, head, last, name in _classes("".join(lines)) if lines else ():
        if name == cls.__name__ and first <= frame.f_lineno <= head:
            return _block(lines, first, last), file
    raise _no_source(cls.__name__)


def function_source(function: Callable[..., Any]) -> tuple[str, str]:
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise _no_source(function.__name__) from None
    return "\n" * (first - 1) + textwrap.dedent("".join(lines)), inspect.getfile(function)


def _no_source(name: str) -> Exception:
    help = "scripts are read from the file that they stand in; for a text use `tvm.script.from_source`"
    return fail("E0033", f"the text of `{name}` cannot be found", help)


def names_around(qualname: str, functions: list[Callable[..., Any]], frame: FrameType) -> dict[str, Any]:
    """Returns the visible variables: globals, then locals of the enclosing functions of `qualname`, outermost first,
    then captured variables."""
    names: dict[str, Any] = dict(frame.f_globals)
    for enclosing in reversed(list(_enclosing(qualname, frame))):
        names.update(enclosing.f_locals)
    for function in functions:
        names.update(captured(function))
    return names


def captured(function: Callable[..., Any]) -> dict[str, Any]:
    """Returns the present values of the variables that a function captures."""
    names: dict[str, Any] = {}
    code: CodeType = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            names[name] = cell.cell_contents
        except ValueError:  # the variable has no value yet
            continue
    return names


def _enclosing(qualname: str, frame: FrameType) -> Iterator[FrameType]:
    """Yields the frames of the enclosing functions of a definition, innermost first."""
    parts = [part for part in qualname.split(".")[:-1] if part != "<locals>"]
    current: FrameType | None = frame
    while parts and current is not None:
        if current.f_code.co_name == parts[-1]:
            parts.pop()
            yield current
        current = current.f_back
