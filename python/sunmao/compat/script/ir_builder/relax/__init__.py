"""Graph-level functions under construction, and all ops."""

from typing import Any

from sunmao.compat.missing import attribute_of
from sunmao.compat.script.ir_builder.relax import ir
from sunmao.compat.script.ir_builder.relax.ir import (
    arg,
    dataflow,
    emit,
    emit_match_cast,
    emit_var_binding,
    func_attr,
    func_name,
    func_ret_struct_info,
    func_ret_ty,
    func_ret_value,
    function,
    output,
)

__all__ = [
    "arg", "dataflow", "emit", "emit_match_cast", "emit_var_binding", "func_attr", "func_name",
    "func_ret_struct_info", "func_ret_ty", "func_ret_value", "function", "ir", "output",
]  # fmt: skip


def _find(name: str) -> Any:
    return getattr(ir, name, None)


__getattr__ = attribute_of(__name__, _find)
