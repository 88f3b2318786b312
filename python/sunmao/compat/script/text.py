"""Nodes as text, with upstream's options, and texts with the data that they refer to."""

from __future__ import annotations

import re
from typing import Any

from sunmao import _sunmao
from sunmao.compat.facade import extend
from sunmao.compat.ir.container import Array, Map
from sunmao.compat.ir.serial import load_json, save_json
from sunmao.compat.runtime import Tensor

_KEY = "relax.expr.Constant"
_METADATA = re.compile(r'^metadata = tvm\.ir\.load_json\("""(.*?)"""\)$', re.MULTILINE | re.DOTALL)



def script(node: Any, **options: Any) -> str:
    """The text of a module or an expression. `show_meta` puts the data of large constants in front of it."""
    shown = options.get("show_all_ty", options.get("show_all_struct_info"))
    show_types = True if shown is None else bool(shown)
    text, constants = node.script_with_constants(show_types)
    if not constants or not options.get("show_meta"):
        return str(text)
    table = Map({_KEY: Array(Tensor(c) for c in constants)})
    data = save_json(table)
    return f'metadata = tvm.ir.load_json("""{data}""")\n{text}'


def split_metadata(text: str) -> tuple[str, list[_sunmao.Tensor]]:
    """The text without the table in front of it, lines where they were, and the data of the table."""
    found = _METADATA.search(text)
    if found is None:
        return text, []
    table = load_json(found[1])
    blank = "\n" * found[0].count("\n")
    constants = [t.native if isinstance(t, Tensor) else t for t in table[_KEY]]
    return text[: found.start()] + blank + text[found.end() :], constants


def _show(self: Any, *args: Any, **display: Any) -> None:
    print(script(self, **display))


extend(_sunmao.Expr, script=lambda self, **options: script(self, **options), show=_show)

__all__ = ["script", "split_metadata"]
