"""The common part of `@R.function` and `@T.prim_func`: in a class body the function is left to the module's parser; a
stand-alone function is parsed at once."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from sunmao import _sunmao
from sunmao.captures import resolver
from sunmao.compat.script.macro import with_captured
from sunmao.compat.script.source import function_source, is_class_body, names_around
from sunmao.compat.script.well_formed import finish_function, script_errors
from sunmao.errors import fail

PythonFunction = Callable[..., Any]


def read_function(
    function: PythonFunction, frame: FrameType, check_well_formed: bool
) -> PythonFunction | _sunmao.BaseFunc:
    if is_class_body(frame):
        return function
    text, file = function_source(function)
    names = names_around(function.__qualname__, [function], frame)
    text = with_captured(text, names)
    with script_errors():
        return finish_function(_sunmao.parse_function(text, file, resolver(names)), check_well_formed)


def decorator(
    function: PythonFunction | None, frame: FrameType, check_well_formed: bool = True, stated: Sequence[str] = ()
) -> Any:
    """Returns the parsed function, or a decorator when called with options only. `stated` names the options that the
    parser takes from the decorator's source text."""
    if function is not None:
        _check_text(function, stated)
        return read_function(function, frame, check_well_formed)

    def decorate(f: PythonFunction) -> Any:
        _check_text(f, stated)
        return read_function(f, sys._getframe(1), check_well_formed)

    return decorate


def _written_options(text: str) -> set[str | None]:
    """Returns the names of the options in a function's decorators, from its source text."""
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    calls = [d for d in function.decorator_list if isinstance(d, ast.Call)]
    return {keyword.arg for call in calls for keyword in call.keywords}


def _check_text(function: PythonFunction, stated: Sequence[str]) -> None:
    """Fails (E0034) for an option that is missing in the source text of the decorator."""
    written = _written_options(function_source(function)[0]) if stated else set()
    for name in stated:
        if name not in written:
            problem = f"`{name}` of the decorator of `{function.__name__}` is not written in front of the function"
            raise fail(
                "E0034", problem, "scripts are read as they are written: give the option where the decorator stands"
            )
