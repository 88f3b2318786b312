"""Loop-level functions under construction, and the script names of scalars and types."""

from typing import Any

from sunmao.compat.missing import attribute_of
from sunmao.compat.script import tirx as words
from sunmao.compat.script.ir_builder.tirx import axis as axis
from sunmao.compat.script.ir_builder.tirx import frame as frame
from sunmao.compat.script.ir_builder.tirx import ir as ir
from sunmao.compat.script.ir_builder.tirx.ir import decl_buffer_ as decl_buffer
from sunmao.compat.script.ir_builder.tirx.ir import prim_func as prim_func

buffer_decl = decl_buffer


def _find(name: str) -> Any:
    own = vars(ir).get(name)
    return own if own is not None else getattr(words, name)


__getattr__ = attribute_of(__name__, _find)
