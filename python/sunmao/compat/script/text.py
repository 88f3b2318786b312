"""Printing of nodes with upstream's options, and scripts with the data that they refer to."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.facade import extend
from sunmao.compat.ir.container import Array, Map
from sunmao.compat.ir.module import IRModule
from sunmao.compat.ir.serial import load_json, save_json
from sunmao.compat.marks import marks_of
from sunmao.compat.print_options import print_options
from sunmao.compat.runtime.tensors import Tensor
from sunmao.compat.script.show import show

_KEY = "relax.expr.Constant"
_METADATA = re.compile(r'^metadata = tvm\.ir\.load_json\("""(.*?)"""\)$', re.MULTILINE | re.DOTALL)


def script(node: Any, **options: Any) -> str:
    """Returns the text of a node, with `show_meta` preceded by the data of large constants."""
    chosen = print_options(options)
    marks = marks_of(node, options)
    if marks:
        chosen["marks"] = marks.native
        return marks.show(_text(node, chosen, options))
    return _text(node, chosen, options)


def _text(node: Any, chosen: dict[str, Any], options: dict[str, Any]) -> str:
    if not isinstance(node, _sunmao.Module | _sunmao.Expr):
        return _sunmao.script_of(node, chosen)
    text, constants = _sunmao.script_with_constants(node, chosen)
    if not constants or not options.get("show_meta"):
        return text
    data = save_json(Map({_KEY: Array(Tensor(c) for c in constants)}))
    return f'metadata = tvm.ir.load_json("""{data}""")\n{text}'


def split_metadata(text: str) -> tuple[str, list[_sunmao.Tensor]]:
    """Splits off the table of constants: returns the text with unchanged line numbers, and the data."""
    found = _METADATA.search(text)
    if found is None:
        return text, []
    table = load_json(found[1])
    blank = "\n" * found[0].count("\n")
    constants = [t.native if isinstance(t, Tensor) else t for t in table[_KEY]]
    return text[: found.start()] + blank + text[found.end() :], constants


def _show(self: Any, style: str | None = None, black_format: bool | None = None, **display: Any) -> None:
    """Prints the text; `style` selects the highlighting, `black_format` formats it."""
    show(script(self, **display), style, black_format)


def _script(self: Any, **options: Any) -> str:
    """Returns the text, in the dialect of TVMScript."""
    return script(self, **options)


def _script_of_module(self: Any, **display: Any) -> str:
    """Returns the text of the module, with `show_meta` preceded by the data of large constants."""
    return script(self.__sunmao_module__(), **display)


def _show_module(self: Any, style: str | None = None, black_format: bool | None = None, **display: Any) -> None:
    """Prints the text; `style` selects the highlighting, `black_format` formats it."""
    show(self.script(**display), style, black_format)


def _method_of_module(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Makes the function a method of the module class, with checked arguments."""
    function.__name__, function.__qualname__ = name, f"IRModule.{name}"
    function.__module__ = IRModule.__module__
    return checked(function)


for _kind in (
    _sunmao.Expr, _sunmao.Type, _sunmao.Scalar, _sunmao.Binding, _sunmao.BindingBlock, _sunmao.Buffer,
    _sunmao.Stmt,
):  # fmt: skip
    extend(_kind, script=_script, _relax_script=_script, show=_show)
extend(
    IRModule,
    script=_method_of_module("script", _script_of_module),
    show=_method_of_module("show", _show_module),
)

__all__ = ["script", "split_metadata"]
