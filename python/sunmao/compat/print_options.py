"""Conversion of upstream's printer options to those of the extension."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sunmao.compat.missing import unsupported
from sunmao.errors import fail

# Options that have a single supported value.
_FIXED: dict[str, Any] = {
    "ir_prefix": "I", "relax_prefix": "R", "tir_prefix": "T", "tirx_prefix": "T", "buffer_dtype": "float32",
    "int_dtype": "int32", "float_dtype": "void", "print_line_numbers": False, "num_context_lines": -1,
    "name": None, "script.use_pep695": False, "relax.use_pep695": False,
}  # fmt: skip
_OPTIONS = {
    *_FIXED, "indent_spaces", "module_alias", "obj_to_annotate", "obj_to_underline", "path_to_annotate",
    "path_to_underline", "render_invisible_path_info", "show_all_struct_info", "show_all_ty", "show_meta",
    "show_object_address", "syntax_sugar", "verbose_expr",
}  # fmt: skip


def print_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """Converts upstream's printer options. Fails with E0034 for an unknown option, and with E0032 for an option of
    which only upstream's default is supported. Entries of `extra_config` count as options."""
    given = {k: v for k, v in {**given, **(given.get("extra_config") or {})}.items() if k != "extra_config"}
    for name, value in given.items():
        if name not in _OPTIONS:
            raise fail("E0034", f"texts have no option `{name}`", f"they are {', '.join(sorted(_OPTIONS))}")
        if name in _FIXED and value not in (_FIXED[name], None):
            raise unsupported(f"the option `{name}={value!r}` of texts", f"it is {_FIXED[name]!r}")
    shown = given.get("show_all_ty", given.get("show_all_struct_info"))
    options: dict[str, Any] = {"show_types": True if shown is None else bool(shown)}
    if "verbose_expr" in given:
        options["declare_free"] = bool(given["verbose_expr"])
    if given.get("show_object_address"):
        options["show_addresses"] = True
    for name in ("syntax_sugar", "module_alias", "indent_spaces"):
        if given.get(name) is not None:
            options[name] = given[name]
    return options
