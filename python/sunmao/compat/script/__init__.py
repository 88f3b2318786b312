"""Scripts: the decorators that read them from the program's own text."""

from __future__ import annotations

import re

from sunmao import _sunmao
from sunmao.compat.ir.module import IRModule
from sunmao.compat.missing import attribute_of
from sunmao.compat.script import ir, relax, tirx
from sunmao.compat.script.ir import ir_module
from sunmao.compat.script.text import split_metadata
from sunmao.reading import parse_function, parse_module

tir = tirx


def from_source(text: str, extra_vars: dict[str, object] | None = None) -> IRModule | _sunmao.BaseFunc:
    """Reads the text of a module, or of one function."""
    plain, constants = split_metadata(text)
    if re.search(r"^class\s", plain, re.MULTILINE):
        return IRModule(parse_module(plain, names=extra_vars, constants=constants))
    return parse_function(plain, names=extra_vars, constants=constants)


__all__ = ["from_source", "ir", "ir_module", "relax", "tir", "tirx"]

__getattr__ = attribute_of(__name__)
