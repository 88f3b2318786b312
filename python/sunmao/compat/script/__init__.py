"""Scripts: decorators that parse them from the source text of the program."""

import sys

from sunmao.compat.missing import attribute_of
from sunmao.compat.script import dialect, ir, relax, tirx
from sunmao.compat.script.ir import ir_module
from sunmao.compat.script.read_text import from_source

tir = tirx

__all__ = ["from_source", "ir", "ir_module", "relax", "tir", "tirx"]


def _find(name: str) -> object:
    return sys.modules[__name__] if name == "parser" else None


__getattr__ = attribute_of(__name__, _find)
