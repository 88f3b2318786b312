"""What a script takes from the Python around it: expressions are evaluated there, and turned into values of the IR."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any

import numpy as np

from sunmao import _sunmao
from sunmao.arrays import to_tensor
from sunmao.errors import Error, fail

Resolver = Callable[[str, int, dict[str, Any], bool], tuple[Any] | None]


def to_host_value(value: Any) -> Any:
    """The value in terms that the extension takes. An object may say itself what it stands for."""
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
    """A function as the map of indices that it is; the value itself where it is none."""
    if not isinstance(value, FunctionType):
        return value
    from sunmao.compat.convert import index_map

    return index_map(value)


_DIALECT = ("R.", "T.", "I.", "relax.", "tir.", "tirx.")


def _dialect() -> dict[str, Any]:
    from sunmao.compat.script import ir, relax, tirx

    return {"R": relax, "T": tirx, "I": ir, "relax": relax, "tir": tirx, "tirx": tirx}


def resolver(names: Mapping[str, Any]) -> Resolver:
    """Evaluates expressions of a script among `names`; None for what is not there, or is no value of the IR. Scalars
    that the script itself names come with each expression. A function stands for a map of indices where one is asked
    for, and nowhere else."""

    scope = dict(names)

    def resolve(expression: str, line: int, scalars: dict[str, Any], wants_index_map: bool) -> tuple[Any] | None:
        if expression.startswith(_DIALECT):  # the words of scripts mean themselves, imported or not
            for word, module in _dialect().items():
                scope.setdefault(word, module)
        try:
            # The script is Python of the caller's own program: this is where Python itself would evaluate it.
            value = to_host_value(eval(expression, {**scope, **scalars} if scalars else scope))
            value = _index_map(value) if wants_index_map else value
        except NameError:
            return None
        except Error:
            raise
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
