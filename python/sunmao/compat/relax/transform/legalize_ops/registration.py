"""Registration of legalization functions by op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sunmao.compat.ir.op_attr import register_op_attr, reset_legalization
from sunmao.compat.missing import attribute_of

LegalizeFunc = Callable[[Any, Any], Any]


def register_legalize(op_name: str, legal_func: LegalizeFunc | None = None) -> Any:
    """Registers `(builder, call) -> expression` as the legalization of the op, which precedes the library's; without a
    function, returns a decorator. Registering the initial value of `get_attr("FLegalize")` restores the library's
    legalization."""
    if legal_func is not None and reset_legalization(op_name, legal_func):
        return legal_func
    return register_op_attr(op_name, "FLegalize", legal_func)


__getattr__ = attribute_of(__name__)
