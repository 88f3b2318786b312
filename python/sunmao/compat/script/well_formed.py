"""Processing of parsed scripts: normal form, and the check that the result is well formed."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sunmao import _sunmao
from sunmao.compat.ir.transform import run_named_pass
from sunmao.errors import Error, ScriptError


@contextmanager
def script_errors() -> Iterator[None]:
    """Context in which errors are raised as script errors, with their own codes."""
    try:
        yield
    except ScriptError:
        raise
    except Error as error:
        raise ScriptError(error.code, error.message, error.help, error.span, error.diagnostics) from None


def _normal(module: _sunmao.Module) -> _sunmao.Module:
    """Returns the module in normal form, except for calls of custom ops, which stay as written."""
    return run_named_pass(module, "normalize", arguments={"as_written": True})


def _tell_promises(error: Error) -> None:
    """Warns of declared result types that contradict the function bodies (E0417); raises errors of other kinds."""
    if any(found["code"] != "E0417" for found in error.diagnostics):
        raise error
    for found in error.diagnostics:
        warnings.warn(f"{found['code']}: {found['message']}; the promise is dropped", stacklevel=7)


def _checked(module: _sunmao.Module) -> _sunmao.Module:
    """Checks that the module is well formed. Result types that contradict the bodies are replaced with a warning, since
    upstream accepts such scripts."""
    try:
        _sunmao.check_well_formed(module, True)
    except Error as error:
        _tell_promises(error)
        module = _sunmao.with_computed_results(module)
    return module


def _checked_function(module: _sunmao.Module, name: str) -> _sunmao.BaseFunc | None:
    """Checks a single function of the module, which may call functions that the module lacks."""
    function = module.find(name)
    try:
        _sunmao.check_well_formed(function, True)  # type: ignore[call-overload]
    except Error as error:
        _tell_promises(error)
        function = _sunmao.with_computed_results(module).find(name)
    return function


def finish_module(module: _sunmao.Module, check: bool = True) -> _sunmao.Module:
    """Returns the module in normal form; with `check`, fails when it is not well formed."""
    try:
        module = _normal(module)
        if check:
            module = _checked(module)
    except Error:
        if check:
            raise
    return module


def finish_function(function: _sunmao.BaseFunc, check: bool = True) -> _sunmao.BaseFunc:
    """Like `finish_module`, for a stand-alone function."""
    if not isinstance(function, _sunmao.Function):
        return function
    name = str(function.attrs.get("global_symbol", "main"))
    try:
        module = _normal(_sunmao.Module().with_function(name, function))
        normal = _checked_function(module, name) if check else module.find(name)
        assert isinstance(normal, _sunmao.Function)
        return normal
    except Error:
        if check:
            raise
    return function
