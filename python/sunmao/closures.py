"""Functions of a program as values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao.errors import fail

# Calls a function of a program by its name, on arguments in order.
Call = Callable[[str, list[Any]], Any]


class Closure:
    """A function of a program, with values for its last parameters."""

    def __init__(self, call: Call, function: str | Callable[..., Any], bound: Sequence[Any]) -> None:
        self._call = call
        self._function = function
        self._bound = list(bound)

    def __call__(self, *args: Any) -> Any:
        given = [*args, *self._bound]
        return self._call(self._function, given) if isinstance(self._function, str) else self._function(*given)


def _invoke(function: Any, *args: Any) -> Any:
    if not callable(function):
        raise fail("E0037", f"a program calls a value that is no function: a {type(function).__name__}")
    return function(*args)


def find_closure_builtin(name: str, call: Call) -> Callable[..., Any] | None:
    """Returns what a program calls to make functions values, and to call those; None for other names."""
    if name == "vm.builtin.make_closure":
        return lambda function, *bound: Closure(call, function, bound)
    if name == "vm.builtin.invoke_closure":
        return _invoke
    return None


def functions_on_objects(loaded: _sunmao.LoadedModel) -> set[str]:
    """Returns the functions that take or give what is no array; all of them where functions may be values."""
    closures = any(name in ("vm.builtin.make_closure", "vm.builtin.invoke_closure") for name in loaded.host_functions)
    return {
        name
        for name, signature in loaded.signatures.items()
        if closures or any(v["dtype"] == "handle" for v in (*signature["inputs"], *signature["outputs"]))
    }


def run_on_objects(
    loaded: _sunmao.LoadedModel, function: str, inputs: list[Any], call: Call, tensor: Any, shape: Any, result: Any
) -> tuple[Any, ...]:
    """Runs a function on tensors and objects; `call` runs functions that are values. Functions of the host are given
    what `tensor` makes of tensors, and `shape` of shapes; `result` makes the results."""
    results = loaded.call(function, inputs, lambda name: find_closure_builtin(name, call), tensor, shape)
    return tuple(result(r) if isinstance(r, _sunmao.Tensor) else r for r in results)
