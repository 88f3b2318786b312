"""Ops with effects, for modules that are exported with `debug=True`."""

from __future__ import annotations

import sys
from typing import Any

from sunmao._sunmao import make
from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax import op as relax_op
from sunmao.compat.relax.frontend.nn.op.calls import host_argument
from sunmao.compat.relax.frontend.nn.tensor import Tensor, current_builder
from sunmao.compat.runtime.registry import get_global_func, register_global_func
from sunmao.errors import fail


@checked
def debug_func(name: str, *args: Any, _line_info: str | None = None) -> None:
    """Calls a function that `register_global_func` knows when the program runs: on the line that has this call, as
    "file:line", and the arguments. Calls keep their order."""
    from sunmao.compat.relax.frontend.nn.exporter import Exporter

    effect = Exporter.current().io_effect
    if effect is None:
        raise fail("E0039", f"`{name}` is called in an export without debugging", "say `debug=True`")
    assert effect.effect is not None
    call = relax_op.call_pure_packed(
        "vm.builtin.invoke_debug_func",
        effect.effect,
        make.string(name),
        make.string(_line_info or _place_of_caller()),
        *(host_argument(arg, "float32") for arg in args),
        ty_args=make.any_type(),
    )
    effect.effect = current_builder().emit(call, effect.effect.name)


@checked
def print_(tensor: Tensor) -> None:
    """Prints a tensor when the program runs, with the line that has this call."""
    debug_func("vm.builtin.debug_print", tensor)


def _invoke(effect: Any, name: str, line: str, *args: Any) -> Any:
    """Calls a function by name, and returns the effect that the next call takes."""
    get_global_func(name)(line, *args)
    return effect


def _print(line: str, tensor: Any) -> None:
    print(f"{line}: {tuple(tensor.shape)} {tensor.dtype}\n{tensor.numpy()}")


register_global_func("vm.builtin.invoke_debug_func", _invoke)
register_global_func("vm.builtin.debug_print", _print)


def _place_of_caller() -> str:
    """Returns the line that runs now outside of this package."""
    frame: Any = sys._getframe()
    while frame.f_globals.get("__name__", "").startswith("sunmao."):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


__getattr__ = attribute_of(__name__)
