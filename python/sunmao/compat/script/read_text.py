"""Scripts given as text."""

from __future__ import annotations

import re

from sunmao import _sunmao
from sunmao.compat.checked import checked
from sunmao.compat.ir.module import IRModule
from sunmao.compat.script.text import split_metadata
from sunmao.compat.script.well_formed import finish_function, finish_module, script_errors
from sunmao.reading import parse_function, parse_module


@checked
def from_source(
    text: str,
    extra_vars: dict[str, object] | None = None,
    check_well_formed: bool = True,
    s_tir: bool = False,  # noqa: ARG001 (upstream's choice of checks, which here are the same)
) -> IRModule | _sunmao.BaseFunc:
    """Parses the text of a module, or of a single function."""
    plain, constants = split_metadata(text)
    with script_errors():
        if re.search(r"^class\s", plain, re.MULTILINE):
            module = parse_module(plain, names=extra_vars, constants=constants)
            return IRModule(finish_module(module, check_well_formed))
        return finish_function(parse_function(plain, names=extra_vars, constants=constants), check_well_formed)
