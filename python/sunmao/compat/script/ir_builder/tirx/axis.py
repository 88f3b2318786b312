"""`T.axis`: axes of blocks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sunmao import _sunmao
from sunmao._sunmao import make
from sunmao.compat.convert import dtype_name
from sunmao.compat.script.ir_builder.base import IRBuilder
from sunmao.compat.script.ir_builder.tirx.frame import ForFrame, SBlockFrame, find
from sunmao.compat.tirx.operators import loop_scalar
from sunmao.compat.tirx.range import Range

_LETTERS = {"S": "spatial", "R": "reduce", "C": "scan", "O": "opaque"}


def _add(kind: str, dom: Any, binding: Any, dtype: Any = "int32") -> _sunmao.SymVar:
    block = find(SBlockFrame, f"T.axis.{kind}")
    domain = dom if isinstance(dom, Range) else Range(*dom) if isinstance(dom, list | tuple) else Range(0, dom)
    value = None if binding is None else loop_scalar(binding, domain.extent.dtype)
    wide = value.dtype if value is not None and not isinstance(value, _sunmao.IntImm) else domain.extent.dtype
    type_ = wide if dtype_name(dtype) == "int32" else dtype_name(dtype)
    var = make.sym_var("v", type_)
    low, extent = (
        make.int_imm(type_, side.value) if isinstance(side, _sunmao.IntImm) else side for side in domain.native()
    )
    block.iter_vars.append(make.iter_var(var, (low, extent), kind))
    if value is not None:
        block.iter_values.append(value)
    return var


def _axis(kind: str) -> Callable[..., _sunmao.SymVar]:
    def axis(dom: Any, binding: Any = None, dtype: Any = "int32") -> _sunmao.SymVar:
        return _add(kind, dom, binding, dtype)

    axis.__name__ = kind
    return axis


spatial, reduce, scan, opaque = _axis("spatial"), _axis("reduce"), _axis("scan"), _axis("opaque")
S, R = spatial, reduce


def remap(kinds: str, bindings: Sequence[_sunmao.SymVar], dtype: Any = "int32") -> Any:
    """Binds axes to whole loops, with one letter for each: S spatial, R reduction."""
    doms = {}
    for frame in IRBuilder.current().frames:
        if isinstance(frame, ForFrame):
            doms.update({id(var): dom for var, dom in zip(frame.vars, frame.doms, strict=True)})
    found = []
    for letter, var in zip(kinds, bindings, strict=True):
        if letter not in _LETTERS or id(var) not in doms:
            raise ValueError("`T.axis.remap` takes the letters S and R, and variables of the loops around")
        found.append(_add(_LETTERS[letter], Range.from_min_extent(*doms[id(var)]), var, dtype))
    return found[0] if len(found) == 1 else found
