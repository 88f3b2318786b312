"""Ops as Python functions, such as `relax.op.add(x, y)`: every op of the library under its name."""

from __future__ import annotations

from typing import Any

from sunmao import _sunmao
from sunmao.compat.missing import attribute_of
from sunmao.compat.relax.op import operators as operators
from sunmao.compat.relax.op.builder import OpFamily, OpFunction, find
from sunmao.compat.relax.op.calls import (
    call_builtin_with_ctx,
    call_dps_packed,
    call_inplace_packed,
    call_packed,
    call_pure_packed,
    call_tir,
    call_tir_inplace,
    call_tir_with_grad,
    invoke_closure,
    invoke_pure_closure,
    make_closure,
    print,
)

__all__ = [
    "OpFamily",
    "OpFunction",
    "call_builtin_with_ctx",
    "call_dps_packed",
    "call_inplace_packed",
    "call_packed",
    "call_pure_packed",
    "call_tir",
    "call_tir_inplace",
    "call_tir_with_grad",
    "invoke_closure",
    "invoke_pure_closure",
    "make_closure",
    "print",
]


def _find(name: str) -> Any:
    return find(name)


__getattr__ = attribute_of(__name__, _find)


def __dir__() -> list[str]:
    return sorted({*__all__, *(name.split(".")[0] for name in _sunmao.op_names())})
