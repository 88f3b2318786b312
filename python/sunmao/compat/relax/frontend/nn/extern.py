"""External modules: functions of the host that methods call, with what they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sunmao.compat.checked import checked
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.frontend.nn.op.calls import call_extern
from sunmao.errors import fail


class ExternModule:
    """Functions by name, each with one that returns tensors like its results for tensors like its arguments. The
    program calls the function that `register_global_func` knows under the name, on the arguments and the results, into
    which it writes."""

    @checked
    def __init__(self, symbols: Mapping[str, Callable[..., Any]]) -> None:
        self.symbols = dict(symbols)

    def __getitem__(self, func_name: str) -> Callable[..., Any]:
        if func_name not in self.symbols:
            raise fail(
                "E0034", f"the external module has no function `{func_name}`", f"it has {', '.join(self.symbols)}"
            )
        infer = self.symbols[func_name]

        def call(*args: Any) -> Any:
            return call_extern(func_name, args, infer(*args))

        return call


__getattr__ = attribute_of(__name__)
