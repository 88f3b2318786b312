"""Evaluation of the Python expressions that scripts contain: names of the surrounding program become values of the
IR."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import FunctionType
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao.arrays import to_tensor
from sunmao.errors import Error, fail
from sunmao.expressions import Refused, evaluate_expression

Resolver = Callable[[str, int, dict[str, Any], bool], tuple[Any] | None]


def to_host_value(value: Any) -> Any:
    """Converts a Python value to one that the extension accepts. Objects may define the conversion by
    `__sunmao_value__`."""
    if hasattr(value, "__sunmao_value__"):
        return to_host_value(value.__sunmao_value__())
    if hasattr(value, "__sunmao_type__"):
        return value.__sunmao_type__()
    if isinstance(value, bool | int | float | str | None):
        return value
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return _sunmao.DType(np.dtype(value).name)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) or hasattr(value, "__dlpack__"):
        return to_tensor(value)
    if isinstance(value, list | tuple):
        return [to_host_value(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): to_host_value(item) for key, item in value.items()}
    return value


def _index_map(value: Any) -> Any:
    """Converts a function to the index map that it computes; returns any other value unchanged."""
    from sunmao.compat.convert import index_map  # sunmao.compat reads scripts by this module

    return index_map(value) if isinstance(value, FunctionType) else value


# The values of the dialect's names (`R`, `T`, `I`), and the functions that script text may call; `define_dialect` fills
# both.
_dialect: dict[str, Any] = {}
_calls: dict[str, Callable[..., Any]] = {}


def define_dialect(words: Mapping[str, Any], calls: Mapping[str, Callable[..., Any]]) -> None:
    """Defines the values of the dialect's names in expressions, and the functions that script text may call."""
    _dialect.update(words)
    _calls.update(calls)


def resolver(names: Mapping[str, Any]) -> Resolver:
    """Returns a function that evaluates expressions of a script that is part of the calling program, as Python would.
    It returns None for unknown names and for values that the IR lacks. The scalars that the script defines are passed
    with each expression. A function is converted to an index map only where one is requested."""

    scope = dict(names)

    def evaluate(expression: str, scalars: dict[str, Any]) -> Any:
        word, dot, _ = expression.partition(".")
        if dot and word in _dialect:  # the words of scripts mean themselves, imported or not
            for name, module in _dialect.items():
                scope.setdefault(name, module)
        # Evaluating is safe, because the expression is source code of the calling program, which Python would evaluate
        # as well.
        return eval(expression, {**scope, **scalars} if scalars else scope)

    return _resolver(evaluate)


def text_resolver(names: Mapping[str, Any]) -> Resolver:
    """Like `resolver`, for a script that is given as text: expressions are restricted as in `evaluate_expression`."""

    def evaluate(expression: str, scalars: dict[str, Any]) -> Any:
        calls: Mapping[str, Callable[..., Any]] = {}
        if "emit_te" in expression:
            import_module("sunmao.compat.script.dialect")  # defines it
            calls = _calls
        return evaluate_expression(expression, {**names, **scalars}, calls)

    return _resolver(evaluate)


def _resolver(evaluate: Callable[[str, dict[str, Any]], Any]) -> Resolver:
    def resolve(expression: str, line: int, scalars: dict[str, Any], wants_index_map: bool) -> tuple[Any] | None:
        try:
            value = to_host_value(evaluate(expression, scalars))
            value = _index_map(value) if wants_index_map else value
        except NameError:
            return None
        except Error:
            raise
        except Refused as refused:
            problem = f"`{expression}` (line {line}) is not evaluated: {refused}"
            raise fail("E0036", problem, "a text takes the values of names that are handed over with it") from None
        except Exception as error:
            problem = f"`{expression}` (line {line}) cannot be evaluated: {type(error).__name__}: {error}"
            raise fail("E0036", problem, "scripts take the values of Python expressions as they are defined") from error
        return (value,) if _is_known(value) else None

    return resolve


_KNOWN = (
    bool, int, float, str, list, dict, type(None), _sunmao.DType, _sunmao.Tensor, _sunmao.Expr, _sunmao.Type,
    _sunmao.Scalar, _sunmao.GlobalInfo, _sunmao.IndexMap, _sunmao.Macro,
)  # fmt: skip


def _is_known(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_known(item) for item in value)
    if isinstance(value, dict):
        return all(_is_known(item) for item in value.values())
    return isinstance(value, _KNOWN)
