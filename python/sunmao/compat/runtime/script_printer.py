"""Printer options as an object."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sunmao.compat.missing import attribute_of


@dataclass
class PrinterConfig:
    """The options of `.script(...)`."""

    name: str | None = None
    show_meta: bool = False
    ir_prefix: str = "I"
    module_alias: str = "cls"
    indent_spaces: int = 4
    syntax_sugar: bool = True
    verbose_expr: bool = False
    show_all_ty: bool = True
    render_invisible_path_info: bool = True
    path_to_underline: list[Any] | None = None
    path_to_annotate: dict[Any, str] | None = None
    obj_to_underline: list[Any] | None = None
    obj_to_annotate: dict[Any, str] | None = None
    extra_config: dict[str, Any] = field(default_factory=dict)

    def options(self) -> dict[str, Any]:
        """Returns the options as keyword arguments of `.script`."""
        return {
            "show_meta": self.show_meta, "module_alias": self.module_alias, "indent_spaces": self.indent_spaces,
            "syntax_sugar": self.syntax_sugar, "verbose_expr": self.verbose_expr, "show_all_ty": self.show_all_ty,
            "render_invisible_path_info": self.render_invisible_path_info,
            "path_to_underline": self.path_to_underline, "path_to_annotate": self.path_to_annotate,
            "obj_to_underline": self.obj_to_underline, "obj_to_annotate": self.obj_to_annotate,
            "extra_config": self.extra_config,
        }  # fmt: skip


def _script(obj: Any, config: PrinterConfig) -> str:
    """Returns the text of a node, printed with a configuration."""
    return str(obj.script(**config.options()))


__getattr__ = attribute_of(__name__)
